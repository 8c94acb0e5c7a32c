"""Faults of a cluster under load, and what they did: nothing lost, nothing wrong, answers again.

Each fault is a function from a cluster to its end.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from msgspec import Struct

from cluster.load import LEDGER, QUESTIONS, Clients, Ledger, Outcome
from cluster.machines import Cluster
from cluster.work import WorkingLibrary
from kits.waiting import until
from pinakes.records.jobs import JobKind

_CUT_S = 7.0
"""Longer than a server needs to see that nothing comes back, and to say so."""
LONGEST_S = 5.0
"""Until there are answers and writes again."""


class FaultReport(Struct, frozen=True):
    """What one fault did."""

    name: str
    lost: int
    """Acknowledged writes that are gone."""
    doubled: int
    """Writes that nobody made, or that are there twice."""
    outcomes: Mapping[Outcome, int]
    answer_s: float
    """From the end of the fault until every server had answered a question asked since."""
    any_s: float
    """From the beginning of the fault until one of them had."""
    write_s: float
    """From the end of the fault until a write was acknowledged."""
    taken_s: float
    """Until somebody else had the job of a worker that was killed, who may have been busy; else 0."""

    @property
    def is_good(self) -> bool:
        wrong = self.outcomes.get(Outcome.WRONG, 0) + self.outcomes.get(Outcome.EMPTY, 0)
        return not (self.lost or self.doubled or wrong) and max(self.answer_s, self.write_s) <= LONGEST_S


class FaultEnd(Struct, frozen=True):
    """When a fault was over, and what it did besides."""

    moment: float
    """From when on there should be answers and writes again."""
    taken_s: float = 0.0
    """Until the work of a worker that was killed had another one."""
    lost: int = 0
    doubled: int = 0


def kill_server(cluster: Cluster) -> FaultEnd:
    """A server dies, and is started again by whatever started it."""
    server = cluster.servers[0]
    server.kill()
    server.start()
    until(server.is_ready, "the server answers again")
    return FaultEnd(time.monotonic())


def lose_primary(cluster: Cluster) -> FaultEnd:
    """The primary dies with all of its processes, and the replica is promoted."""
    cluster.fail_over()
    return FaultEnd(time.monotonic())


def restart_primary(cluster: Cluster) -> FaultEnd:
    """The primary dies and comes back."""
    cluster.primary.kill_all()
    cluster.primary.start()
    return FaultEnd(time.monotonic())


def kill_replica(cluster: Cluster) -> FaultEnd:
    """The replica dies and comes back."""
    cluster.replica.kill_all()
    cluster.replica.start()
    return FaultEnd(time.monotonic())


def cut_network(cluster: Cluster) -> FaultEnd:
    """Nothing goes between servers and databases for a while."""
    cluster.cut()
    time.sleep(_CUT_S)
    cluster.mend()
    return FaultEnd(time.monotonic())


@cache
def cluster_work(cluster: Cluster) -> WorkingLibrary:
    """The library of a cluster's workers, made when it is first needed."""
    return WorkingLibrary(cluster)


def kill_worker(kind: JobKind, cluster: Cluster) -> FaultEnd:
    """A worker dies over a job of a kind, and is started again."""
    end = cluster_work(cluster).kill_worker_in(kind)
    return FaultEnd(time.monotonic(), end.taken_s, end.lost, end.doubled)


FAULTS: Mapping[str, Callable[[Cluster], FaultEnd]] = {
    "server killed": kill_server,
    "primary killed, replica promoted": lose_primary,
    "primary killed, started again": restart_primary,
    "replica killed, started again": kill_replica,
    "network cut": cut_network,
    **{f"worker killed in {kind}": partial(kill_worker, kind) for kind in JobKind},
}


class Run:
    """A cluster under load."""

    def __init__(self, cluster: Cluster, clients: Clients, ledger: Ledger) -> None:
        self._cluster = cluster
        self._clients = clients
        self._ledger = ledger

    def inflict(self, name: str) -> FaultReport:
        """One fault, from a quiet moment to the next."""
        first = len(self._clients.asked)
        began = time.monotonic()
        end = FAULTS[name](self._cluster)
        ended = end.moment
        servers = [server.name for server in self._cluster.servers]
        until(lambda: all(self._clients.first_right(ended, one) for one in servers), f"answers after: {name}")
        until(lambda: self._ledger.first_written(ended), f"a write after: {name}")
        acknowledged = self._ledger.paths()  # before what is kept is read: others come in meanwhile
        kept = {str(path) for (path,) in self._cluster.ask(_KEPT)}
        ((doubled,),) = self._cluster.ask(_DOUBLED)
        assert isinstance(doubled, int)
        report = FaultReport(
            name,
            len(acknowledged - kept) + end.lost,
            doubled + len(kept - self._ledger.tried) + end.doubled,
            Counter([one.outcome for one in self._clients.asked[first:]]),
            max(self._clients.first_right(ended, one) or 0.0 for one in servers),
            self._clients.first_right(began) or 0.0,
            self._ledger.first_written(ended) or 0.0,
            end.taken_s,
        )
        if name == "primary killed, replica promoted":
            self._cluster.replace_lost()
        return report

    def bad_answers(self) -> list[str]:
        """What was wrong or empty."""
        bad = (Outcome.WRONG, Outcome.EMPTY)
        return [f"{one.server}: {one.outcome}: {one.says}" for one in self._clients.asked if one.outcome in bad]


_KEPT = f"""SELECT path FROM pinakes.all_files JOIN pinakes.indexes ON indexes.id = all_files.store
WHERE library = '{LEDGER}'"""
_DOUBLED = f"""SELECT count(*) - count(DISTINCT path) FROM pinakes.all_files JOIN pinakes.indexes
ON indexes.id = all_files.store WHERE library = '{LEDGER}'"""


@contextmanager
def running(folder: Path) -> Iterator[Run]:
    """A cluster under load, ended afterwards."""
    cluster = Cluster(folder)
    try:
        right = {question: cluster.servers[0].search(question).hits for question in QUESTIONS}
        assert all(right.values()), "every question has hits"
        clients, ledger = Clients(cluster.servers, right), Ledger(cluster.url)
        clients.start()
        ledger.start()
        until(lambda: len(ledger.acknowledged) > 2, "writes are acknowledged")
        yield Run(cluster, clients, ledger)
        clients.end()
        ledger.end()
    finally:
        cluster.close()
