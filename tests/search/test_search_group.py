"""Hits of one page stand together where that is asked for, at every door."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import pytest

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.records import Query, Results
from pinakes.render import results_text
from pinakes.serve.requests.parameters import Doors, parse
from pinakes.serve.requests.questions import SearchRequest
from pinakes.serve.web.forms import filters_html, request_of
from pinakes.serve.web.places import Places
from pinakes.serve.web.results import results_html

TREE = {
    "lamps.md": "# Lamps\n\nTrim the wick of a lamp.\n\n## Oil\n\nA lamp burns oil.\n\n"
    "## Glass\n\nClean the glass of the lamp.\n",
    "keepers.md": "# Keepers\n\nA keeper trims the wick of the lamp every evening.\n\n"
    "## Boats\n\nThe boat comes on Mondays.\n",
} | {f"fill/{number}.md": f"# Subject {number}\n\nNothing to see in {number}.\n" for number in range(12)}
QUESTION = "who trims the wick of the lamp"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with pinakes.open(write_tree(tmp_path_factory.mktemp("library"), TREE)) as opened:
        opened.sync()
        yield opened


def order(found: Results) -> list[str]:
    return [path for path, _ in groupby(hit.ref.path for hit in found.hits)]


def test_pages_keep_their_order_and_every_hit(library: Library) -> None:
    apart, together = (library.search(Query(QUESTION, limit=4, group=group)) for group in (False, True))

    assert order(apart) == ["lamps.md", "keepers.md", "lamps.md"]
    assert order(together) == ["lamps.md", "keepers.md"]
    assert {hit.ref for hit in together.hits} == {hit.ref for hit in apart.hits}
    assert together.hits[0] == apart.hits[0]


def test_a_terminal_shows_the_path_once(library: Library) -> None:
    text = results_text(library.search(Query(QUESTION, limit=4, group=True)), explain=False)

    assert [line.partition("  ")[0] for line in text.splitlines() if line[:1].isdigit()] == [
        "1. lamps.md:1-3",
        "2. keepers.md:1-3",
    ]
    assert "   :5-7  Lamps › Oil" in text


def test_the_page_and_models_get_groups_unless_they_ask_for_none(library: Library) -> None:
    for door, is_grouped in ((Doors.PAGE, True), (Doors.MCP, True), (Doors.HTTP, False), (Doors.CLI, False)):
        assert parse(SearchRequest, {"query": QUESTION}, door).record(library).group is is_grouped
    assert not parse(SearchRequest, {"query": QUESTION, "group": False}, Doors.MCP).record(library).group


def test_the_form_of_the_page_can_switch_groups_off() -> None:
    html = str(filters_html({"group": "false"}))

    assert (
        '<select name="group" form="pk-search"><option value="">yes</option><option value="false" selected>no' in html
    )
    assert not request_of({"query": "x", "group": "false"}, SearchRequest).group


def test_the_page_draws_one_list_entry_for_a_page(library: Library) -> None:
    html = str(results_html(library.search(Query(QUESTION, limit=4, group=True)), Places("x"), "", 0.0))

    assert html.count('class="page"') == 1
    assert html.count("data-hit") == 4
