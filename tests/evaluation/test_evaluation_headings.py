"""A judged heading and a hit's anchor find the same section, however written; a hit counts for what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.evaluation.headings import Headings
from pinakes.evaluation.questions import load_questions
from pinakes.records import DOCS, Ref, Span

LONG = "This sentence is long enough to count as text of its own."


def headings(folder: Path, text: str) -> Headings:
    write_tree(folder, {"a.md": text})
    with pinakes.open(folder) as library:
        library.sync()
        document = library.corpus().store.document(Ref(DOCS, "a.md"))
    assert document is not None
    return Headings(document)


@pytest.mark.parametrize("name", ["the-tokens", "#the-tokens", "tok", "The-Tokens"])
def test_an_anchor_an_explicit_id_and_a_slug_mean_the_same_section(tmp_path: Path, name: str) -> None:
    found = headings(tmp_path, f"# Title\n\n{LONG}\n\n## The Tokens {{#tok}}\n\n{LONG}\n")
    assert found.find(name) == 2


def test_a_heading_without_text_stands_for_the_section_after_it(tmp_path: Path) -> None:
    found = headings(tmp_path, f"# Title\n\n## Steps\n\nShort.\n\n### First\n\n{LONG}\n\n## End\n")
    assert [found.find(name) for name in ("title", "steps", "first", "end")] == [3, 3, 3, 4]


def test_a_hit_on_a_bare_heading_counts_for_the_next_section_only_where_it_shows_its_text(tmp_path: Path) -> None:
    found = headings(tmp_path, f"# Title\n\n{LONG}\n\n## Steps\n\n### First\n\n{LONG} {LONG}\n")
    steps, first = found.document.own(2), found.document.own(3)
    read_on = Span(steps.start, first.start + len("### First\n\n") + len(LONG))
    assert found.find("steps") == 3
    assert [found.shown("steps", span) for span in (steps, read_on, Span(steps.start, first.end))] == [2, 3, 3]
    assert found.shown("first", Span(first.start, first.start + 5)) == 3  # a section with text is what it is called
    assert found.shown("nowhere", steps) is None


def test_a_comment_is_no_text(tmp_path: Path) -> None:
    found = headings(tmp_path, f"# Title\n\n<!-- {LONG}\n{LONG} -->\n\n## Next\n\n{LONG}\n")
    assert found.find("title") == 2


def test_nothing_means_what_stands_before_the_first_heading(tmp_path: Path) -> None:
    assert headings(tmp_path, f"Hello.\n\n# Title\n\n{LONG}\n").find("") == 0


def test_nothing_means_the_first_heading_when_nothing_stands_before_it(tmp_path: Path) -> None:
    assert headings(tmp_path, f"---\ntitle: T\n---\n# Title\n\n{LONG}\n").find("") == 1


def test_frontmatter_before_a_lower_heading_is_a_beginning_of_its_own(tmp_path: Path) -> None:
    found = headings(tmp_path, f"---\ntitle: My Page\n---\n\n## Part\n\n{LONG}\n")
    assert (found.find(""), found.find("my-page"), found.find("part")) == (0, 0, 1)


def test_underlined_headings_have_text_below_the_line(tmp_path: Path) -> None:
    assert headings(tmp_path, f"Title\n=====\n\nNext\n----\n\n{LONG}\n").find("title") == 2


def test_an_unknown_heading_is_nowhere(tmp_path: Path) -> None:
    assert headings(tmp_path, f"# Title\n\n{LONG}\n").find("other") is None


def test_a_badge_behind_a_heading_is_no_part_of_its_name(tmp_path: Path) -> None:
    assert (
        headings(tmp_path, f"# Title\n\n{LONG}\n\n## config.entries <Badge />\n\n{LONG}\n").find("configentries") == 2
    )


def test_every_judged_section_of_a_real_set_is_found(laid_out: Path, tmp_path: Path) -> None:
    place = laid_out / "docs-dev"
    lost = []
    with pinakes.open(place / "corpus", {"store": tmp_path / "store", "keywords.enabled": False}) as library:
        library.sync()
        known: dict[str, Headings] = {}
        for question in load_questions(place):
            for one in question.relevant:
                if one.path not in known:
                    document = library.corpus().store.document(Ref(DOCS, one.path))
                    assert document is not None
                    known[one.path] = Headings(document)
                if known[one.path].find(one.heading) is None:
                    lost.append(f"{one.path}#{one.heading}")
    assert lost == []
