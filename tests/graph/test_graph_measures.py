"""What is central, what belongs together, and where it stands in a picture."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import pinakes
from kits.linked import page, shelf
from kits.trees import write_tree
from pinakes.graph.layout import lay_out
from pinakes.graph.measures import SectionGraph, communities, components, section_ranks
from pinakes.records import DOCS, Outline, Ref


def outlines() -> list[Outline]:
    """Two rings of three documents, joined by one link; a hub that all of the first ring cite; one document alone."""
    return list(
        shelf(
            page("alone.md", headings=["Alone"]),
            page("hub.md", ["b/1.md"], headings=["Hub", "Setup", "Other"]),
            page("a/1.md", ["2.md", "../hub.md#setup"], headings=["One"]),
            page("a/2.md", ["3.md", "../hub.md#setup"]),
            page("a/3.md", ["1.md", "../hub.md#setup", "nowhere.md", "data.csv"]),
            page("b/1.md", ["2.md", "3.md"]),
            page("b/2.md", ["3.md", "1.md"]),
            page("b/3.md", ["1.md", "2.md"]),
            assets=["a/data.csv"],
        ).outlines(DOCS)
    )


def test_every_section_has_a_rank_and_one_is_the_average() -> None:
    given = outlines()
    ranks = section_ranks(given)
    assert {path: len(values) for path, values in ranks.items()} == {
        outline.ref.path: len(outline.sections) for outline in given
    }
    everything = [rank for values in ranks.values() for rank in values]
    assert min(everything) > 0
    assert abs(sum(everything) / len(everything) - 1.0) < 0.001


def test_what_many_sections_cite_ranks_above_its_siblings() -> None:
    _, hub, setup, other = section_ranks(outlines())["hub.md"]
    assert setup > 1.5 * other
    assert abs(hub - other) < 0.2


def test_a_focus_draws_rank_to_what_it_leads_to() -> None:
    given = outlines()
    plain, focused = section_ranks(given), section_ranks(given, [Ref(DOCS, "a/1.md")])
    assert focused["a/2.md"][0] > plain["a/2.md"][0]
    assert focused["alone.md"] == (0.0, 0.0)
    one_section = section_ranks(given, [Ref(DOCS, "hub.md", "other")])
    assert one_section["hub.md"][3] > one_section["hub.md"][2]


def test_a_focus_on_nothing_known_is_no_focus() -> None:
    given = outlines()
    assert section_ranks(given, [Ref(DOCS, "gone.md"), Ref(DOCS, "hub.md", "gone")]) == section_ranks(given)


def test_rings_are_communities_and_links_join_components() -> None:
    given = outlines()
    together = communities(given)
    assert together["a/1.md"] == together["a/2.md"] == together["a/3.md"]
    assert together["b/1.md"] == together["b/2.md"] == together["b/3.md"]
    assert len({together["a/1.md"], together["b/1.md"], together["alone.md"]}) == 3
    assert {path for path, part in components(given).items() if part == 0} == set(together) - {"alone.md"}


def test_a_file_that_two_documents_refer_to_joins_them(tmp_path: Path) -> None:
    pages = {
        "a.md": "# A\n\n[code](src/x.py)\n",
        "b.md": "# B\n\nSee `src/x.py`.\n",
        "c.md": "# C\n\n![flow](flow.png)\n",
        "d.md": "---\nimage: flow.png\n---\n\n# D\n",
        "e.md": "# E\n",
        "src/x.py": "",
        "flow.png": "",
    }
    with pinakes.open(write_tree(tmp_path, pages)) as library:
        library.sync()
        assert library.map().components == {"a.md": 0, "b.md": 0, "c.md": 1, "d.md": 1, "e.md": 2}
        assert library.components() == library.map().components


def test_measures_do_not_depend_on_chance_and_leave_it_as_it_was() -> None:
    given = outlines()
    random.seed(7)
    state = random.getstate()
    first = (section_ranks(given), communities(given), lay_out(given))
    assert random.getstate() == state
    random.seed(8)
    assert (section_ranks(given), communities(given), lay_out(given)) == first


def test_nothing_has_no_ranks_and_an_empty_picture() -> None:
    assert (section_ranks([]), communities([]), components([])) == ({}, {}, {})
    assert lay_out([]).dots == ()


def test_a_picture_holds_the_documents_within_its_edges_the_most_cited_first() -> None:
    given = outlines()
    whole = lay_out(given)
    assert [dot.path for dot in whole.dots[:2]] == ["b/1.md", "hub.md"]
    assert (len(whole.dots), whole.left_out, lay_out(given, 4).left_out) == (8, 0, 4)
    assert [dot.path for dot in whole.dots if dot.community == -1] == ["alone.md"]
    assert all(0 <= dot.x <= whole.width and 0 <= dot.y <= whole.height for dot in whole.dots)
    assert len({(dot.x, dot.y) for dot in whole.dots}) == 8
    paths = [dot.path for dot in whole.dots]
    assert (paths.index("hub.md"), paths.index("b/1.md")) in whole.arcs
    assert len(whole.arcs) == 13


def test_closeness_is_the_sum_of_what_walks_from_each_centre_find() -> None:
    given = outlines()
    graph = SectionGraph(given)
    centres = ([Ref(DOCS, "a/1.md")], 1.0), ([Ref(DOCS, "hub.md", "other"), Ref(DOCS, "b/2.md")], 0.2)
    walks = [(section_ranks(given, focus), weight) for focus, weight in centres]
    found = graph.closeness(
        [([place for one in given for place in graph.sections_of(one, focus)], weight) for focus, weight in centres]
    )
    expected = {one.ref.path: sum(weight * sum(ranks[one.ref.path]) for ranks, weight in walks) for one in given}
    assert found == pytest.approx(expected, abs=0.01)
    assert SectionGraph([]).closeness([((), 1.0)]) == {}
