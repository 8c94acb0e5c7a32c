"""A library from git that workers index, and what has to be in its index afterwards."""

from __future__ import annotations

import json
import time

import psycopg
from msgspec import Struct

from cluster.machines import Cluster
from kits.git import Repo
from kits.waiting import until
from pinakes.library import open_library
from pinakes.records.jobs import JobKind

WORK = "work"
_DOCUMENTS = 420
"""More than a scan leaves to one worker."""
_FEW = 60
_ALL_S = 300.0
"""For all that follows from a change, on a busy machine."""
_RUNNING = """
SELECT jobs.id, lease, name FROM pinakes.jobs JOIN pinakes.workers ON number = worker
WHERE library = %s AND kind = %s AND state = 'running'
"""
_LEASE = "SELECT lease FROM pinakes.jobs WHERE id = %s AND state = 'running'"
_LEFT = "SELECT count(*) FROM pinakes.jobs WHERE library = %s AND state <> 'aside'"
_ASIDE = "SELECT count(*) FROM pinakes.jobs WHERE library = %s AND state = 'aside'"
_KEPT = "SELECT path, digest FROM pinakes.all_files WHERE store = %s AND digest <> ''"
_INDEX = "SELECT id FROM pinakes.indexes WHERE library = %s AND corpus = 'docs'"
_WORDS = """
SELECT chunks, (SELECT count(*) FROM pinakes.chunk_lines WHERE store = %s) FROM pinakes.word_indexes
WHERE store = %s
"""


class WorkEnd(Struct, frozen=True):
    """What became of the work that a worker was killed over."""

    killed: float
    taken_s: float
    """Until somebody else had the job."""
    lost: int
    """Documents that are not in the index as they are in the repository."""
    doubled: int
    """Rows that are there twice, and documents that are in no commit."""


class WorkingLibrary:
    """The library; there is one in a cluster. Its workers are started with it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._repo = Repo(cluster.folder / "repository")
        self._round = 0
        self._reference = open_library(self._repo.folder, {"store": cluster.folder / "reference"})
        self._change(_DOCUMENTS)
        for worker in cluster.workers:
            worker.start()
        cluster.run("library", "add", WORK, "--git", str(self._repo.folder))

    def close(self) -> None:
        self._reference.close()

    def kill_worker_in(self, kind: JobKind) -> WorkEnd:
        """Change documents, and kill the worker that does a job of this kind for them."""
        with psycopg.connect(self._cluster.primary.url(), autocommit=True) as connection:
            job, lease = self._caught(connection, kind)
            killed = time.monotonic()
            until(lambda: _one(connection, _LEASE, job) != (lease,), f"another worker has the {kind}")
            taken_s = time.monotonic() - killed
            until(lambda: _one(connection, _LEFT, WORK) == (0,), f"all is done after a {kind}", _ALL_S)
            lost, doubled = self._differences(connection)
        return WorkEnd(killed, taken_s, lost, doubled)

    def _caught(self, connection: psycopg.Connection[tuple[object, ...]], kind: JobKind) -> tuple[object, object]:
        """The job over which a worker was killed, and its lease then. A quick job is over before it is seen: then there
        is another change."""
        while True:
            self._change(_DOCUMENTS if kind is JobKind.READ else _FEW)
            self._cluster.run("library", "sync", WORK, "--no-wait")
            while _one(connection, _LEFT, WORK) != (0,):
                found = connection.execute(_RUNNING, (WORK, kind)).fetchone()
                if found is None:
                    continue
                job, lease, name = found
                number = int(str(name).rpartition(" ")[2])
                worker = next(one for one in self._cluster.workers if one.number == number)
                worker.kill()
                worker.start()
                if _one(connection, _LEASE, job) == (lease,):
                    return job, lease

    def _change(self, documents: int) -> None:
        self._round += 1
        pages = {
            f"part-{number % 9}/{number}.md": f"# Chapter {number}\n\nThe mill {self._word} grinds {number} sacks.\n"
            for number in range(documents)
        }
        self._repo.commit(f"round {self._round}", pages)

    @property
    def _word(self) -> str:
        return "mq" + "abcdefghij"[self._round // 10 % 10] + "abcdefghij"[self._round % 10] + "ix"

    def _differences(self, connection: psycopg.Connection[tuple[object, ...]]) -> tuple[int, int]:
        self._reference.sync()
        right = self._reference.corpus().digests()
        (index,) = _one(connection, _INDEX, WORK)
        rows = connection.execute(_KEPT, (index,)).fetchall()
        kept = {str(path): digest for path, digest in rows}
        chunks, there = _one(connection, _WORDS, index, index)
        lost = sum(kept.get(path) != digest for path, digest in right.items())
        doubled = len(rows) - len(kept) + len(kept.keys() - right.keys()) + (chunks != there)
        found = json.loads(self._cluster.run("search", self._word, "--library", WORK, "--json"))
        (aside,) = _one(connection, _ASIDE, WORK)
        assert isinstance(aside, int)
        return lost + aside + (not found["hits"]), doubled


def _one(connection: psycopg.Connection[tuple[object, ...]], statement: str, *values: object) -> tuple[object, ...]:
    return connection.execute(statement.encode(), values).fetchone() or ()
