"""Several processes and threads, full disks and folders nobody may write to."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pinakes.errors import NotFound, StoreBusy, StoreError, StoreForeign, StoreReadOnly
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change, Document, Entry, Kind, Ref, Section, Span, Stamp, formats
from pinakes.store import damage, open_sqlite
from pinakes.store.sqlite.lock import WriteLock


def entry(number: int, size: int = 100) -> Entry:
    source = b"x" * size
    sections = (Section("", "", 0, -1, Span(0, size), Span(0, 1)),)
    stamp = Stamp(Ref(DOCS, f"{number:04}.md"), str(number), formats.MARKDOWN)
    return Entry(Document(stamp, f"d{number}", "T", Kind.NOTES, source, sections), (), ())


class Other:
    """Another process, running `code` with `folder` and this module's `entry`; it says a word when it is ready."""

    def __init__(self, folder: Path, code: str) -> None:
        head = "\n".join(
            [
                "import os, signal, sys",
                "from pathlib import Path",
                "from pinakes.records import *",
                "from pinakes.own_folder import OwnFolder",
                "from pinakes.store import open_sqlite",
                f"sys.path[:0] = {[str(Path(__file__).parent)]!r}",
                "from test_store_writers import entry",
                f"folder = Path({str(folder)!r})",
            ]
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"{head}\n{textwrap.dedent(code)}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def says(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def finish(self) -> str:
        output, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        return str(output)


HOLD = """
    store = open_sqlite(OwnFolder(folder))
    with store.writing():
        print("held", flush=True)
        sys.stdin.readline()
    store.close()
"""


def test_a_second_writer_is_told_who_holds_the_store(tmp_path: Path) -> None:
    other = Other(tmp_path / "index", HOLD)
    assert other.says() == "held"
    store = open_sqlite(OwnFolder(tmp_path / "index"))

    with pytest.raises(StoreBusy, match=f"Process {other.process.pid} has been writing"), store.writing(wait_s=0):
        pass
    other.go_on()
    store.write(Change(put=(entry(1),)))
    other.finish()
    assert list(store.files(DOCS)) == ["0001.md"]
    store.close()


def test_two_stores_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    first, second = open_sqlite(OwnFolder(tmp_path)), open_sqlite(OwnFolder(tmp_path))
    with first.writing():
        with pytest.raises(StoreBusy), second.writing(wait_s=0):
            pass
        with pytest.raises(StoreBusy):
            second.keep_derived("map", b"")
    second.write(Change(put=(entry(1),)))

    assert list(first.files(DOCS)) == ["0001.md"]
    first.close()
    second.close()


def test_a_killed_writer_leaves_no_lock_though_its_children_live_on(tmp_path: Path) -> None:
    other = Other(
        tmp_path,
        """
        store = open_sqlite(OwnFolder(folder))
        with store.writing():
            child = os.fork()
            if not child:
                os.close(1)
                signal.pause()
            print(child, flush=True)
            sys.stdin.readline()
        """,
    )
    child = int(other.says())
    other.kill()
    try:
        store = open_sqlite(OwnFolder(tmp_path))
        with store.writing(wait_s=0):
            store.write(Change(put=(entry(1),)))
        store.close()
    finally:
        os.kill(child, signal.SIGKILL)


def test_readers_see_the_last_whole_state_while_another_process_writes(tmp_path: Path) -> None:
    other = Other(
        tmp_path,
        """
        store = open_sqlite(OwnFolder(folder))
        store.write(Change(put=(entry(1),)))
        with store.transaction():
            store.write(Change(put=(entry(2),)))
            print("half", flush=True)
            sys.stdin.readline()
        print("done", flush=True)
        sys.stdin.readline()
        """,
    )
    assert other.says() == "half"
    reader = open_sqlite(OwnFolder(tmp_path), read_only=True)

    assert (list(reader.files(DOCS)), reader.generation) == (["0001.md"], 1)
    other.go_on()
    assert other.says() == "done"
    assert (list(reader.files(DOCS)), reader.generation) == (["0001.md", "0002.md"], 2)
    reader.close()
    other.kill()


def test_other_threads_read_while_one_writes(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))
    store.write(Change(put=(entry(1),)))
    seen: list[list[str]] = []
    failed: list[StoreError] = []

    def look() -> None:
        seen.append(list(store.files(DOCS)))
        try:
            with store.writing(wait_s=0):
                pass
        except StoreBusy as error:
            failed.append(error)

    with store.transaction():
        store.write(Change(put=(entry(2),)))
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert list(store.files(DOCS)) == ["0001.md", "0002.md"]

    assert seen == [["0001.md"]]
    assert len(failed) == 1
    store.close()


