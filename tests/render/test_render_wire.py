"""The one JSON shape."""

from __future__ import annotations

import json

import pytest

from pinakes.records import (
    DOCS,
    Connections,
    Counts,
    Edge,
    Event,
    Failure,
    Kind,
    Link,
    LinkForm,
    Outcome,
    Passage,
    Phase,
    Ref,
    Report,
    Section,
    Shape,
    Span,
    Status,
)
from pinakes.render import Json, connections_text, dumps, wire

GUIDE = Ref(DOCS, "guide/auth.md", "tokens")
LINK = Link(0, 2, Span(10, 30), 4, LinkForm.WIKILINK, "auth#tokens", "tokens")


def test_a_link_is_one_flat_object_with_printed_addresses() -> None:
    assert wire(Edge(Ref(DOCS, "a.md", "top"), LINK, GUIDE, Outcome.FOUND)) == {
        "from": "docs:a.md#top",
        "line": 5,
        "text": "tokens",
        "target": "auth#tokens",
        "form": "wikilink",
        "relation": "links_to",
        "outcome": "found",
        "to": "docs:guide/auth.md#tokens",
        "candidates": [],
    }


def test_a_loose_end_points_to_null_and_names_its_candidates() -> None:
    data = wire(Edge(Ref(DOCS, "a.md"), LINK, None, Outcome.AMBIGUOUS, ("x/auth.md", "y/auth.md")))
    assert isinstance(data, dict)
    assert data["to"] is None
    assert data["candidates"] == ["x/auth.md", "y/auth.md"]


def test_connections_say_what_stands_around_each_link() -> None:
    out, back = Edge(GUIDE, LINK, GUIDE, Outcome.FOUND), Edge(Ref(DOCS, "b.md"), LINK, GUIDE, Outcome.FOUND)
    data = wire(Connections(GUIDE, (out,), (back,), ("see tokens here", "old tokens expire\x1b")))
    assert data == {
        "ref": "docs:guide/auth.md#tokens",
        "outgoing": [{**as_object(wire(out)), "around": "see tokens here"}],
        "incoming": [{**as_object(wire(back)), "around": "old tokens expire\x1b"}],
    }
    text = connections_text(Connections(GUIDE, (out,), (back,), ("see tokens here", "old tokens expire\x1b")))
    assert text.splitlines()[2::2] == ["      see tokens here", "      old tokens expire\\x1b"]
    assert len(connections_text(Connections(GUIDE, (out,), (back,))).splitlines()) == 3


def as_object(data: Json) -> dict[str, Json]:
    assert isinstance(data, dict)
    return data


def test_a_passage_counts_lines_from_one_and_bytes_from_zero() -> None:
    passage = Passage(GUIDE, "Auth", ("Auth", "Tokens"), Kind.GUIDE, Span(11, 30), Span(200, 480), "…", "d1")
    assert wire(passage) == {
        "ref": "docs:guide/auth.md#tokens",
        "path": "guide/auth.md",
        "title": "Auth",
        "trail": ["Auth", "Tokens"],
        "kind": "guide",
        "lines": "12-30",
        "span": [200, 480],
        "digest": "d1",
        "text": "…",
    }


def test_any_record_follows_the_same_rules() -> None:
    section = Section("a", "A", 1, 0, Span(0, 40), Span(0, 3), shapes=(Shape.TABLE,))
    assert wire([section]) == [
        {
            "anchor": "a",
            "title": "A",
            "level": 1,
            "parent": 0,
            "span": [0, 40],
            "lines": "1-3",
            "aliases": [],
            "shapes": ["table"],
            "keywords": [],
            "symbol": None,
        }
    ]


def test_a_report_tells_what_moved_what_failed_and_what_was_odd() -> None:
    failed = Failure(Ref(DOCS, "big.md"), "v1", "It is too large.", "Raise max_file_bytes.")
    report = Report(
        (GUIDE.document,), ((Ref(DOCS, "old.md"), Ref(DOCS, "new.md")),), (), 7, (failed,), ((GUIDE, "odd"),), 0.12345
    )
    assert wire(report) == {
        "put": ["docs:guide/auth.md"],
        "moved": [{"from": "docs:old.md", "to": "docs:new.md"}],
        "dropped": [],
        "unchanged": 7,
        "failed": [
            {
                "ref": "docs:big.md",
                "path": "big.md",
                "reason": "It is too large.",
                "next_step": "Raise max_file_bytes.",
            }
        ],
        "warnings": [{"ref": "docs:guide/auth.md#tokens", "warning": "odd"}],
        "seconds": 0.123,
    }


def test_progress_has_no_total_while_it_is_unknown() -> None:
    assert wire(Event(Phase.SCANNING, 3, 0)) == {"phase": "scanning", "done": 3, "total": None, "path": ""}


def test_status_holds_counts_and_warnings_by_name() -> None:
    counts = Counts(1, 2, 3, 4, 5, 6, 7, 8)
    status = Status(
        "/r",
        "/r/.pinakes",
        DOCS,
        9,
        counts,
        (),
        ((GUIDE, "odd"),),
        "done",
        keywords_available=True,
        keywords_message="",
        embedder="none",
        store_bytes=10,
        is_read_only=False,
    )
    data = wire(status)
    assert isinstance(data, dict)
    assert data["counts"] == dict(
        zip(
            (
                "documents",
                "sections",
                "links",
                "assets",
                "failures",
                "pending_links",
                "pending_keywords",
                "source_bytes",
            ),
            range(1, 9),
            strict=True,
        )
    )
    assert data["warnings"] == [{"ref": "docs:guide/auth.md#tokens", "warning": "odd"}]


def test_undecodable_names_never_reach_the_output_raw() -> None:
    text = dumps(wire({"ref": Ref(DOCS, "caf\udce9.md"), "path": "caf\udce9.md"}))
    assert text == '{"ref":"docs:caf%E9.md","path":"caf\\\\udce9.md"}'
    text.encode()


def test_json_is_one_line_or_indented_and_keeps_letters_as_they_are() -> None:
    assert dumps({"a": ["ü", 1]}) == '{"a":["ü",1]}'
    assert dumps({"a": ["ü", 1]}, indent=2) == '{\n  "a": [\n    "ü",\n    1\n  ]\n}'
    assert json.loads(dumps(wire(frozenset({"b", "a"})))) == ["a", "b"]


@pytest.mark.parametrize("value", [b"bytes", object()])
def test_what_has_no_shape_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be put on a wire"):
        wire({"deep": [value]})
