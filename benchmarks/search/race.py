"""Contenders in processes of their own, asked in turns, so that a slow minute of the machine falls on all of them.

A shelf, questions and names enter, one `Run` each leaves.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from benchmarks.clock import say
from benchmarks.search.shelf import Shelf

_PROJECT = Path(__file__).resolve().parents[2]
_COLD_STARTS = 3


@dataclass(slots=True)
class Run:
    """What one contender did."""

    name: str
    seconds: list[float] = field(default_factory=list)
    """Of each question in each round, by one caller."""
    rates: list[float] = field(default_factory=list)
    """Questions a second by eight callers, in each round."""
    cold: list[float] = field(default_factory=list)
    """From the start of a process to its first answer."""
    found: float = 0.0
    """Answers a question, on average."""
    resident_bytes: int = 0

    @property
    def cold_s(self) -> float:
        return statistics.median(self.cold)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)


class _Child:
    """A contender that waits for what to do."""

    def __init__(self, name: str, shelf: Shelf, questions: Path) -> None:
        started = time.perf_counter()
        self._process = subprocess.Popen(
            _command("ask", name, str(shelf.place), str(questions)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(),
        )
        self._answer()
        self.cold_s = time.perf_counter() - started

    def __enter__(self) -> _Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def do(self, work: str) -> dict[str, object]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{work}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, object]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended with {self._process.wait()}")
        told: dict[str, object] = json.loads(line)
        return told


def built(name: str, shelf: Shelf) -> dict[str, float]:
    """What making an index took, in a process of its own, unless it is there."""

    def make() -> dict[str, float]:
        say(f"{shelf.place.name} passages: making {name}")
        done = subprocess.run(
            _command("build", name, str(shelf.place)), check=True, stdout=subprocess.PIPE, env=_environment()
        )
        took: dict[str, float] = json.loads(done.stdout)
        return took

    return shelf.once(name, make)


def can_build(name: str, shelf: Shelf) -> bool:
    """Whether a rival's index is there, or could be made: one who runs out of memory should not end the race."""
    try:
        built(name, shelf)
    except subprocess.CalledProcessError:
        return False
    return True


def race(names: Sequence[str], shelf: Shelf, questions: Path, rounds: int) -> list[Run]:
    """Everybody in every round: first one caller, then eight. All are warmed up before the first."""
    runs = {name: Run(name) for name in names}
    for name, run in runs.items():
        say(f"{shelf.place.name} passages: starting {name}")
        for _ in range(_COLD_STARTS - 1):
            with _Child(name, shelf, questions) as child:
                run.cold.append(child.cold_s)
    with ExitStack() as held:
        children = {name: held.enter_context(_Child(name, shelf, questions)) for name in names}
        for name, child in children.items():
            runs[name].cold.append(child.cold_s)
            say(f"{shelf.place.name} passages: warming {name}")
            child.do("alone")
        for number in range(rounds):
            say(f"{shelf.place.name} passages: round {number + 1} of {rounds}")
            for name, child in children.items():
                told = child.do("alone")
                runs[name].seconds += _numbers(told["seconds"])
                runs[name].found = _number(told["found"])
            for name, child in children.items():
                runs[name].rates.append(_number(child.do("together")["rate"]))
        for name, child in children.items():
            runs[name].resident_bytes = int(_number(child.do("memory")["resident_bytes"]))
    return list(runs.values())


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.search.child", *arguments]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(_PROJECT), os.environ.get("PYTHONPATH", "")])}


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _numbers(value: object) -> list[float]:
    assert isinstance(value, list)
    return [_number(one) for one in value]