def test_many_threads_may_share_a_store(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))

    def work(number: int) -> bool:
        path = f"{number:04}.md"
        store.write(Change(put=(entry(number),)))
        return all(store.document(Ref(DOCS, path)) and path in store.files(DOCS) for _ in range(20))

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(work, range(8))) == [True] * 8

    assert (len(store.files(DOCS)), store.generation) == (8, 8)
    store.close()


def test_a_writer_killed_at_any_moment_leaves_whole_changes_only(tmp_path: Path) -> None:
    """Change n puts document n, drops document n - 3 and notes n, so every state shows which change was the last."""
    chance = random.Random(11)
    folder = tmp_path / "index"
    acknowledged = 0
    for _ in range(20):
        other = Other(
            folder,
            """
            store = open_sqlite(OwnFolder(folder))
            number = int(store.setting("number") or 0)
            while True:
                number += 1
                drop = (Ref("docs", f"{number - 3:04}.md"),)
                store.write(Change(put=(entry(number, 3000),), drop=drop, settings={"number": str(number)}))
                print(number, flush=True)
            """,
        )
        for _ in range(chance.randint(1, 40)):
            acknowledged = int(other.says() or acknowledged)
        other.kill()
        store = open_sqlite(OwnFolder(folder))
        last = int(store.setting("number"))
        assert last >= acknowledged
        assert store.generation == last
        assert list(store.files(DOCS)) == [f"{number:04}.md" for number in range(max(1, last - 2), last + 1)]
        assert all(store.document(Ref(DOCS, path)) is not None for path in store.files(DOCS))
        store.close()
        assert damage(OwnFolder(folder)) == ""


def test_a_new_folder_is_kept_out_of_git(tmp_path: Path) -> None:
    open_sqlite(OwnFolder(tmp_path / "deep" / "index")).close()

    assert (tmp_path / "deep" / "index" / ".gitignore").read_text() == "*\n"


def test_a_folder_that_was_there_keeps_its_own_files(tmp_path: Path) -> None:
    open_sqlite(OwnFolder(tmp_path)).close()

    assert not (tmp_path / ".gitignore").exists()


def test_a_reader_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="Run `pinakes sync`"):
        open_sqlite(OwnFolder(tmp_path / "index"), read_only=True)

    assert list(tmp_path.iterdir()) == []


def test_a_store_opened_for_reading_refuses_writes(tmp_path: Path) -> None:
    writer = open_sqlite(OwnFolder(tmp_path))
    writer.write(Change(put=(entry(1),)))
    store = open_sqlite(OwnFolder(tmp_path), read_only=True)

    assert store.is_read_only
    with pytest.raises(StoreReadOnly):
        store.write(Change())
    with pytest.raises(StoreReadOnly):
        store.keep_derived("map", b"")
    with pytest.raises(StoreReadOnly), store.transaction():
        pass
    assert list(store.files(DOCS)) == ["0001.md"]
    store.close()
    writer.close()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "left open"])
