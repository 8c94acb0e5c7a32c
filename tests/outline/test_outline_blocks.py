"""Blocks: an edit in one file changes one of them, and an earlier map tells which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given

from outline.outlines import heading, outline, random_outlines, shelf
from pinakes.outline import MapRequest, changed_blocks, draw_map
from pinakes.records import Outline, Span

SHELF, RANKS = shelf(300, 2000, seed=1)


def changed(before: Sequence[Outline], after: Sequence[Outline], budget: int) -> int:
    """How many blocks differ."""
    first = draw_map(before, RANKS, MapRequest(budget)).block_digests()
    second = draw_map(after, RANKS, MapRequest(budget)).block_digests()
    return sum(first.get(called) != second.get(called) for called in first.keys() | second.keys())


def edited(page: Outline) -> Outline:
    """The same headings and links around longer text."""
    return replace(page, sections=tuple(replace(part, lines=Span(0, part.lines.length + 3)) for part in page.sections))


def with_heading(page: Outline) -> Outline:
    """One heading more at the end."""
    new = heading(2, "Something new", lines=9)
    return replace(page, sections=(*page.sections, new), cited_sections=(*page.cited_sections, 0))


def every_seventh() -> list[int]:
    return list(range(0, len(SHELF), 7))


@pytest.mark.parametrize("budget", [0, 6000])
def test_longer_text_in_one_file_changes_at_most_its_block(budget: int) -> None:
    for place in every_seventh():
        assert changed(SHELF, [*SHELF[:place], edited(SHELF[place]), *SHELF[place + 1 :]], budget) <= 1


def test_a_new_heading_changes_one_block_of_a_whole_map() -> None:
    for place in every_seventh():
        assert changed(SHELF, [*SHELF[:place], with_heading(SHELF[place]), *SHELF[place + 1 :]], 0) == 1


def test_a_new_heading_nearly_always_changes_at_most_one_block_of_a_fitted_map() -> None:
    counts = [
        changed(SHELF, [*SHELF[:place], with_heading(SHELF[place]), *SHELF[place + 1 :]], 6000)
        for place in every_seventh()
    ]
    assert sum(count <= 1 for count in counts) > 0.85 * len(counts)


def test_only_changed_and_new_blocks_come_back_and_vanished_ones_are_named() -> None:
    folders = [[outline(f"{name}/{n}.md", [heading(1, f"{name} {n}")]) for n in range(20)] for name in "abcd"]
    before = draw_map([page for folder in folders[:3] for page in folder], {}, MapRequest())
    folders[1][3] = outline("b/3.md", [heading(1, "Renamed")])
    after = draw_map([page for folder in folders[1:] for page in folder], {}, MapRequest())
    since = changed_blocks(after, before.block_digests())
    assert [block.id for block in since.blocks] == ["b/", "d/"]
    assert "# Renamed" in since.text()
    assert since.text().endswith("gone: a/")
    assert since.hash == after.hash != before.hash


def test_nothing_changed_is_said() -> None:
    drawn = draw_map(SHELF, RANKS, MapRequest(2000))
    assert changed_blocks(drawn, drawn.block_digests()).text() == "nothing changed"


def test_a_large_folder_is_several_blocks_and_a_new_file_changes_one() -> None:
    pages = [outline(f"pages/{n:04}.md", [heading(1, f"Page {n}")]) for n in range(400)]
    first = draw_map(pages, {}, MapRequest()).block_digests()
    second = draw_map([*pages, outline("pages/0200b.md")], {}, MapRequest()).block_digests()
    assert len(first) > 8
    assert sum(first[called] != second.get(called) for called in first) == 1


def test_small_folders_share_the_block_of_the_folder_above() -> None:
    pages = [outline(f"area{n}/part{m}/index.md") for n in range(9) for m in range(4)]
    assert list(draw_map(pages, {}, MapRequest()).block_digests()) == [f"area{n}/" for n in range(9)]


@given(random_outlines())
def test_block_ids_are_unique_and_blocks_hold_every_line(outlines: list[Outline]) -> None:
    for budget in (0, 80, 300):
        drawn = draw_map(outlines, {}, MapRequest(budget))
        assert len(drawn.block_digests()) == len(drawn.blocks)
        head = [line for line in (drawn.legend, *drawn.aliases) if line]
        lines = [line for block in drawn.blocks for line in block.text.split("\n")]
        assert "\n".join([*head, *lines, *drawn.notes]) == drawn.text()
