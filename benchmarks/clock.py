"""How long does it take? Work enters, seconds leave.

Contenders take turns round by round, so that a slow minute of the machine falls on all of them. The best round is the
figure: noise only ever adds time. The median is kept beside it to show how noisy it was.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of each round."""

    rounds: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.rounds)

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def told(self) -> str:
        """How many rounds there were and how good the best one was."""
        return f"median of {len(self.rounds)}, best {1000 * self.best:,.0f} ms"


def once(work: Work) -> float:
    """Seconds for one run, started with no garbage waiting."""
    gc.collect()
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def repeated(work: Work, rounds: int) -> Times:
    return Times(tuple(once(work) for _ in range(rounds)))


def in_turns(contenders: Mapping[str, Work], rounds: int) -> dict[str, Times]:
    """Every contender once per round, in the order given."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            seconds[name].append(once(work))
    return {name: Times(tuple(rounds)) for name, rounds in seconds.items()}


def say(step: str) -> None:
    """Progress, on stderr."""
    print(f"benchmarks: {step}", file=sys.stderr, flush=True)
