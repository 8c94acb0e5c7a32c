"""First sentences, and the map as data."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outline.outlines import heading, outline, shelf
from pinakes.outline import MapRequest, draw_map
from pinakes.parse import parse
from pinakes.prose import first_sentence
from pinakes.records import Raw, Ref, Section, Shape, Span, Stamp, formats
from pinakes.render import dumps, wire


def sentence_of(text: str) -> str:
    document = parse(Raw(Stamp(Ref("docs", "a.md"), "1", formats.MARKDOWN), text.encode(), "digest"))
    return first_sentence(document, len(document.sections) - 1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("## Title\n\nOne sentence. And another.", "One sentence."),
        ("Setext\n======\n\nBody of it! More.", "Body of it!"),
        ("# T\n\n```sh\nmake. all\n```\n\nAfter the fence.", "After the fence."),
        ("# T\n\n| a | b |\n|---|---|\n| 1. | 2 |\n", ""),
        ("# T\n\nSee [the guide](guide.md) for **bold** `code` and _more_.", "See the guide for bold code and more."),
        ("# T\n\n![alt. text](a.png)\n\n<div>x</div>\n\nReal text", "Real text"),
        ("# T\n\n- first item. With more\n- second", "first item."),
        ("# T\n\nUse e.g. version 1.2 of it. Then stop.", "Use e.g. version 1.2 of it."),
        ("# T\n\n日本語の文。次の文。", "日本語の文。"),
        ("# T\n\nA line\nthat wraps\n\nsecond paragraph", "A line that wraps"),
        ("# T\n\nOn [[page|a page]] and [[other]]. X", "On a page and other."),
        ("---\ntitle: A. B\n---\n\nAfter the fields. X", "After the fields."),
        ("+++\ntitle = 'A. B'\n+++\nAfter the fields.", "After the fields."),
        ("---\n---\nAfter nothing.", "After nothing."),
        ("---\ntitle: only fields\n---", ""),
        ("---\n\nAfter a rule.", "After a rule."),
        ("%% note to self. %%\n\nReal %%hidden%% text. ^b1\n", "Real text."),
        ("First line ^id-1\n\nSecond.", "First line"),
        ("^id-1\n\nSecond, 2 ^ 3.", "Second, 2 ^ 3."),
        ("", ""),
    ],
)
def test_a_first_sentence_is_prose_without_markup(text: str, sentence: str) -> None:
    assert sentence_of(text) == sentence


def test_a_long_sentence_is_cut_at_a_word() -> None:
    found = sentence_of("word " * 100)
    assert len(found) <= 160
    assert found.endswith("word…")


@given(st.text(max_size=300))
def test_any_text_has_a_first_sentence_of_one_line_at_most(text: str) -> None:
    found = sentence_of(text)
    assert len(found) <= 160
    assert "\n" not in found


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "*" * 50_000,
        "`" * 50_000,
        "_a" * 25_000,
        "<!--" * 12_000,
        "# " * 25_000,
        "%%a" * 9_000,
        " ^a" * 9_000,
    ],
)
def test_hostile_text_takes_no_time_to_speak_of(text: str) -> None:
    assert len(sentence_of(f"Start {text}")) <= 160


def test_the_map_as_data_holds_what_the_text_shows() -> None:
    page = outline(
        "docs/a.md",
        [heading(1, "A", lines=30, keywords=["k"], shapes=[Shape.TABLE])],
        cited=[2, 1],
        references=[(0, "docs/b.md"), (1, "src/x.py#y")],
    )
    drawn = draw_map([page], {}, MapRequest())
    data = json.loads(dumps(wire(drawn)))
    assert data["hash"] == drawn.hash
    assert data["sections"] == {"shown": 1, "total": 1}
    (block,) = data["blocks"]
    assert block.pop("digest") != block.pop("structure")
    assert data["folders"] == [
        {"path": "", "documents": 1, "more_files": 0, "note": ""},
        {"path": "docs", "documents": 1, "more_files": 0, "note": ""},
    ]
    assert block == (
        {
            "id": "docs/a.md",
            "ref": "docs:docs/a.md",
            "path": "docs/a.md",
            "title": "A",
            "kind": "unknown",
            "media": "markdown",
            "component": 0,
            "cited": 2,
            "line_count": 3,
            "keywords": [],
            "shapes": [],
            "references": ["docs:docs/b.md"],
            "more_sections": 0,
            "sections": [
                {
                    "anchor": "a",
                    "title": "A",
                    "level": 1,
                    "lines": "1-30",
                    "keywords": ["k"],
                    "shapes": ["table"],
                    "cited": 1,
                    "references": ["docs:src/x.py#y"],
                }
            ],
        }
    )


def test_the_map_as_data_has_summaries_and_sizes_where_they_are_asked_for() -> None:
    page = outline("a.md", [heading(1, "A"), heading(2, "B")])
    summaries, sizes = {"a.md": ("Before.", "What A is.", "")}, {"a.md": (5, 100, 812)}

    def told(request: MapRequest) -> list[tuple[object, object]]:
        data = json.loads(dumps(wire(draw_map([page], {}, request, summaries, sizes))))
        (file,) = data["blocks"]
        return [(part.get("summary"), part.get("tokens")) for part in (file, *file["sections"])]

    both = MapRequest(summary=True, tokens=True)
    assert told(both) == [("Before.", 917), ("What A is.", 912), ("", 812)]
    assert told(MapRequest(tokens=True)) == [(None, 917), (None, 912), (None, 812)]
    assert told(MapRequest()) == [(None, None)] * 3


def test_a_file_without_headings_has_its_shapes_and_keywords_in_the_data() -> None:
    root = Section("", "", 0, -1, Span(0, 900), Span(0, 40), keywords=("groceries",), shapes=(Shape.TABLE,))
    data = json.loads(dumps(wire(draw_map([outline("todo.md", root=root)], {}, MapRequest()))))
    (file,) = data["blocks"]
    assert (file["keywords"], file["shapes"]) == (["groceries"], ["table"])


def test_data_of_a_fitted_map_counts_what_is_left_out() -> None:
    pages, ranks = shelf(60, 300)
    data = json.loads(dumps(wire(draw_map(pages, ranks, MapRequest(800)))))
    missing = sum(folder["more_files"] for folder in data["folders"])
    assert data["documents"]["shown"] + missing == data["documents"]["total"] == 60
    assert data["tokens"] <= data["budget_tokens"] == 800
