"""What each step of a search did, for those who ask why."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pinakes.records import Stage


@dataclass(slots=True)
class Step:
    """A stage under way; whoever runs it says what came out."""

    came_in: int = 0
    went_out: int = 0
    note: str = ""


@dataclass(slots=True)
class Account:
    """The stages that were taken, in order."""

    stages: list[Stage] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, came_in: int = 0) -> Iterator[Step]:
        """Time what is done inside and keep it, also when it fails."""
        step = Step(came_in)
        started = time.perf_counter()
        try:
            yield step
        finally:
            self.stages.append(Stage(name, step.came_in, step.went_out, time.perf_counter() - started, step.note))
