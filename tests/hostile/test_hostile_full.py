"""A disk that is full at any point of a sync: the cause is named, the old state is there and answers, and with room
again the next sync finishes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import pinakes
from kits.damage import answers, laid_out_library, rebuilt
from kits.hostile import Wish, one_line
from kits.hostile import pinakes as run
from kits.small_disk import leave, small_disk
from kits.trees import write_tree
from pinakes.errors import PinakesError
from pinakes.records import Query

POINTS = int(os.environ.get("PINAKES_FULL", "20"))
MEGABYTES = 12
STEP = 60_000
NEW = {f"new/{number}.md": f"# New {number}\n\n{f'Quokka {number} and words. ' * 400}\n" for number in range(60)}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", MEGABYTES) as place:
        yield place


def test_a_disk_that_is_full_at_any_point_of_a_sync_is_named_and_nothing_is_lost(tmp_path: Path, disk: Path) -> None:
    root, store = laid_out_library(tmp_path / "root"), disk / "index"
    with pinakes.open(root, {"store": store}) as library:
        library.sync()
        before = answers(library)
        old = [hit.text for hit in library.search(Query("word17", limit=1)).hits]
    write_tree(root, NEW)
    after = rebuilt(root, tmp_path / "scratch")
    shutil.rmtree(root / "new")
    failed = 0
    for point in range(POINTS):
        write_tree(root, NEW)
        leave(disk, point * STEP)
        with pinakes.open(root, {"store": store}) as library:
            try:
                library.sync()
            except PinakesError as error:
                failed += 1
                assert "disk" in str(error).lower() or "No space left" in str(error), error
                assert error.next_step
        with pinakes.open(root, {"store": store}) as library:  # nothing is compared, and the disk is still full
            found = library.search(Query("word17", limit=1))
            assert [hit.text for hit in found.hits] == old or found.missing
            assert "Details" in library.read("colour/page-4.md").text
        (disk / "filler").unlink()
        with pinakes.open(root, {"store": store}) as library:
            library.sync()
            assert answers(library) == after
            assert all(one.is_sound for one in library.doctor())
        shutil.rmtree(store)
        shutil.rmtree(root / "new")
        with pinakes.open(root, {"store": store}) as library:
            library.sync()
            assert answers(library)[0] == before[0]
    assert failed > 1


def test_a_limit_on_the_size_of_files_is_named_wherever_it_strikes(tmp_path: Path) -> None:
    root = laid_out_library(tmp_path / "root")
    for limit in (5_000, 70_000, 150_000, 400_000, 900_000):
        assert run(root, "search", "word17").code == 0
        write_tree(root, NEW)
        ran = run(root, "sync", wish=Wish(limits={"FSIZE": limit}))
        if ran.code:
            assert "disk" in one_line(ran)
        asked = run(root, "search", "word17", "--no-sync")
        assert asked.code == 0, asked.both
        assert "word17" in asked.out
        assert run(root, "doctor").code == 0
        shutil.rmtree(root / ".pinakes")
        shutil.rmtree(root / "new")
    write_tree(root, NEW)
    assert run(root, "sync").code == 0
    assert "quokka" in run(root, "search", "quokka 7").out.lower()
