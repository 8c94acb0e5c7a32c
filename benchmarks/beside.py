"""Is anything slower than it was? An earlier commit and what is here do the same work in turns.

    python -m benchmarks.beside FOLDER [--commit c3f8cea] [--rounds 7] [--questions 60] [--json]

A folder of documents enters, a table leaves. Each version has its code, its copy of the folder and its index, and runs
with the same packages as the other, with the settings it has when nobody set any. The earlier code is taken from git.
Work that is done by a library that is open is asked of one process for each version, turn by turn; commands are
measured from process start to end. The folder is only read.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

from benchmarks.clock import Times, in_turns, say
from benchmarks.table import Figure, Group, as_data, as_markdown, machine, ratio

HERE = Path(__file__).resolve().parents[1]
FIRST = "c3f8cea"
"""The first version, before the rooms were straightened."""
_HEADING = re.compile(r"(?m)^(?:# |title: *)[\"']?(.{12,80}?)[\"']?$")
_OPENED = """
import json, sys, time
from pathlib import Path
import pinakes
root, edited = Path(sys.argv[1]), Path(sys.argv[2])
questions = json.loads(sys.stdin.readline())
with pinakes.open(root) as library:
    works = {
        "refresh": library.refresh,
        "edited": library.refresh,
        "search": lambda: [library.search(one) for one in questions],
        "map": lambda: library.map().text(),
    }
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "edited":
            edited.write_text(edited.read_text() + "\\nOne more sentence.\\n")
        started = time.perf_counter()
        works[line.strip()]()
        print(time.perf_counter() - started, flush=True)
"""
"""Both versions know these calls."""


@dataclass(frozen=True, slots=True)
class Version:
    """One of the two: its code, and a copy of the folder with its index."""

    name: str
    code: Path
    root: Path

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"PYTHONPATH": str(self.code)}

    def command(self, *words: str) -> None:
        """Run a command; what it says is not wanted."""
        subprocess.run(
            [sys.executable, "-m", "pinakes", *words, "--root", str(self.root)],
            check=True,
            env=self.environment,
            capture_output=True,
        )

    def sync_anew(self) -> None:
        """From nothing, with keywords and quick vectors."""
        shutil.rmtree(self.root / ".pinakes", ignore_errors=True)
        told = subprocess.run(
            [sys.executable, "-m", "pinakes", "sync", "--help"], env=self.environment, capture_output=True, check=True
        )
        self.command("sync", *(("--wait",) if b"--wait" in told.stdout else ()))


class Opened:
    """A process in which one version has its library open."""

    def __init__(self, version: Version, questions: Sequence[str], edited: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _OPENED, str(version.root), str(version.root / edited)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=version.environment,
            text=True,
        )
        self._say(json.dumps(questions))

    def work(self, name: str) -> float:
        """Have something done; returns the seconds that it took there."""
        return float(self._say(name))

    def close(self) -> None:
        self._process.communicate()

    def _say(self, line: str) -> str:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{line}\n")
        stdin.flush()
        if not (answer := stdout.readline()):
            raise SystemExit(f"The process of one version ended with {self._process.wait()} instead of an answer.")
        return answer


def unpacked(commit: str, target: Path) -> Path:
    """The code of a commit, laid out in a folder."""
    archive = subprocess.run(["git", "-C", str(HERE), "archive", commit, "src"], check=True, capture_output=True)
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as packed:
        packed.extractall(target, filter="data")
    return target / "src"


def questions_of(folder: Path, count: int) -> tuple[str, ...]:
    """Titles of documents, from all over the folder."""
    pages = sorted(folder.rglob("*.md"))
    texts = (page.read_text(encoding="utf-8", errors="replace") for page in pages[:: max(len(pages) // (2 * count), 1)])
    return tuple(found[1] for text in texts if (found := _HEADING.search(text)))[:count]


def groups_of(earlier: Version, now: Version, folder: Path, rounds: int, count: int) -> list[Group]:
    """Everything that is measured, each version in its turn."""
    questions = questions_of(folder, count)
    pages = sorted(folder.rglob("*.md"))
    both = (earlier, now)
    say("syncing from nothing, three times each")
    first = in_turns({one.name: one.sync_anew for one in both}, min(rounds, 3))
    commands: list[tuple[str, dict[str, Times]]] = []
    for name, words in (
        ("a search, nothing changed", ("search", questions[0])),
        ("the same with `--no-sync`", ("search", questions[0], "--no-sync")),
        ("a map, nothing changed", ("map",)),
    ):
        say(f"command: {name}")
        commands.append((name, in_turns({one.name: partial(one.command, *words) for one in both}, rounds)))
    with ExitStack() as stack:
        opened = {one.name: Opened(one, questions, pages[len(pages) // 2].relative_to(folder)) for one in both}
        for process in opened.values():
            stack.callback(process.close)
        works = (
            ("refresh", "a refresh that finds nothing", 1),
            ("edited", "a refresh after an edit", 1),
            ("search", "a search, warm", len(questions)),
            ("map", "a map, warm", 1),
        )
        warm = []
        for key, name, times in works:
            say(f"open library: {name}")
            seconds: dict[str, list[float]] = {one: [] for one in opened}
            for turn in range(rounds + 1):
                for version, process in opened.items():
                    spent = process.work(key)
                    if turn:  # the first of each warms up
                        seconds[version].append(spent / times)
            warm.append((name, {version: Times(tuple(spent)) for version, spent in seconds.items()}))
    over = f"{len(pages):,} documents"
    return [
        Group("From nothing", (_figure("sync with keywords and quick vectors", first, both, over),)),
        Group("Commands, from process start to end", tuple(_figure(name, one, both, over) for name, one in commands)),
        Group("A library that is open", tuple(_figure(name, one, both, over) for name, one in warm)),
    ]


def _figure(name: str, times: dict[str, Times], both: tuple[Version, Version], over: str) -> Figure:
    then, now = (times[one.name].median for one in both)
    return Figure(name, now, "s", over, ratio(now, then, both[0].name), times[both[1].name].told)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", default=FIRST, help="the earlier one")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        earlier = Version(options.commit, unpacked(options.commit, scratch / "then"), scratch / "then" / "docs")
        now = Version("now", HERE / "src", scratch / "now" / "docs")
        for one in (earlier, now):
            shutil.copytree(options.folder, one.root, ignore=shutil.ignore_patterns(".pinakes", "pinakes.toml"))
            (one.root / "pinakes.toml").touch()
        groups = groups_of(earlier, now, options.folder, options.rounds, options.questions)
    title = f"{machine()}; beside {options.commit}"
    print(json.dumps(as_data(title, groups)) if options.json else as_markdown(title, groups))


if __name__ == "__main__":
    main()
