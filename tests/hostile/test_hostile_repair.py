"""`doctor` reads everything of every corpus; `--repair` mends what is damaged and loses nothing that somebody wrote."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import pinakes
from kits.damage import WAYS, answers, files_of, laid_out_library
from kits.hostile import NOBODY, Wish, for_anyone, pinakes_here
from kits.hostile import pinakes as run
from pinakes.errors import StoreDamaged
from pinakes.records import Query


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A library with three corpora, each asked once."""
    root = laid_out_library(tmp_path / "root")
    with pinakes.open(root) as library:
        library.sync()
        answers(library)
        library.memories.remember("The zebra is striped, see [[storage/page-0.md]].", "Zebra")
        library.memories.recall("zebra")
        library.added.add_text(b"# Giraffe\n\nThe giraffe is tall.\n", title="Giraffe")
        library.refresh(corpora=["added"])
        library.search("giraffe")
    return root


def asked(root: Path) -> list[object]:
    with pinakes.open(root) as library:
        found = library.search(Query("giraffe", limit=1))
        remembered = library.memories.recall("zebra")
        return [*answers(library)[:3], [hit.text for hit in found.hits], [one.memory.text for one in remembered.found]]


def unsound(root: Path) -> list[str]:
    examined = json.loads(pinakes_here(root, "doctor", "--json").out)
    return [one["topic"] for one in examined if not one["is_sound"]]


def bit(path: Path) -> None:
    """A bit that a disk forgot: the time of the file says nothing."""
    times = path.stat()
    WAYS["one bit"](path, random.Random(path.name), ())
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(
    ("part", "topics"),
    [
        ("library.db", ["index"]),
        ("corpora/memories/library.db", ["index"]),
        ("corpora/added/library.db", ["index"]),
        ("words/index-*/*.idx", ["words"]),
        ("words/index-*/*.pos", ["words"]),
        ("corpora/added/words/index-*/*.term", ["words"]),
        ("vectors/*/*.matrix", ["vectors"]),
        ("vectors/*/*.rows", ["vectors"]),
        ("vectors/*/*.live", ["vectors"]),
        ("vectors/*/vectors.json", ["vectors"]),
    ],
)
def test_a_forgotten_bit_is_found_in_every_corpus_and_part_and_mended(root: Path, part: str, topics: list[str]) -> None:
    before = asked(root)
    assert unsound(root) == []
    store = root / ".pinakes"
    kept = {path: path.stat().st_ino for path in files_of(store) if path.name == "library.db"}
    (harmed,) = store.glob(part)
    bit(harmed)
    assert unsound(root) == topics

    mended = pinakes_here(root, "doctor", "--repair")

    assert mended.code == 0, mended.both
    assert "found damaged" in mended.error or "was made again" in mended.error
    assert unsound(root) == []
    assert asked(root) == before
    assert {path for path, number in kept.items() if path.stat().st_ino != number} <= {harmed}


def test_a_repair_loses_nothing_that_somebody_wrote(root: Path) -> None:
    before = asked(root)
    for path in files_of(root / ".pinakes"):
        if "added" not in path.relative_to(root / ".pinakes").parts[:1] and path.suffix != ".lock":
            path.write_bytes(b"\xa5" * max(1, path.stat().st_size))
    assert pinakes_here(root, "doctor", "--repair").code == 0
    assert asked(root) == before
    with pinakes.open(root) as library:
        assert [one.title for one in library.added.list()] == ["Giraffe"]


def test_a_sound_index_is_left_alone(root: Path) -> None:
    before = (root / ".pinakes" / "library.db").stat().st_ino
    assert pinakes_here(root, "doctor", "--repair").code == 0
    assert (root / ".pinakes" / "library.db").stat().st_ino == before
    assert list((root / ".pinakes").rglob("set-aside-*")) == []


def test_texts_that_cannot_be_read_are_named() -> None:
    with for_anyone() as folder:
        root = laid_out_library(folder / "root")
        with pinakes.open(root) as library:
            library.sync()
            kept = library.memories.remember("A note.", "Locked")
            library.memories.recall("note")
            (library.memories.folder / kept.ref.path).chmod(0o000)
        for path in (folder, *folder.rglob("*")):
            if path.name != kept.ref.path:
                path.chmod(0o777 if path.is_dir() else 0o666)
        ran = run(root, "doctor", wish=Wish(user=NOBODY))
        assert ran.code == 1
        assert "BAD memories" in ran.out
        assert kept.ref.path in ran.out


def test_an_index_of_a_newer_pinakes_is_never_repaired(root: Path) -> None:
    with sqlite3.connect(root / ".pinakes" / "library.db") as driver:
        driver.execute("PRAGMA user_version = 9999")
    driver.close()
    before = (root / ".pinakes" / "library.db").read_bytes()
    for words in (["doctor", "--repair"], ["sync"], ["search", "storage"]):
        ran = pinakes_here(root, *words)
        assert ran.code == 2, ran.both
        assert "Update Pinakes" in ran.error
    assert (root / ".pinakes" / "library.db").read_bytes() == before
    assert list((root / ".pinakes").glob("set-aside-*")) == []


def test_damage_where_nothing_can_be_written_is_refused_with_what_to_do() -> None:
    with for_anyone() as folder:
        root = laid_out_library(folder / "root")
        with pinakes.open(root) as library:
            library.sync()
        database = root / ".pinakes" / "library.db"
        data = bytearray(database.read_bytes())
        data[30_000] ^= 8
        database.write_bytes(data)
        for path in (root, *root.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        for words in (["search", "storage"], ["map"], ["sync"]):
            ran = run(root, *words, wish=Wish(user=NOBODY))
            assert ran.code == 2, ran.both
            assert "page 8 is not what was written" in ran.error
            assert "writable" in one_line_of(ran.error)
        assert database.read_bytes() == data


def one_line_of(error: str) -> str:
    return error.strip().splitlines()[-1]


CLOCKS: dict[str, Callable[[Path], None]] = {
    "ten years ahead": lambda path: os.utime(path, (2_100_000_000, 2_100_000_000)),
    "ten years back": lambda path: os.utime(path, (1_400_000_000, 1_400_000_000)),
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_clock_that_jumps_changes_no_answer(root: Path, clock: str) -> None:
    before = asked(root)
    for path in [*root.rglob("*.md"), *files_of(root / ".pinakes")]:
        CLOCKS[clock](path)
    assert asked(root) == before
    assert pinakes_here(root, "sync").code == 0
    assert asked(root) == before
    assert unsound(root) == []
    assert list((root / ".pinakes").rglob("set-aside-*")) == []


def test_a_file_rewritten_with_the_same_size_and_time_is_found_by_verify(root: Path) -> None:
    path = root / "storage" / "page-0.md"
    times, text = path.stat(), path.read_text()
    path.write_text(text.replace("word0", "quokk"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert pinakes_here(root, "sync", "--verify").code == 0
    assert "quokk" in pinakes_here(root, "read", "storage/page-0.md", "--no-sync").out


def test_a_note_is_given_once_and_status_goes_on_telling(root: Path) -> None:
    (root / ".pinakes" / "library.db").write_bytes(b"nothing")
    with pinakes.open(root) as library:
        with pytest.raises(StoreDamaged):
            library.search("storage")
        assert library.refresh() == ""
        assert "built anew" in library.news()
        assert library.news() == ""
        assert "built anew" in library.status().healed[0]
    aside = next((root / ".pinakes").glob("set-aside-*"))
    assert (aside / "library.db").read_bytes() == b"nothing"
    shutil.rmtree(aside)
    with pinakes.open(root) as library:
        assert library.status().healed == ()