def test_a_folder_that_cannot_be_written_to_is_read_all_the_same(tmp_path: Path, *, is_closed: bool) -> None:
    folder = Path("/tmp") / f"pinakes-read-only-{os.getpid()}"
    writer = open_sqlite(OwnFolder(folder))
    writer.write(Change(put=(entry(1),)))
    if is_closed:
        writer.close()
    before = sorted(path.name for path in folder.iterdir())
    for path in (folder, *folder.iterdir()):
        os.chown(path, 65534, 65534)
    folder.chmod(0o555)
    try:
        other = Other(
            folder,
            """
            from pinakes.user_key import sign
            sign("anything")  # the same user's key, whom the folder does not let write
            os.setuid(65534)
            for read_only in (True, False):
                store = open_sqlite(OwnFolder(folder), read_only=read_only)
                print(store.is_read_only, list(store.files("docs")), flush=True)
                try:
                    store.write(Change())
                except Exception as error:
                    print(type(error).__name__)
                store.close()
            """,
        )
        assert other.finish() == "True ['0001.md']\nStoreReadOnly\n" * 2
        assert sorted(path.name for path in folder.iterdir()) == before
    finally:
        if not is_closed:
            writer.close()
        shutil.rmtree(folder)


def test_a_full_disk_is_named_and_the_index_stays_as_it_was(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))
    store.write(Change(put=(entry(1),)))
    store.close()
    other = Other(
        tmp_path,
        """
        import resource
        from pinakes.errors import StoreError
        store = open_sqlite(OwnFolder(folder))
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
        for number in range(2, 20):
            try:
                store.write(Change(put=(entry(number, 200_000),)))
            except StoreError as error:
                print(type(error).__name__, error.problem)
                break
        print(len(store.files("docs")), number)
        """,
    )
    message, state, _ = other.finish().split("\n")
    assert message.startswith("StoreError The disk")
    kept, failed = map(int, state.split())
    assert kept == failed - 1
    store = open_sqlite(OwnFolder(tmp_path))
    assert len(store.files(DOCS)) == kept
    store.write(Change(put=(entry(50, 900_000),)))
    assert len(store.files(DOCS)) == kept + 1
    store.close()
    assert damage(OwnFolder(tmp_path)) == ""


def test_the_seal_says_what_was_committed_last(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))
    store.write(Change(put=(entry(1), entry(2))))
    with store.transaction():
        store.write(Change(drop=(Ref(DOCS, "0001.md"),)))
        assert json.loads((tmp_path / "seal.json").read_text())["documents"] == 2

    seal = json.loads((tmp_path / "seal.json").read_text())
    assert (seal["generation"], seal["documents"]) == (2, 1)
    store.close()


def test_a_reader_never_puts_an_older_seal_in_place_of_a_writers(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path))
    store.write(Change(put=(entry(1),)))
    reader = open_sqlite(OwnFolder(tmp_path), read_only=True)
    with store.writing():
        before = (tmp_path / "seal.json").read_bytes()
        reader._distrust()
        assert (tmp_path / "seal.json").read_bytes() == before
    reader._distrust()
    assert (tmp_path / "seal.json").read_bytes() != before
    reader.close()
    store.close()


def test_a_copied_index_is_refused_unless_somebody_is_just_making_it(tmp_path: Path) -> None:
    store = open_sqlite(OwnFolder(tmp_path / "a"))
    store.write(Change(put=(entry(1),)))
    store.close()
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    with WriteLock(OwnFolder(tmp_path / "b")).held(0.0):
        open_sqlite(OwnFolder(tmp_path / "b"), read_only=True).close()
    for read_only in (True, False):
        with pytest.raises(StoreForeign, match="is a copy"):
            open_sqlite(OwnFolder(tmp_path / "b"), read_only=read_only)
    (tmp_path / "a").rename(tmp_path / "c")
    store = open_sqlite(OwnFolder(tmp_path / "c"))
    assert len(store.files(DOCS)) == 1
    store.close()


def test_a_log_under_the_name_of_one_that_is_gone_is_refused(tmp_path: Path) -> None:
    """Names of logs stand in the seal, for everybody to read."""
    store = open_sqlite(OwnFolder(tmp_path / "a"))
    store.write(Change(put=(entry(1),)))
    log = (tmp_path / "a" / "library.db-wal").read_bytes()
    store.close()
    assert not (tmp_path / "a" / "library.db-wal").exists()
    (tmp_path / "a" / "library.db-wal").write_bytes(log)
    with pytest.raises(StoreForeign, match="its log is another one"):
        open_sqlite(OwnFolder(tmp_path / "a"))
