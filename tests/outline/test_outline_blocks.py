"""Blocks: an edit in one file changes one of them, and an earlier map tells which."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from msgspec.structs import replace

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


@pytest.mark.parametrize("edit", [edited, with_heading])
def test_an_edit_changes_one_block_of_a_whole_map(edit: Callable[[Outline], Outline]) -> None:
    for place in every_seventh():
        assert changed(SHELF, [*SHELF[:place], edit(SHELF[place]), *SHELF[place + 1 :]], 0) <= 1


@pytest.mark.parametrize("edit", [edited, with_heading])
def test_an_edit_nearly_always_changes_at_most_one_block_of_a_fitted_map(edit: Callable[[Outline], Outline]) -> None:
    counts = [
        changed(SHELF, [*SHELF[:place], edit(SHELF[place]), *SHELF[place + 1 :]], 6000) for place in every_seventh()
    ]
    assert sum(count <= 1 for count in counts) > 0.85 * len(counts)


def test_only_changed_and_new_blocks_come_back_and_vanished_ones_are_named() -> None:
    folders = [[outline(f"{name}/{n}.md", [heading(1, f"{name} {n}")]) for n in range(20)] for name in "abcd"]
    before = draw_map([page for folder in folders[:3] for page in folder], {}, MapRequest())
    folders[1][3] = outline("b/3.md", [heading(1, "Renamed")])
    after = draw_map([page for folder in folders[1:] for page in folder], {}, MapRequest())
    since = changed_blocks(after, before.block_digests())
    assert [block.id for block in since.blocks] == ["b/3.md", *(f"d/{n}.md" for n in sorted(range(20), key=str))]
    assert "b/\n  3.md\n    # Renamed\nd/\n" in since.text()
    assert "a/12.md" in since.gone
    assert since.hash != after.hash != before.hash


def test_nothing_changed_is_said() -> None:
    drawn = draw_map(SHELF, RANKS, MapRequest(2000))
    assert changed_blocks(drawn, drawn.block_digests()).text() == "nothing changed"


def test_a_word_in_the_text_changes_no_structure_and_a_heading_or_a_link_does() -> None:
    def structures(page: Outline) -> tuple[str, str]:
        (block,) = draw_map([page], {}, MapRequest()).blocks
        return block.digest, block.structure

    page = outline("a.md", [heading(1, "A"), heading(2, "B", lines=9, keywords=["one"])], references=[(2, "b.md")])
    longer = edited(page)
    reworded = replace(page, sections=(*page.sections[:2], replace(page.sections[2], keywords=("two",))))
    relinked = replace(page, references=())
    text, structure = structures(page)
    assert structures(longer)[0] != text
    assert structures(reworded)[0] != text
    assert structures(longer)[1] == structures(reworded)[1] == structure
    assert len({structure, structures(relinked)[1], structures(with_heading(page))[1]}) == 3


def test_structure_is_of_the_whole_document_whatever_is_shown() -> None:
    whole = {block.id: block.structure for block in draw_map(SHELF, RANKS, MapRequest()).blocks}
    assert all(whole[block.id] == block.structure for block in draw_map(SHELF, RANKS, MapRequest(2000)).blocks)


@given(random_outlines())
def test_block_ids_are_unique_and_blocks_stand_in_the_text(outlines: list[Outline]) -> None:
    for budget in (0, 80, 300):
        drawn = draw_map(outlines, {}, MapRequest(budget))
        assert len(drawn.block_digests()) == len(drawn.blocks)
        text = drawn.text()
        for block in drawn.blocks:
            first = block.text.partition("\n")[0]
            assert any(line.endswith(first) for line in text.split("\n"))
