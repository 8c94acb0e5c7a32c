"""The load of a cluster: clients who ask and know the right answers, and a writer who counts what was acknowledged."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from cluster.machines import DOCUMENTS, AnsweringServer, Reply, word
from kits.store import entry, put
from pinakes.errors import StoreBusy, StoreError
from pinakes.postgres import open_database
from pinakes.records import DOCS
from pinakes.store.postgres.indexes import IndexName
from pinakes.store.postgres.store import open_postgres

LEDGER = "ledger"
"""A library that nobody serves, so that nobody mends what it lost."""
QUESTIONS = tuple([f"lamp {word(number)}" for number in range(0, DOCUMENTS, 3)])


class Outcome(StrEnum):
    """What an answer was."""

    RIGHT = "right"
    TOLD = "told"
    """An error, or an answer that says what it is without."""
    WRONG = "wrong"
    EMPTY = "empty"
    NONE = "none"
    """No answer: nobody listened, or the connection broke."""


class Asked(Struct, frozen=True):
    """One question and what became of it."""

    began: float
    ended: float
    server: str
    outcome: Outcome
    says: str


def judged(reply: Reply, right: tuple[str, ...]) -> Outcome:
    """What a reply is, beside the hits of a quiet cluster."""
    if not reply.status:
        return Outcome.NONE
    if reply.status == 200 and reply.hits == right:
        return Outcome.RIGHT
    if reply.status != 200:
        return Outcome.TOLD if reply.says.strip() else Outcome.WRONG
    if reply.says.strip():
        return Outcome.TOLD
    return Outcome.WRONG if reply.hits else Outcome.EMPTY


@dataclass
class Clients:
    """Clients who take turns among servers, as a balancer would have them do."""

    servers: Iterable[AnsweringServer]
    right: Mapping[str, tuple[str, ...]]
    """The hits of each question."""
    asked: list[Asked] = field(default_factory=list)
    _ending: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """One client for each server, who asks it alone; so nothing is hidden by another one's answers."""
        for server in self.servers:
            self._threads.append(threading.Thread(target=self._ask, args=(server,), daemon=True))
            self._threads[-1].start()

    def end(self) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(60)

    def first_right(self, since: float, server: str = "") -> float | None:
        """How long after a moment the first right answer came to a question asked since; of one server, or any."""
        found = [
            one.ended - since
            for one in tuple(self.asked)
            if one.began >= since and one.outcome is Outcome.RIGHT and server in ("", one.server)
        ]
        return min(found, default=None)

    def _ask(self, server: AnsweringServer) -> None:
        chosen = random.Random(server.name)
        while not self._ending.is_set():
            question = chosen.choice(QUESTIONS)
            began = time.monotonic()
            reply = server.search(question)
            outcome = judged(reply, self.right[question])
            says = f"{question}: {reply.says}"
            if outcome is Outcome.WRONG:
                says += f" {reply.hits}, not {self.right[question]}"
            self.asked.append(Asked(began, time.monotonic(), server.name, outcome, says))
            if outcome is Outcome.NONE:
                self._ending.wait(0.05)


class Ledger:
    """A writer who goes on whatever happens, and knows what was acknowledged."""

    def __init__(self, url: str) -> None:
        self._database = open_database(url)
        self.acknowledged: list[tuple[float, str]] = []
        """When, and the path."""
        self.tried: set[str] = set()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ending.set()
        self._thread.join(60)
        self._database.close()

    def first_written(self, since: float) -> float | None:
        """How long after a moment the first write was acknowledged."""
        return min([when - since for when, _ in tuple(self.acknowledged) if when >= since], default=None)

    def paths(self) -> set[str]:
        """What was acknowledged."""
        return {path for _, path in tuple(self.acknowledged)}

    def _write(self) -> None:
        store, number = None, 0
        while not self._ending.is_set():
            path = f"{number}.md"
            try:
                if store is None:
                    store = open_postgres(self._database, IndexName(LEDGER, DOCS))
                self.tried.add(path)
                with store.writing(wait_s=2.0):
                    store.write(put(entry(path)))
            except (StoreBusy, StoreError):  # it may be there or not: the same is written again
                self._ending.wait(0.05)
                continue
            self.acknowledged.append((time.monotonic(), path))
            number += 1
            self._ending.wait(0.02)
