"""Many processes at once, some of them writing, some of them finding the index damaged or gone: no error that nobody
can act on, no lost update, and one index in the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pinakes
from kits.damage import answers, laid_out_library, rebuilt
from kits.scratch import ScratchStore
from kits.trees import differences, write_tree
from pinakes.index.sync import sync
from pinakes.records import ADDED, DOCS, MEMORIES

ROUNDS = int(os.environ.get("PINAKES_TOGETHER", "3"))
"""How often each process does its work; all begin together."""
WRITERS, READERS = 6, 20

WRITER = r"""
import sys
from pathlib import Path
import pinakes
root, me, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
library = pinakes.open(root)
print("ready", flush=True)
sys.stdin.readline()
for number in range(1, rounds + 1):
    (root / f"by-{me}-{number % 7}.md").write_text(f"# By {me}\n\nRound {number} of {me}.\n")
    library.sync(corpora=["docs"])
    library.memories.remember(f"Written by {me}: zebra{me}x{number}.", "The same title for all")
    library.memories.append("shared", f"Line {me}x{number}.")
    library.added.add_text(f"# Paper\n\ngiraffe{me}x{number}.\n".encode(), title=f"Paper {me} {number}")
library.close()
"""

READER = r"""
import sys
import pinakes
from pinakes.records import Query
library = pinakes.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[3])):
    found = library.search(Query("how does storage work", limit=3))
    assert found.hits, found.missing
    library.refresh()
    assert "storage" in library.read("storage/page-0.md").text.lower()
library.close()
"""


def started(program: str, root: Path, me: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", program, str(root), str(me), str(ROUNDS)]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check_end(child: subprocess.Popen[str]) -> None:
    """Wait for the end of a process, and see that nothing was wrong."""
    _, error = child.communicate()
    assert child.returncode == 0, error
    assert "damaged" not in error


def test_six_writers_and_twenty_readers_lose_nothing_and_meet_no_error(tmp_path: Path) -> None:
    root = laid_out_library(tmp_path / "root")
    with pinakes.open(root) as library:
        library.sync()
        answers(library)
        library.memories.remember("Lines of all.", "Shared")
    children = [started(WRITER if me < WRITERS else READER, root, me) for me in range(WRITERS + READERS)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n", child.communicate()[1]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        check_end(child)
    with pinakes.open(root) as library:
        library.sync()
        for corpus in (DOCS, MEMORIES, ADDED):
            truth, kept = ScratchStore(), library.corpus(corpus).store
            sync(library.corpus(corpus).source, truth)
            if corpus == DOCS:  # which have keywords besides
                assert {path: one.digest for path, one in kept.files(DOCS).items()} == {
                    path: one.digest for path, one in truth.files(DOCS).items()
                }
                assert list(kept.edges(DOCS)) == list(truth.edges(DOCS))
            else:
                assert differences(kept, truth, corpus) == []
        texts = "\n".join(memory.text for memory in library.memories.list().memories)
        papers = "\n".join(library.added.get(one.id).text for one in library.added.list())
        for me in range(WRITERS):
            for number in range(1, ROUNDS + 1):
                assert f"zebra{me}x{number}." in texts
                assert f"Line {me}x{number}." in texts
                assert f"giraffe{me}x{number}." in papers
        assert all(one.is_sound for one in library.doctor())


HEALER = r"""
import sys
import pinakes
library = pinakes.open(sys.argv[1])
note = library.refresh()
print(len(library.search("storage").hits))
library.close()
"""


@pytest.mark.parametrize("way", ["damaged", "removed", "all of it removed"])
def test_of_several_who_find_the_index_damaged_one_builds_it_anew(tmp_path: Path, way: str) -> None:
    root = laid_out_library(tmp_path / "root")
    truth = rebuilt(root, tmp_path / "scratch")
    with pinakes.open(root) as library:
        library.sync()
        answers(library)
    database = root / ".pinakes" / "library.db"
    if way == "damaged":
        database.write_bytes(b"\xa5" * database.stat().st_size)
    elif way == "removed":
        database.unlink()
    else:
        shutil.rmtree(root / ".pinakes")
    children = [started(HEALER, root, me) for me in range(6)]
    for child in children:
        out, error = child.communicate()
        assert child.returncode == 0, error
        assert int(out) > 0
    assert len(list((root / ".pinakes").glob("set-aside-*"))) == (way != "all of it removed")
    with pinakes.open(root) as library:
        library.refresh()
        assert answers(library) == truth
        assert all(one.is_sound for one in library.doctor())


@pytest.mark.parametrize("way", ["rebuilt", "removed", "damaged and mended", "removed and made again"])
def test_who_has_the_index_open_goes_on_with_the_new_one(tmp_path: Path, way: str) -> None:
    root = laid_out_library(tmp_path / "root")
    with pinakes.open(root) as library:
        library.sync()
        before = answers(library)
        if way == "damaged and mended":
            with (root / ".pinakes" / "library.db").open("r+b") as file:
                file.seek(20_000)
                file.write(b"\xa5" * 100)
        elif way != "rebuilt":
            shutil.rmtree(root / ".pinakes")
        if way != "removed":
            done = subprocess.run(
                [sys.executable, "-m", "pinakes", "sync", "--root", str(root)]
                + (["--rebuild"] if way == "rebuilt" else []),
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
        library.refresh()
        assert answers(library) == before
        write_tree(root, {"storage/new.md": "# Entirely new\n\nQuokka.\n"})
        library.refresh()
        assert [str(hit.ref) for hit in library.search("quokka").hits][:1] == ["docs:storage/new.md#entirely-new"]
        assert all(one.is_sound for one in library.doctor())
