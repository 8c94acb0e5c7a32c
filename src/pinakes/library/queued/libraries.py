"""The libraries of a database, for whoever asks them or has them brought up to date, on any machine.

What is to be done is put into the queue. Where workers are there, they do it, and whoever waits is told how far it is;
where there is none, this process does it itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from pinakes.errors import NotFound, Unreadable
from pinakes.index import ignore_progress
from pinakes.jobs.presence import JobsHeard, workers_there
from pinakes.jobs.queue import Task, put, queue_state
from pinakes.jobs.registry import Registry
from pinakes.library.databases import remove_library
from pinakes.library.git_libraries import possible_library
from pinakes.library.library import Library
from pinakes.library.queued.place import LibraryPlace
from pinakes.library.queued.worker import QueueWorker, ignore_job
from pinakes.library.served import open_served, served_corpora
from pinakes.ports import Progress
from pinakes.postgres import shared_database
from pinakes.records import Event, Phase
from pinakes.records.jobs import GitLibrary, JobKind, QueueState, SetAside
from pinakes.write_log import log_writes

_LOOK_S = 1.0
_AWAITED = (JobKind.FETCH, JobKind.SCAN, JobKind.READ)
"""After these a library can be searched; what comes then makes its answers better."""


class DatabaseLibraries:
    """All of a database."""

    def __init__(self, url: str) -> None:
        """Raises `StoreError`, `ConfigError` and `ExtraMissing`."""
        self.url = url
        self._database = shared_database(url)
        self._registry = Registry(self._database)

    def list(self) -> Sequence[GitLibrary]:
        """Every library, by name."""
        return self._registry.list()

    def of_folders(self) -> Sequence[str]:
        """The names of the libraries that are no repositories: whoever has their folder keeps their index current."""
        known = {one.name for one in self.list()}
        return [name for name in served_corpora(self.url) if name not in known]

    def asked_names(self) -> Sequence[str]:
        """Those that can be asked now."""
        return [*(one.name for one in self.list() if one.synced), *self.of_folders()]

    def get(self, name: str) -> GitLibrary:
        """The library of that name; raises `NotFound` with the names there are."""
        return possible_library(self._registry.get(name))

    def queue(self, name: str = "") -> QueueState:
        """What there is to do, for one library or for all, and who does it."""
        return queue_state(self._database, name)

    def add(self, wanted: GitLibrary, *, here: bool = False, progress: Progress = ignore_progress) -> GitLibrary:
        """Remember a library and have it indexed; raises `ConfigError` where there is one of that name, and what keeps
        its repository from being fetched: then there is none."""
        self._registry.add(wanted)
        try:
            made = self.sync(wanted.name, here=here, progress=progress)
        except BaseException:
            if not self.get(wanted.name).commit:
                self._registry.remove(wanted.name)
            raise
        log_writes("library add", [(wanted.name, wanted.address)])
        return made

    def register(self, wanted: GitLibrary) -> None:
        """Remember a library, and leave it to workers to have it indexed; raises `ConfigError` where there is one of
        that name."""
        self._registry.add(wanted)
        self.begin([wanted.name])
        log_writes("library add", [(wanted.name, wanted.address)])

    def begin(self, names: Sequence[str]) -> None:
        """Have workers fetch and index what is new, now or when there is one; raises `NotFound`."""
        put(self._database, [Task(self.get(name).name, JobKind.FETCH) for name in names])

    def sync(self, name: str, *, here: bool = False, progress: Progress = ignore_progress) -> GitLibrary:
        """Have what is new fetched and indexed, and wait for that; raises `NotFound`, and why it could not be. Without
        a worker, or with `here`, this process does it."""
        self.get(name)
        with closing(JobsHeard(self._database)) as heard:
            self.begin([name])
            if here or not workers_there(self._database):
                self._work(name, progress)
            else:
                self._await(name, heard, progress)
        if aside := [one for one in self.queue(name).set_aside if one.kind in _AWAITED]:
            raise _trouble(aside[0])
        return self.get(name)

    def remove(self, name: str) -> GitLibrary:
        """Forget a library, its index and all work for it; raises `NotFound`."""
        found = self.get(name)
        self._registry.remove(name)
        remove_library(self.url, name)
        LibraryPlace(found, self.url).forget()
        log_writes("library remove", [(name, found.address)])
        return found

    @contextmanager
    def opened(
        self, name: str, revision: str = "", *, has_files: bool = False, progress: Progress = ignore_progress
    ) -> Iterator[Library]:
        """A library to be asked, as it is indexed or at another revision; raises `NotFound`. Its repository is needed
        for another revision, and with `has_files`. One of a folder is asked as it is indexed."""
        if name in self.of_folders():
            with open_served(self.url, name, served_corpora(self.url)[name]) as served:
                if revision:
                    with served.at(revision, progress=progress) as then:
                        yield then
                else:
                    yield served
            return
        place = LibraryPlace(self.get(name), self.url)
        opened = place.at(revision, progress) if revision else place.with_files() if has_files else place.stored()
        with opened as library:
            if not revision and not library.is_indexed:
                raise NotFound(f"The library “{name}” is not indexed yet.", f"Run pinakes library sync {name}.")
            yield library

    def _work(self, name: str, progress: Progress) -> None:
        with closing(QueueWorker(self._database, only=name, kinds=_AWAITED)) as worker:
            worker.run_once(ignore_job, progress)

    def _await(self, name: str, heard: JobsHeard, progress: Progress) -> None:
        """Until others have done it; where the last of them goes, it is done here."""
        most = 0
        while left := self._left(name):
            most = max(most, left)
            progress(Event(Phase.READING, most - left, most, name))
            if not workers_there(self._database):
                self._work(name, progress)
                return
            heard.wait(_LOOK_S)

    def _left(self, name: str) -> int:
        rows = self._database.ask(
            "SELECT count(*) FROM pinakes.jobs WHERE library = %s AND state <> 'aside' AND kind = ANY(%s::text[])",
            (name, list(_AWAITED)),
        )
        return int(rows[0][0])


def _trouble(one: SetAside) -> Unreadable:
    return Unreadable(f"{one.library} could not be brought up to date: {one.reason}", one.next_step)
