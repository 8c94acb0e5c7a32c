"""Killed at any moment, the store opens again and one sync makes it equal to the disk."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kit import differences, write_tree
from pinakes.index import sync
from pinakes.sources import FolderSource
from pinakes.store import ScratchStore, open_sqlite

KILLS = 100
SHARDS = 4

CHILD = """
import sys
from pathlib import Path
from pinakes.index import sync
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite
steps = sys.modules["pinakes.index.sync"]
steps.ONE_TRANSACTION, steps.BATCH_BYTES = 20, 4000   # many small transactions: more places to die in
store = open_sqlite(Path(sys.argv[2]))
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
        wait_until = time.perf_counter() + chance.random() * 0.25
        while time.perf_counter() < wait_until and child.poll() is None:
            pass
        child.send_signal(signal.SIGKILL)
        interrupted += "done" not in child.stdout.read()
        child.wait()
        child.stdout.close()
        if round_number % 3 == 2:  # let damage, if any, pile up over a few kills before looking
            store = open_sqlite(folder)
            sync(FolderSource(root), store)
            truth = ScratchStore()
            sync(FolderSource(root), truth)
            assert differences(store, truth) == []
            store.close()
    assert interrupted, "every child finished before it was killed"
