"""Reading on several cores gives what reading on one gives, whatever happens to the processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.enrich import KeywordOptions
from pinakes.index import STATISTICS, ignore_progress
from pinakes.index.keywords import make_keywords
from pinakes.index.options import WORTHWHILE
from pinakes.index.place import FolderPlace
from pinakes.index.reading import read_entries
from pinakes.index.store_jobs import rows_in_parallel
from pinakes.index.sync import sync
from pinakes.index.workers import kept_workers, read_in_parallel
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Ref
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite
from pinakes.words.update import Tokenizer

COUNT = WORTHWHILE + 100


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> FolderSource:
    pages: dict[str, str] = {
        f"page{number}.md": f"# Page {number}\n\n[next](page{number + 1}.md)\n" * 20 for number in range(COUNT)
    }
    return FolderSource(write_tree(tmp_path_factory.mktemp("many"), pages))


def test_the_outcomes_and_their_order_are_the_same(source: FolderSource) -> None:
    stamps = source.scan().stamps
    assert list(read_in_parallel(source, stamps, {}, 2)) == list(read_entries(source, stamps, {}))


def test_a_worker_that_dies_costs_nothing(source: FolderSource) -> None:
    stamps = source.scan().stamps
    outcomes = read_in_parallel(source, stamps, {}, 2)
    first = next(outcomes)
    for child in _children():
        os.kill(child, signal.SIGKILL)
    assert [first, *outcomes] == list(read_entries(source, stamps, {}))


def test_nothing_from_the_folder_it_is_started_in_is_imported(source: FolderSource, tmp_path: Path) -> None:
    trap = "raise SystemExit('imported from the working folder')\n"
    write_tree(tmp_path, {"pinakes/__init__.py": trap, "json.py": trap, "yaml.py": trap})
    program = (
        "import sys; from pathlib import Path; from pinakes.sources import FolderSource;"
        "from pinakes.index.workers import read_in_parallel;"
        "source = FolderSource(Path(sys.argv[1]));"
        "print(len(list(read_in_parallel(source, source.scan().stamps, {}, 2))))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, str(source.root)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (f"{COUNT}\n", "")


def test_words_and_keywords_are_what_one_process_makes(source: FolderSource, tmp_path: Path) -> None:
    made = {}
    for name in ("alone", "together"):
        folder = OwnFolder(tmp_path / name)
        with closing(open_sqlite(folder)) as store:
            sync(source, store)
            index = FolderPlace(folder) if name == "together" else None
            make_keywords(store, DOCS, KeywordOptions(), index=index, progress=ignore_progress)
            rows_of = rows_in_parallel(index) if index else Tokenizer().rows_of
            rows = list(rows_of(store, store.feed(0).changed))
            words = [store.document(ref) for ref in (Ref(DOCS, "page0.md"), Ref(DOCS, f"page{COUNT - 1}.md"))]
            made[name] = (rows, words, store.setting(STATISTICS), store.counts(DOCS).pending_keywords)
    assert made["together"] == made["alone"]
    assert made["alone"][-1] == 0


def _children() -> list[int]:
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if not listed.exists():
        pytest.skip("this system does not list a process's children")
    return [int(child) for child in listed.read_text().split()]


def test_workers_are_kept_for_the_next_thing_and_end_with_the_block(source: FolderSource) -> None:
    stamps = [stamp for stamp in source.scan().stamps if stamp.media.is_document]

    def children() -> set[str]:
        return {one for task in Path("/proc/self/task").iterdir() for one in (task / "children").read_text().split()}

    if not Path("/proc/self/task").is_dir():
        pytest.skip("processes are counted on Linux")
    before = children()
    with kept_workers():
        first = list(read_in_parallel(source, stamps, {}, 2))
        kept = children() - before
        assert list(read_in_parallel(source, stamps, {}, 2)) == first
        assert children() - before == kept
        assert len(kept) == 2
    assert children() == before
    assert len(first) == COUNT


def test_workers_that_have_grown_are_replaced(source: FolderSource, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/task").is_dir():
        pytest.skip("how much a worker holds is known on Linux")
    monkeypatch.setattr("pinakes.index.worker.LITTLE", 0)
    stamps = source.scan().stamps
    before = set(_children())
    with kept_workers():
        first = list(read_in_parallel(source, stamps, {}, 2))
        assert set(_children()) == before
        assert list(read_in_parallel(source, stamps, {}, 2)) == first
