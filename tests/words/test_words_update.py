"""Catching up with a store, and files that cannot be trusted."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.scratch import ScratchStore
from kits.trees import vanish
from kits.vectors import filled, put
from kits.waiting import until
from pinakes.errors import StoreDamaged, StoreError
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change, NumberedDocument, Ref, Scored
from pinakes.words import open_words, parse_question
from pinakes.words.index import TantivyWords
from pinakes.words.manifest import NAME

TEXTS = {f"{name}.md": f"# {name}\n\nThe tide comes in, {name} says.\n" for name in "abcdefgh"}
QUESTION = "tide harbour moon"


def drop(store: ScratchStore, *paths: str) -> None:
    store.write(Change(drop=tuple(Ref(DOCS, path) for path in paths)))


def found(words: TantivyWords) -> list[Scored]:
    return words.now.match(parse_question(QUESTION), None, 1000)


def engine_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("index-*/*") if path.is_file() and path.stat().st_size)


@settings(max_examples=10, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcdef"),
            st.none() | st.lists(st.sampled_from(["tide", "harbour moon", "nothing"]), min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_updates_step_by_step_find_what_a_rebuild_finds(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, list[str] | None]]
) -> None:
    folder = tmp_path_factory.mktemp("steps")
    store = ScratchStore()
    words = open_words(OwnFolder(folder / "kept", 2))
    for step in steps:
        put(store, {f"{name}.md": "\n\n# Next\n\n".join(parts) for name, parts in step.items() if parts is not None})
        drop(store, *(f"{name}.md" for name, parts in step.items() if parts is None))
        words.update(store)
    fresh = open_words(OwnFolder(folder / "fresh", 2))
    fresh.update(store)
    assert {one.chunk for one in found(words)} == {one.chunk for one in found(fresh)}
    assert words.now.terms(parse_question(QUESTION)) == fresh.now.terms(parse_question(QUESTION))
    assert words.generation == fresh.generation == store.generation


def test_a_changed_document_is_found_by_its_new_words_only(tmp_path: Path) -> None:
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(store)
    put(store, {"c.md": "# C\n\nA harbour now.\n"})
    words.update(store)

    assert len(words.now.match(parse_question("tide"), None, 100)) == 7
    assert len(words.now.match(parse_question("harbour"), None, 100)) == 1
    assert words.now.terms(parse_question("tide harbour")) == {"tide": 7, "harbour": 1}


def test_a_dropped_document_is_found_no_more(tmp_path: Path) -> None:
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(store)
    drop(store, "a.md", "b.md")
    words.update(store)

    assert len(found(words)) == 6


def test_nothing_is_there_before_the_first_update(tmp_path: Path) -> None:
    words = open_words(OwnFolder(tmp_path / "none", 2))

    assert words.generation == 0
    assert words.now.match(parse_question("tide"), None, 10) == []
    assert words.now.terms(parse_question("tide")) == {"tide": 0}
    assert not (tmp_path / "none").exists()


def test_an_empty_store_makes_an_empty_index(tmp_path: Path) -> None:
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(ScratchStore())
    assert found(words) == []
    store = filled(TEXTS)
    drop(store, *TEXTS)
    words.update(store)

    assert found(words) == []
    assert words.generation == store.generation


def test_an_index_that_agrees_is_left_alone(tmp_path: Path) -> None:
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(store)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    words.update(store)

    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_another_store_in_the_same_place_starts_over(tmp_path: Path) -> None:
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(filled(TEXTS))
    other = filled({"z.md": "# Z\n\nHarbour.\n"})
    words.update(other)

    assert len(found(words)) == 1
    assert len(list(tmp_path.glob("index-*"))) == 1


def test_an_index_of_another_form_is_made_anew(tmp_path: Path) -> None:
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(store)
    right = found(words)
    made = tmp_path / NAME
    made.write_text(made.read_text().replace('"form": "', '"form": "0'))

    assert words.generation == 0
    assert found(words) == []
    words.update(store)
    assert found(words) == right


def test_a_manifest_under_another_name_is_none_and_all_is_made_again(tmp_path: Path) -> None:
    store = filled(TEXTS)
    open_words(OwnFolder(tmp_path, 2)).update(store)
    (tmp_path / NAME).rename(tmp_path / "made.json")
    words = open_words(OwnFolder(tmp_path, 2))

    assert words.generation == 0
    words.update(store)
    assert len(found(words)) == 8


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garble_the_end(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-12] + b"\xff" * 12)


@pytest.mark.parametrize("harm", [cut, empty, garble_the_end, Path.unlink])
def test_damaged_files_are_refused_and_made_anew(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    store = filled(TEXTS)
    whole = tmp_path / "whole"
    words = open_words(OwnFolder(whole, 2))
    words.update(store)
    right = found(words)
    names = [path.relative_to(whole) for path in engine_files(whole) if not path.name.startswith(".")]
    assert {path.suffix for path in names} >= {".json", ".idx", ".term", ".pos", ".fast", ".fieldnorm"}
    for number, name in enumerate(names):
        harmed = tmp_path / str(number)
        shutil.copytree(whole, harmed)
        harm(harmed / name)
        damaged = open_words(OwnFolder(harmed, 2))
        with pytest.raises(StoreDamaged, match="The next sync makes a new one"):
            found(damaged)
        damaged.update(store)
        assert found(damaged) == right
        assert len(list(harmed.glob("index-*"))) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"form": 3}', "\x00"])
def test_a_note_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(store)
    right = found(words)
    (tmp_path / NAME).write_text(text)

    assert words.generation == 0
    assert found(words) == []
    words.update(store)
    assert found(words) == right


def test_files_that_vanished_are_made_anew(tmp_path: Path) -> None:
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(store)
    right = found(words)
    for path in tmp_path.glob("index-*"):
        vanish(path)
    words.update(store)

    assert found(words) == right
    assert found(open_words(OwnFolder(tmp_path, 2))) == right


def test_a_reader_keeps_answering_and_sees_each_update(tmp_path: Path) -> None:
    store = filled(TEXTS)
    writer, reader = open_words(OwnFolder(tmp_path, 2)), open_words(OwnFolder(tmp_path, 2))
    writer.update(store)
    assert len(found(reader)) == 8
    for number in range(12):
        put(store, {f"new{number}.md": "# New\n\nMoon.\n"})
        writer.update(store)
        assert len(found(reader)) == 9 + number
    assert len(engine_files(tmp_path)) < 100


class Stopping(ScratchStore):
    """Can be told to be interrupted after the first document it gives."""

    is_stopping = False

    def documents_by_number(self, numbers: Sequence[int]) -> Iterator[NumberedDocument]:
        for numbered in super().documents_by_number(numbers):
            yield numbered
            if self.is_stopping:
                raise KeyboardInterrupt


def test_an_update_that_is_interrupted_leaves_what_was_there(tmp_path: Path) -> None:
    store = Stopping()
    put(store, TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    store.is_stopping = True
    with pytest.raises(KeyboardInterrupt):
        words.update(store)
    assert found(words) == []
    store.is_stopping = False
    words.update(store)
    right = found(words)
    store.is_stopping = True
    put(store, {"a.md": "# A\n\nHarbour.\n", "i.md": "# I\n\nMoon.\n"})
    with pytest.raises(KeyboardInterrupt):
        words.update(store)
    assert found(words) == right
    store.is_stopping = False
    words.update(store)
    assert len(found(words)) == 9


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from pinakes.own_folder import OwnFolder
from pinakes.words import open_words
from pinakes.words import update as room
from test_words_update import TEXTS
from kits.vectors import filled
def die(*whatever):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(room, sys.argv[3], die)
open_words(OwnFolder(Path(sys.argv[1]))).update(filled(TEXTS))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize("moment", ["add_rows", "written", "write_manifest"])
def test_an_update_that_is_killed_is_done_again(tmp_path: Path, moment: str) -> None:
    tests = Path(__file__).parent
    paths = os.pathsep.join([str(tests), str(tests.parent)])
    arguments = [sys.executable, "-c", KILLED, str(tmp_path), str(tests), moment]
    ended = subprocess.run(arguments, env={**os.environ, "PYTHONPATH": paths}, check=False)
    assert ended.returncode == -signal.SIGKILL
    words = open_words(OwnFolder(tmp_path, 2))

    assert found(words) == []
    words.update(filled(TEXTS))
    assert len(found(words)) == 8
    assert len(list(tmp_path.glob("index-*"))) == 1


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="Words cannot be kept in"):
        open_words(OwnFolder(tmp_path / "file" / "words", 2)).update(filled(TEXTS))


def test_what_can_only_be_read_still_answers(tmp_path: Path) -> None:
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(store)
    right = found(words)
    folders = [tmp_path, *tmp_path.glob("index-*")]
    for folder in folders:
        folder.chmod(0o555)
    try:
        if os.access(folders[-1], os.W_OK):
            pytest.skip("nothing is forbidden to this user")
        assert found(open_words(OwnFolder(tmp_path, 2))) == right
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_a_change_to_no_text_is_only_taken_note_of(tmp_path: Path) -> None:
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path, 2))
    words.update(store)
    before = {path: path.stat().st_mtime_ns for path in engine_files(tmp_path)}
    store.write(Change(settings={"keywords": "other"}))
    words.update(store)

    assert words.generation == open_words(OwnFolder(tmp_path, 2)).generation == store.generation
    assert {path: path.stat().st_mtime_ns for path in engine_files(tmp_path)} == before
    assert len(found(words)) == len(TEXTS)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_an_index_that_was_replaced_leaves_no_thread_behind(tmp_path: Path) -> None:
    def threads() -> int:
        return len(list(Path("/proc/self/task").iterdir()))

    store, words = ScratchStore(), open_words(OwnFolder(tmp_path / "words"))
    gc.disable()  # what is in no circle is gone at once
    try:
        before = threads()
        for number in range(20):
            put(store, {f"{number}.md": f"# Tide {number}\n\nThe harbour, {number} times.\n"})
            words.update(store)
            assert words.now.longer("ti", 5)
        until(lambda: threads() < before + 10, "the threads of indexes that were replaced end")
    finally:
        gc.enable()
