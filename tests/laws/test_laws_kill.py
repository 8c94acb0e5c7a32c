"""Killed at any moment, the store opens again and one sync makes it equal to the disk; what was told is kept."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import pinakes
from kits.scratch import ScratchStore
from kits.trees import differences, write_tree
from pinakes.index.sync import sync
from pinakes.own_folder import OwnFolder
from pinakes.records import ADDED, DOCS, MEMORIES
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite

KILLS = max(100, 2 * int(os.environ.get("PINAKES_KILLS", "0")))
SHARDS = 4

CHILD = """
import sys
from pathlib import Path
from pinakes.index.sync import sync
from pinakes.own_folder import OwnFolder
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite
steps = sys.modules["pinakes.index.sync"]
steps.ONE_TRANSACTION, steps.BATCH_BYTES = 20, 4000   # many small transactions: more places to die in
store = open_sqlite(OwnFolder(Path(sys.argv[2])))
print("ready", flush=True)
sync(FolderSource(Path(sys.argv[1])), store)
print("done", flush=True)
"""


def _tree(chance: random.Random) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    for number in range(80):
        links = " ".join(f"[to](page{chance.randrange(40)}.md#part-{chance.randrange(4)})" for _ in range(6))
        parts = "\n\n".join(f"## Part {part}\n\n{links} {chance.random()}" for part in range(chance.randrange(4)))
        files[f"folder{number % 5}/page{chance.randrange(40)}.md"] = f"# Page {number}\n\n{parts}\n"
    return files


@pytest.mark.timeout(300)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_sync_killed_at_a_random_moment_is_finished_by_the_next(shard: int, tmp_path: Path) -> None:
    chance = random.Random(shard)
    root, folder = tmp_path / "root", tmp_path / "store"
    interrupted = 0
    for round_number in range(KILLS // SHARDS):
        write_tree(root, _tree(chance))
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(root), str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        with suppress(subprocess.TimeoutExpired):  # the moment is chance
            child.wait(chance.random() * 0.25)
        child.send_signal(signal.SIGKILL)
        interrupted += "done" not in child.stdout.read()
        child.wait()
        child.stdout.close()
        if round_number % 3 == 2:  # let damage, if any, pile up over a few kills before looking
            store = open_sqlite(OwnFolder(folder))
            sync(FolderSource(root), store)
            truth = ScratchStore()
            sync(FolderSource(root), truth)
            assert differences(store, truth) == []
            store.close()
    assert interrupted, "every child finished before it was killed"


ROUNDS = int(os.environ.get("PINAKES_KILLS", "10"))
"""For each kind of work below; the first of them is the least that says anything."""

WORKING = r"""
import signal, sys
from pathlib import Path
import pinakes
root, work, start = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if work == "watch":
    from pinakes.serve.libraries import Libraries
    libraries = Libraries([root])
    libraries.watch(lambda name, looked: None)
    print("ready", flush=True)
    signal.pause()
library = pinakes.open(root)
print("ready", flush=True)
for number in range(start, start + 10_000):
    if work == "remember":
        kept = library.memories.remember(f"Note about zebra{number}.", f"Note {number % 40}")
        print(f"zebra{number}", flush=True)
        if number % 3 == 0:
            library.memories.append(kept.id, f"Later: giraffe{number}.")
            print(f"giraffe{number}", flush=True)
        if number % 5 == 0:
            library.memories.recall(f"zebra{number}")
    else:
        library.added.add_text(f"# Paper {number}\n\nAbout zebra{number}.\n".encode(), title=f"Paper {number}")
        print(f"zebra{number}", flush=True)
        if number % 3 == 0:
            (root.parent / "elsewhere.md").write_text(f"# Elsewhere\n\nAbout giraffe{number}.\n")
            library.added.add(str(root.parent / "elsewhere.md"))
        if number % 5 == 0:
            library.refresh(corpora=["added"])
"""


def killed(root: Path, work: str, start: int, chance: random.Random) -> list[str]:
    """What a child acknowledged before it was killed."""
    program = [sys.executable, "-c", WORKING, str(root), work, str(start)]
    child = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    heard = ""
    if work == "watch":
        for _ in range(chance.randrange(60)):
            write_tree(root, dict([chance.choice(list(_tree(chance).items()))]))
    else:
        heard = "".join(child.stdout.readline() for _ in range(chance.randrange(2, 12)))
    with suppress(subprocess.TimeoutExpired):  # the moment is chance
        child.wait(chance.random() * 0.1)
    child.send_signal(signal.SIGKILL)
    told = (heard + child.stdout.read()).split()
    child.wait()
    child.stdout.close()
    return told


@pytest.mark.timeout(60 + 20 * ROUNDS)
@pytest.mark.parametrize("work", ["watch", "remember", "add"])
def test_what_was_acknowledged_before_a_kill_is_there_after_it(work: str, tmp_path: Path) -> None:
    chance = random.Random(work)
    root = write_tree(tmp_path / "root", _tree(chance))
    name = {"watch": DOCS, "remember": MEMORIES, "add": ADDED}[work]
    acknowledged: list[str] = []
    for number in range(ROUNDS):
        acknowledged += killed(root, work, 10_000 * number, chance)
        with pinakes.open(root) as library:
            library.refresh(corpora=[name])
            corpus = library.corpus(name)
            truth = ScratchStore()
            sync(corpus.source, truth)
            assert differences(corpus.store, truth, name) == []
            documents = [truth.document(one.ref) for one in truth.outlines(name)]
            text = b"\n".join(document.source for document in documents if document).decode()
            assert [word for word in acknowledged if f"{word}." not in text] == []
            assert all(one.is_sound for one in library.doctor() if one.topic == "index")
    assert work == "watch" or len(acknowledged) > ROUNDS
