"""Workers that are given too much, or killed: every document still arrives, once and in order."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.index.options import WORTHWHILE
from pinakes.index.reading import read_entries
from pinakes.index.worker import PART_BYTES
from pinakes.index.workers import read_in_parallel
from pinakes.records import ADDED, DOCS, MEMORIES, Entry, Failure, Stamp
from pinakes.sources import FolderSource


@pytest.fixture
def source(tmp_path: Path) -> FolderSource:
    """More documents than one process takes, some of them larger than a message should be, one that vanished."""
    small = {f"{number:04}.md": f"# Page {number}\n" for number in range(WORTHWHILE)}
    large = {f"{number:04}x.md": f"# Large {number}\n\n" + "words " * (PART_BYTES // 3) for number in (3, 4, 200)}
    many = {"0007y.md": "# Heading\n" * 3000}
    return FolderSource(write_tree(tmp_path, {**small, **large, **many}))


def brief(outcome: Entry | Stamp | Failure) -> tuple[str, object]:
    if isinstance(outcome, Entry):
        return outcome.document.ref.path, (outcome.document.digest, len(outcome.document.sections))
    return (outcome.ref.path, outcome)


def children() -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            if int(fields[1]) == os.getpid() and fields[0] != "Z":
                found.append(int(folder.name))
    return found


@pytest.mark.parametrize("death", [None, 0, 60, 150], ids=["unharmed", "at once", "early", "later"])
def test_every_document_arrives_once_and_in_order(source: FolderSource, death: int | None) -> None:
    if death is not None and not Path("/proc/self/stat").exists():
        pytest.skip("processes cannot be listed here")
    stamps = source.scan().stamps
    (source.root / "0100.md").unlink()
    wanted = [brief(outcome) for outcome in read_entries(source, stamps, {})]
    before = set(children()) if death is not None else set()
    found = []
    for number, outcome in enumerate(read_in_parallel(source, stamps, {}, workers=2)):
        if number == death:
            for worker in set(children()) - before:
                os.kill(worker, signal.SIGKILL)
        found.append(brief(outcome))
    assert found == wanted


def test_leaving_halfway_leaves_no_worker_behind(source: FolderSource) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("processes cannot be listed here")
    before = set(children())
    outcomes = read_in_parallel(source, source.scan().stamps, {}, workers=2)
    next(outcomes)
    assert len(set(children()) - before) == 2
    outcomes.close()
    assert set(children()) == before


def test_every_corpus_can_be_read_by_workers(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, {"a.md": "# A\n"})) as library:
        library.sync()
        library.memories.remember("Tokens expire after an hour.")
        library.added.add_text(b"# Tides\n\nHigh water.\n", title="Tides")
        for name in (DOCS, MEMORIES, ADDED):
            source = library.corpus(name).source
            stamp = next(one for one in source.scan().stamps if one.ref.path.endswith(".md"))
            (wanted,) = map(brief, read_entries(source, [stamp], {}))
            assert {*map(brief, read_in_parallel(source, [stamp] * WORTHWHILE, {}, workers=2))} == {wanted}


def test_what_cannot_be_sent_to_a_worker_is_read_here(source: FolderSource) -> None:
    stamps = source.scan().stamps
    wanted = [brief(outcome) for outcome in read_entries(source, stamps, {})]
    vars(source)["unsent"] = lambda: None
    assert [*map(brief, read_in_parallel(source, stamps, {}, workers=2))] == wanted
