"""A budget is a hard limit, and what is left out is counted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from outline.outlines import heading, outline, random_outlines, shelf
from pinakes.outline import Map, MapRequest, changed_blocks, draw_map
from pinakes.outline.lines import title_place
from pinakes.records import Outline, Section, Span, formats
from pinakes.tokens import count_tokens

SHELF, RANKS = shelf(150, 900)


def checked(outlines: Sequence[Outline], ranks: Mapping[str, Sequence[float]], budget: int) -> Map:
    """A map that keeps every promise about budgets."""
    drawn = draw_map(outlines, ranks, MapRequest(budget))
    text = drawn.text()
    assert count_tokens(text) <= budget
    assert drawn.tokens == count_tokens(text)
    for file in (block.file for block in drawn.blocks):
        shown = set(file.sections)
        known = shown | {0, title_place(file.outline)}
        assert all(file.outline.sections[place].parent in known for place in shown)
        assert file.hidden + len(shown) == len(file.outline.sections) - 1
    if drawn.folders:
        missing = sum(one.hidden for one in drawn.folders)
        assert drawn.shown_documents + missing == drawn.total_documents == len(outlines)
    return drawn


@given(random_outlines(), st.integers(1, 700), st.randoms(use_true_random=False))
def test_no_map_of_strange_documents_is_over_its_budget(outlines: list[Outline], budget: int, dice: object) -> None:
    ranks = {page.ref.path: [1.0 / (place + 1) for place in range(len(page.sections))] for page in outlines[::2]}
    checked(outlines, ranks, budget)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 30_000))
def test_no_map_of_a_large_repository_is_over_its_budget(budget: int) -> None:
    checked(SHELF, RANKS, budget)


@pytest.mark.parametrize("budget", range(1, 60))
def test_the_smallest_budgets_hold_too(budget: int) -> None:
    checked(SHELF, RANKS, budget)


def test_printed_counts_add_up_to_everything() -> None:
    drawn = checked(SHELF, RANKS, 3000)
    left_out = sum(int(count) for count in re.findall(r"\.md.* …(\d+)$", drawn.text(), re.MULTILINE))
    assert drawn.shown_sections + left_out == sum(len(block.file.outline.sections) - 1 for block in drawn.blocks)
    files_left_out = sum(int(count) for count in re.findall(r"/ …(\d+)$", drawn.text(), re.MULTILINE))
    assert drawn.shown_documents + files_left_out == len(SHELF)
    assert drawn.notes == (
        f"shown: {drawn.shown_sections} of {drawn.total_sections} sections, {drawn.shown_documents} of 150 files",
    )


def test_a_budget_is_used_and_not_only_kept() -> None:
    for budget in (500, 1500, 4000, 8000, 16_000):
        assert checked(SHELF, RANKS, budget).tokens > 0.97 * budget


def test_a_budget_of_few_tokens_for_each_file_names_files_before_headings() -> None:
    outlines, ranks = shelf(600, 4800)
    few, many = (draw_map(outlines, ranks, MapRequest(budget)) for budget in (400, 6000))

    assert 2 * few.shown_sections / few.shown_documents < many.shown_sections / many.shown_documents


def test_the_best_ranked_section_survives_with_its_ancestors() -> None:
    pages = [
        outline(f"{n}.md", [heading(1, f"Top {n}"), heading(2, f"Middle {n}"), heading(3, f"Deep {n}")])
        for n in range(60)
    ]
    ranks = {page.ref.path: [0.1] * 4 for page in pages} | {"42.md": [0.1, 0.1, 0.1, 9.0]}
    text = checked(pages, ranks, 120).text()
    assert re.search(r"42\.md.*\n(  # Top 42.*\n)?    ## Middle 42.*\n      ### Deep 42", text)
    assert "Deep 7" not in text


def test_detail_is_bought_line_by_line() -> None:
    pages = [
        outline(
            f"docs/{n}.md",
            [heading(1, f"Title {n}", keywords=["alpha one", "beta two", "gamma three"])],
            references=[(1, "src/main.py")],
        )
        for n in range(20)
    ]
    whole = draw_map(pages, {}, MapRequest())
    assert checked(pages, {}, whole.tokens).text() == whole.text()
    for less in (10, 100, 250):
        text = checked(pages, {}, whole.tokens - less).text()
        assert whole.tokens - less - count_tokens(text) < 0.03 * whole.tokens + 12
        assert 0 < text.count("beta two") <= 20
    assert 0 < checked(pages, {}, whole.tokens - 100).text().count("→ src") < 20


def test_keywords_are_bought_first_where_headings_repeat() -> None:
    pages = [
        outline(f"docs/{n}.md", [heading(2, f"About {n}", keywords=["own"]), heading(2, "Recap", keywords=["same"])])
        for n in range(50)
    ]
    text = checked(pages, {}, draw_map(pages, {}, MapRequest()).tokens - 120).text()
    assert text.count("Recap (same)") == 50
    assert text.count("(own)") < 50


def test_a_file_is_judged_by_all_its_sections() -> None:
    pages = [outline(f"stub{n}.md") for n in range(40)]
    pages.append(outline("long.md", [heading(2, f"Part {n}", lines=20) for n in range(20)]))
    ranks = {page.ref.path: [1.0] * len(page.sections) for page in pages}
    assert "long.md" in checked(pages, ranks, 60).text()


def test_folders_are_named_even_when_nothing_in_them_is_shown() -> None:
    text = checked(SHELF, RANKS, 400).text()
    assert re.search(r"^ +\S+/ …\d+$", text, re.MULTILINE)


@given(random_outlines(), st.integers(1, 300))
def test_what_changed_stays_within_the_budget_too(outlines: list[Outline], budget: int) -> None:
    earlier = {f"{name}/": "" for name in range(40)}
    assert changed_blocks(draw_map(outlines, {}, MapRequest(budget)), earlier).tokens <= budget


def test_headings_that_look_like_signs_do_not_cost_sections() -> None:
    plain = [outline(f"{n}.md", [heading(2, f"Some heading {n}")]) for n in range(200)]
    signed = [outline(f"{n}.md", [heading(2, f"Some (heading) > {n}")]) for n in range(200)]
    assert checked(plain, {}, 600).shown_documents > 20
    assert checked(signed, {}, 600).shown_documents > 20


def test_a_drawing_shows_as_many_labels_as_are_worth_it_and_counts_the_others() -> None:
    labels = [f"Label{number}" for number in range(40)]
    drawing = replace(
        outline("flow.svg", root=Section("", "", 0, -1, Span(0, 100), Span(0, 3), keywords=tuple(labels))),
        media=formats.SVG,
    )
    pages = [drawing, *(outline(f"p{number}.md", [heading(1, f"Page {number}")]) for number in range(6))]
    whole = draw_map(pages, {}, MapRequest())
    assert f"flow.svg ({', '.join(labels)})" in whole.text()
    found: set[str] = set()
    for budget in range(20, whole.tokens, 3):
        text = checked(pages, {}, budget).text()
        found.update(line for line in text.splitlines() if line.startswith("flow.svg ("))
    assert {"flow.svg (Label0, Label1 …38)", f"flow.svg ({', '.join(labels[:8])} …32)"} <= found
