"""A worker: it takes one job after another out of the queue of a database, for as long as there are some, or for ever.

A database enters; what becomes of each job is told. While a job is done, a thread says so to the database. A database
that cannot be reached is waited for. Whoever ends a worker gives its job back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from threading import Event as Signal
from threading import Thread

from msgspec import Struct

from pinakes.errors import ConfigError, ExtraMissing, LeaseLost, NotFound, PinakesError, StoreError, Unfit
from pinakes.index import ignore_progress
from pinakes.jobs.presence import Presence
from pinakes.jobs.queue import LEASE_S, JobFilter, Lease, claim, is_anything_left
from pinakes.library.queued.steps import do
from pinakes.plugins import PluginGroup, plugins_of
from pinakes.ports import Progress
from pinakes.postgres.database import Database
from pinakes.records import Event
from pinakes.records.jobs import JobKind

LOOK_S = 2.0
"""How often a worker without a job looks for one whose holder is gone, which nobody tells."""
_AGAIN_S = 1.0
"""Before a database that could not be reached is tried again."""
_IN_VAIN = (NotFound, ConfigError, ExtraMissing, Unfit)
"""What another attempt would meet again."""


class JobResult(StrEnum):
    """What became of a job."""

    DONE = "done"
    FAILED = "failed"
    """It is tried again."""
    SET_ASIDE = "set aside"
    LOST = "lost"
    """It is somebody else's."""


class JobReport(Struct, frozen=True):
    """One job, as one worker met it."""

    library: str
    kind: JobKind
    result: JobResult
    seconds: float
    reason: str = ""


TellJob = Callable[[JobReport], None]


def ignore_job(report: JobReport) -> None:
    """For callers who ask the queue what became of it."""


class QueueWorker:
    """One worker of a database. To be used by one thread."""

    def __init__(
        self, database: Database, *, only: str = "", kinds: Sequence[JobKind] = (), lease_s: float = LEASE_S
    ) -> None:
        """`only` names the library that it works for, while somebody waits: what fails is not tried again. Else it
        works for all. Without `kinds` it does jobs of every kind. Raises `StoreError`."""
        plugins_of(PluginGroup.FORMATS)
        self._database = database
        self._only = only
        self._kinds = tuple(kinds)
        self._lease_s = lease_s
        self._presence = Presence(database)

    @property
    def name(self) -> str:
        """The one that others see."""
        return self._presence.name

    def close(self) -> None:
        """Not be there any more."""
        with suppress(StoreError):
            self._presence.close()

    def run(self, tell: TellJob, warn: Callable[[str], None], progress: Progress = ignore_progress) -> None:
        """Do what there is to do, for ever."""
        while True:
            try:
                if not self.do_one(tell, progress):
                    self._presence.wait(LOOK_S)
            except StoreError as error:
                warn(str(error))
                time.sleep(_AGAIN_S)

    def run_once(self, tell: TellJob, progress: Progress = ignore_progress) -> None:
        """Do what there is to do until nothing waits; raises `StoreError`."""
        while True:
            if not self.do_one(tell, progress):
                if not is_anything_left(self._database, JobFilter(self._only, self._kinds)):
                    return
                self._presence.wait(_AGAIN_S)  # another attempt, or what others do, comes first

    def do_one(self, tell: TellJob, progress: Progress = ignore_progress) -> bool:
        """Do the most urgent job, if there is one that may be begun; raises `StoreError` where none can be had."""
        wanted = JobFilter(self._only, self._kinds)
        self._presence.renew()  # or what it takes would count as nobody's
        lease = claim(self._database, self._presence.number, wanted, self._lease_s)
        if lease is None:
            return False
        started = time.monotonic()
        result, reason = self._result(lease, progress)
        tell(JobReport(lease.task.library, lease.task.kind, result, time.monotonic() - started, reason))
        return True

    def _result(self, lease: Lease, progress: Progress) -> tuple[JobResult, str]:
        try:
            with _held(lease, self._lease_s) as still_held:
                do(lease, _checking(lease, still_held, progress), is_awaited=bool(self._only))
        except LeaseLost as lost:
            return JobResult.LOST, lost.problem
        except PinakesError as error:
            is_final = bool(self._only) or isinstance(error, _IN_VAIN)
            return _failed(lease, error.problem, error.next_step, is_final=is_final)
        except Exception as error:  # noqa: BLE001 - of whatever one job makes us raise, the others know nothing
            return _failed(lease, f"{type(error).__name__}: {error}", "This is a mistake in Pinakes; please report it.")
        except BaseException:  # whoever ends us has not judged the job
            with suppress(StoreError):
                lease.give_back()
            raise
        return JobResult.DONE, ""


def _failed(lease: Lease, problem: str, next_step: str, *, is_final: bool = False) -> tuple[JobResult, str]:
    is_aside = lease.fail(problem, next_step, is_final=is_final)
    return (JobResult.SET_ASIDE if is_aside else JobResult.FAILED), problem


def _checking(lease: Lease, still_held: Signal, progress: Progress) -> Progress:
    """Progress that ends what is done for a job that is somebody else's by now."""

    def tell(event: Event) -> None:
        if not still_held.is_set():
            lease.raise_lost()
        progress(event)

    return tell


@contextmanager
def _held(lease: Lease, lease_s: float) -> Iterator[Signal]:
    """Say that the job is being done, in a thread; what is given back is set for as long as it is ours."""
    is_ours, is_done = Signal(), Signal()
    is_ours.set()

    def extend() -> None:
        while not is_done.wait(lease_s / 3):
            with suppress(StoreError):  # the lease runs out, unless the database comes back in time
                if not lease.extend(lease_s):
                    is_ours.clear()
                    return

    thread = Thread(target=extend, name="pinakes-lease", daemon=True)
    thread.start()
    try:
        yield is_ours
    finally:
        is_done.set()
        thread.join()
