"""Documents nothing leads to."""

from __future__ import annotations

from kits.linked import page, shelf
from pinakes.check import check
from pinakes.records import DOCS


def test_a_document_nothing_links_to_is_a_warning_on_its_first_line() -> None:
    (finding,) = check(shelf(page("lost.md", ["#top"])), DOCS)
    assert (finding.code, finding.severity, str(finding.ref), finding.line) == ("orphan", "warning", "docs:lost.md", 1)


def test_whatever_is_linked_or_opens_a_folder_is_no_orphan() -> None:
    store = shelf(
        page("README.md", ["a.md", "b.md#part"]),
        page("a.md"),
        page("b.md", headings=["Part"]),
        page("c/index.md"),
        page("d/_index.md"),
    )
    assert check(store, DOCS) == ()


def test_drawings_plain_text_and_assets_are_no_orphans() -> None:
    assert check(shelf(page("flow.svg"), page("robots.txt"), assets=["a.png"]), DOCS) == ()


def test_a_link_from_the_document_itself_does_not_count() -> None:
    assert [finding.ref.path for finding in check(shelf(page("a.md", ["a.md"])), DOCS)] == ["a.md"]
