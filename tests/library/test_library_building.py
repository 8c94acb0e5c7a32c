"""An index that is being built says which share of its documents it has, and calls no word unknown."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import pinakes
from kits.endpoint import Heard, Reply, honest, serving
from kits.scratch import ScratchStore
from kits.trees import write_tree
from pinakes.errors import NotFound
from pinakes.index import SyncOptions, share_indexed
from pinakes.index.plan import BUILDING, KEYWORDS
from pinakes.index.sync import ONE_TRANSACTION, sync
from pinakes.records import Change, Event, Phase
from pinakes.sources import FolderSource


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    pages = {f"{number}.md": f"# Page {number}\n\nwater{number}\n" for number in range(5 * ONE_TRANSACTION)}
    return write_tree(tmp_path / "root", pages)


def after_a_batch(event: Event) -> None:
    if event.phase is Phase.READING and event.done > 4 * ONE_TRANSACTION + 1:
        raise Interrupted


def at_the_first_page(event: Event) -> None:
    if event.phase is Phase.READING:
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


def test_every_write_of_a_first_sync_but_the_last_leaves_a_part(root: Path) -> None:
    shares: list[tuple[int, int] | None] = []

    class Written(ScratchStore):
        def write(self, change: Change) -> None:
            super().write(change)
            shares.append(share_indexed(self, "docs"))

    sync(FolderSource(root), Written(), options=SyncOptions(workers=1))
    assert shares[0] == (0, 2500)
    assert None not in shares[:-1]
    assert shares[-1] is None


def rebuilding(root: Path) -> Callable[[Heard], Reply]:
    """A model that lets another process begin to rebuild the index when it is asked for the vector of a question."""

    def answer(heard: Heard) -> Reply:
        if heard.texts == ["water1"]:
            with pinakes.open(root, {"keywords.enabled": False, "sync.workers": 1}) as other, suppress(Interrupted):
                other.sync(rebuild=True, progress=at_the_first_page)
        return honest(heard)

    return answer


def test_an_answer_is_of_one_index_when_another_takes_its_place_meanwhile(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {f"{number}.md": f"water{number}\n" for number in range(ONE_TRANSACTION + 1)})
    with (
        serving(rebuilding(root)) as model,
        pinakes.open(root, {"keywords.enabled": False, "neural.model": model.address}) as library,
    ):
        library.sync()
        found = library.search("water1")
    assert found.missing == ("part of the documents: 0 of 501 documents are indexed so far",)
    assert found.unknown == ()


def test_an_index_that_no_sync_has_begun_to_fill_is_not_whole_whatever_else_was_written_to_it(root: Path) -> None:
    with pinakes.open(root, {"keywords.enabled": False}) as library:
        library.corpus().store.write(Change(settings={KEYWORDS: "of the index before"}))
        found = library.search("water1")
    assert found.missing == ("part of the documents: 0 documents are indexed so far",)
    assert found.unknown == ()
