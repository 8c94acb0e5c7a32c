"""An index that is being built says which share of its documents it has, and calls no word unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.errors import NotFound
from pinakes.index import share_indexed
from pinakes.index.plan import BUILDING
from pinakes.index.sync import ONE_TRANSACTION
from pinakes.records import Change, Event, Phase


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    pages = {f"{number}.md": f"# Page {number}\n\nwater{number}\n" for number in range(5 * ONE_TRANSACTION)}
    return write_tree(tmp_path / "root", pages)


def after_a_batch(event: Event) -> None:
    if event.phase is Phase.READING and event.done > 4 * ONE_TRANSACTION + 1:
        raise Interrupted


def test_an_interrupted_first_sync_leaves_a_part_that_says_so_and_the_next_one_ends_it(root: Path) -> None:
    with pinakes.open(root, {"keywords.enabled": False, "sync.workers": 1}) as library:
        with pytest.raises(Interrupted):
            library.sync(progress=after_a_batch)
        found = library.search("water1 zyzzyva")
        assert found.missing == ("part of the documents: 2,000 of 2,500 documents are indexed so far",)
        assert found.unknown == ()
        assert "2,000 of 2,500 documents are indexed so far" in library.map_text().text
        library.corpus().refresh(["1.md"])  # a look at one path is not enough
        assert share_indexed(library.corpus().store, "docs") is None
        assert library.search("water2499").hits
        assert library.search("zyzzyva").missing == ()


def test_what_is_not_there_yet_is_not_simply_not_found(root: Path) -> None:
    with pinakes.open(root, {"keywords.enabled": False, "sync.workers": 1}) as library:
        with pytest.raises(Interrupted):
            library.sync(progress=after_a_batch)
        with pytest.raises(NotFound, match="documents are indexed so far"):
            library.read("nowhere.md")


def test_a_rebuild_that_is_interrupted_leaves_nothing_behind(root: Path) -> None:
    with pinakes.open(root, {"keywords.enabled": False, "sync.workers": 1}) as library:
        library.sync()
        with pytest.raises(Interrupted):
            library.sync(rebuild=True, progress=after_a_batch)
        assert list(library.config.store.glob("set-aside-*")) == []
        (library.config.store / "set-aside-20260101-000000").mkdir()  # of one that was killed
        library.sync()
        assert list(library.config.store.glob("set-aside-*")) == []


def test_a_mark_that_nobody_wrote_is_no_number(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "# A\n"})
    with pinakes.open(root) as library:
        library.sync()
        library.corpus().store.write(Change(settings={BUILDING: "many"}))
        assert library.search("a").missing == ("part of the documents: 1 documents are indexed so far",)
