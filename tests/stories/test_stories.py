"""Terminal transcripts, compared as text. A story is a file; adding one needs no Python.

Lines that begin with ``===`` give the steps:

    === file PATH        the lines that follow are written to PATH
    === delete PATH
    === run ARGUMENTS    `pinakes ARGUMENTS` is run; the lines that follow are what it prints on stdout
    === exit N           the exit code of the run above (0 when it is not given)
    === error            the lines that follow are what that run prints on stderr

``<…>`` in an expected line stands for anything on that line.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

STORIES = sorted(Path(__file__).parent.glob("*.story"))


@dataclass
class Run:
    arguments: list[str]
    out: list[str] = field(default_factory=list)
    error: list[str] | None = None
    code: int = 0


def _steps(text: str) -> list[tuple[str, str, list[str]]]:
    steps: list[tuple[str, str, list[str]]] = []
    for line in text.split("\n"):
        if line.startswith("=== "):
            word, _, rest = line[4:].partition(" ")
            steps.append((word, rest, []))
        elif steps:
            steps[-1][2].append(line)
    return steps


def _matches(expected: list[str], printed: str) -> bool:
    wanted = "\n".join(expected).strip("\n")
    pattern = ".*".join(re.escape(part) for part in wanted.split("<…>"))
    return re.fullmatch(pattern, printed.strip("\n")) is not None


def _tell(run: Run, folder: Path) -> None:
    environment = {**os.environ, "NO_COLOR": "1", "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config")}
    done = subprocess.run(
        [sys.executable, "-m", "pinakes", *run.arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    shown = (
        f"pinakes {shlex.join(run.arguments)}\n--- out\n{done.stdout}--- error\n{done.stderr}--- exit {done.returncode}"
    )
    assert done.returncode == run.code, shown
    assert _matches(run.out, done.stdout), shown
    if run.error is not None:
        assert _matches(run.error, done.stderr), shown


@pytest.mark.parametrize("story", STORIES, ids=lambda path: path.stem)
def test_the_terminal_shows(story: Path, tmp_path: Path) -> None:
    pending: Run | None = None
    for word, rest, lines in _steps(story.read_text(encoding="utf-8")):
        if word in ("file", "delete", "run") and pending is not None:
            _tell(pending, tmp_path)
            pending = None
        if word == "file":
            target = tmp_path / rest
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")
        elif word == "delete":
            (tmp_path / rest).unlink()
        elif word == "run":
            pending = Run(shlex.split(rest), lines)
        elif pending is not None and word == "exit":
            pending.code = int(rest)
        elif pending is not None and word == "error":
            pending.error = lines
        else:
            pytest.fail(f"{story.name}: no such step: {word}")
    if pending is not None:
        _tell(pending, tmp_path)
