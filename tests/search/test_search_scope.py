"""A filter that lets hardly anything through is applied before the best are chosen, not after."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kit import write_tree
from pinakes.records import Filter, Query

DOCUMENTS = 1_000
LIMIT = 5


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand documents on one subject, of which the one in `rare/` says least about it, in many sections."""
    ships = ("brig", "sloop", "ketch", "yawl", "cutter", "lugger", "galley")
    tree = {
        f"usual/{number:04}.md": f"# Harbour {number}\n\nHarbour dues for ship {number} in the harbour: the harbour "
        f"master of harbour {number} asks {number * 7} coins from each {ships[number % len(ships)]}.\n"
        for number in range(DOCUMENTS - 1)
    }
    sections = (
        f"## Mooring {ship}\n\nAmong many other things that are told of the {ship}, of its sails and its crew of "
        f"{number + 3}, the harbour and its dues are named once, in passing and at the end.\n\n"
        for number, ship in enumerate(ships)
    )
    root = write_tree(tmp_path_factory.mktemp("shelf"), {**tree, "rare/only.md": "# Notes\n\n" + "".join(sections)})
    with pinakes.open(root, {"keywords.enabled": False}) as library:
        assert len(library.sync().put) == DOCUMENTS
    return root


@pytest.mark.parametrize("profile", ["fast", "balanced"])
def test_a_path_that_holds_a_thousandth_still_gives_as_many_hits_as_asked_for(shelf: Path, profile: str) -> None:
    with pinakes.open(shelf, {"keywords.enabled": False}) as library:
        usual = library.search(Query("harbour dues", limit=LIMIT, profile=profile))
        rare = library.search(Query("harbour dues", Filter(paths=("rare",)), limit=LIMIT, profile=profile))
    assert all(hit.ref.path.startswith("usual/") for hit in usual.hits)  # or the filter would have nothing to do
    assert [hit.ref.path for hit in rare.hits] == ["rare/only.md"] * LIMIT
