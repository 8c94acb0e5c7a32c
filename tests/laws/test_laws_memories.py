"""Nothing acknowledged is lost and no file is torn: with several writers at once, and killed at any moment."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree

WRITERS = 6
EACH = 8
KILLS = 48
SHARDS = 2

WRITE = """
import sys
import pinakes
root, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
with pinakes.open(root) as library:
    print("ready", flush=True)
    for number in range(rounds):
        made = library.memories.remember(f"Note {name}.{number} of [[guide.md#setup]] <end>", title="The same title")
        print("made", made.id, f"{name}.{number}", flush=True)
        library.memories.append("shared", f"Line {name}.{number} of [[guide.md]] <end>")
        print("added", "shared", f"{name}.{number}", flush=True)
"""


def _root(folder: Path) -> Path:
    root = write_tree(folder / "root", {"guide.md": "# Guide\n\n## Setup\n\nTurn it on.\n"})
    with pinakes.open(root) as library:
        library.sync()
        library.memories.remember("It begins. <end>", title="Shared", tags=["all"])
    return root


def _start(root: Path, name: str, rounds: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITE, str(root), name, str(rounds)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def _holds(root: Path, said: list[list[str]]) -> None:
    """Everything that was acknowledged is there once, and every file is whole."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (root / ".memories").glob("*.md")}
    for text in texts.values():
        assert text.startswith("---\ntitle: ")
        assert text.endswith("<end>\n")
        assert text.count("\n---\n") == 1
    for what, id, number in said:
        assert texts[id].count(f"{'Note' if what == 'made' else 'Line'} {number} ") == 1, (what, id, number)
    assert len({id for what, id, _ in said if what == "made"}) == sum(what == "made" for what, _, _ in said)


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    root = _root(tmp_path)
    children = [_start(root, f"w{number}", EACH) for number in range(WRITERS)]
    said = []
    for child in children:
        out, _ = child.communicate(timeout=100)
        assert child.returncode == 0
        said += [line.split() for line in out.splitlines()]
    assert len(said) == 2 * WRITERS * EACH
    _holds(root, said)
    with pinakes.open(root) as library:
        assert library.memories.list().total == 1 + WRITERS * EACH
        found = {one.memory.id for one in library.memories.recall("note of the guide", limit=100).found}
        assert found >= {id for what, id, _ in said if what == "made"}


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_writer_killed_at_a_random_moment_leaves_whole_files(shard: int, tmp_path: Path) -> None:
    chance = random.Random(shard)
    root = _root(tmp_path)
    said: list[list[str]] = []
    interrupted = 0
    for turn in range(KILLS // SHARDS):
        child = _start(root, f"k{turn}", 1000)
        assert child.stdout is not None
        heard = "".join([child.stdout.readline() for _ in range(chance.randrange(4))])
        with suppress(subprocess.TimeoutExpired):  # the moment is chance
            child.wait(chance.random() * 0.05)
        child.send_signal(signal.SIGKILL)
        out = heard + child.stdout.read()
        said += [line.split() for line in out.splitlines(keepends=True) if line.endswith("\n")]
        interrupted += child.wait() == -signal.SIGKILL
        child.stdout.close()
    assert interrupted == KILLS // SHARDS
    assert said
    _holds(root, said)
    with pinakes.open(root) as library:
        library.memories.append("shared", "A xylophone. <end>")
        library.memories.remember("An ocarina. <end>", "Last")
        for word, id in (("xylophone", "shared"), ("ocarina", "last")):
            assert id in {one.memory.id for one in library.memories.recall(word).found}
