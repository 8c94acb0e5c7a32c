"""The history of git repositories as a source of documents: a commit is one, its hash is its path.

Roots enter; stamps of all commits that branches and tags lead to, and single commits as bytes, leave. Which
repositories count is settled in `repositories`, how git is called in `command`. Nothing is written anywhere.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias
from weakref import finalize

from pinakes.errors import Unreadable
from pinakes.records import HISTORY, CorpusName, Failure, Raw, Ref, Scan, Stamp, formats
from pinakes.records.history import Commit, pack
from pinakes.sources.git.command import HASH, NoGit, difference, program, reachable_commits
from pinakes.sources.git.commits import DIFF_LINES, CommitReader
from pinakes.sources.git.ref_snapshot import parse_snapshot, take_snapshot
from pinakes.sources.git.repositories import (
    Repository,
    RepositoryCandidate,
    RepositoryProblem,
    RepositoryScan,
    candidates,
    find,
)
from pinakes.sources.options import HistoryOptions

_DEFAULTS = HistoryOptions()
_LAYOUT = f"1-{DIFF_LINES}"
"""The version of every commit: what it says never changes, but how much of it is kept may."""
_MOST_CHANGES = 2000
"""Commits that came or went; more are faster compared as a whole."""
_LOOK_S = 2.0
"""How long a list of folders with repositories is good: a sync asks three times for it."""
_NEVER: tuple[float, tuple[RepositoryCandidate, ...]] = (float("-inf"), ())
_State: TypeAlias = tuple[HistoryOptions, tuple[str, ...], tuple[str, ...], tuple[Repository, ...], dict[str, int]]
"""What travels to a worker: no process, no lock."""


class GitSource:
    """Commits below some folders. Between two scans it may hold git processes open; `close` ends them."""

    def __init__(
        self, roots: Sequence[Path], options: HistoryOptions = _DEFAULTS, exclude: tuple[str, ...] = ()
    ) -> None:
        """Folders that match the patterns in `exclude` are not entered."""
        self.corpus: CorpusName = HISTORY
        self.options = options
        self._exclude = exclude
        self._roots = tuple(dict.fromkeys(os.path.realpath(root) for root in roots))
        self._repositories: tuple[Repository, ...] = ()
        self._homes: dict[str, int] = {}
        """Which repository has a commit, for those that are not in the first."""
        self._readers: dict[int, CommitReader] = {}
        self._lock = threading.Lock()
        self._looked = _NEVER
        finalize(self, _end, self._readers)

    def __getstate__(self) -> _State:
        return self.options, self._exclude, self._roots, self._repositories, self._homes

    def __setstate__(self, state: _State) -> None:
        options, self._exclude, self._roots, self._repositories, self._homes = state
        self.corpus, self.options = HISTORY, options
        self._readers, self._lock, self._looked = {}, threading.Lock(), _NEVER
        finalize(self, _end, self._readers)

    @property
    def exists(self) -> bool:
        if not self.options.enabled or next(candidates(self._roots, self._exclude), None) is not None:
            return self.options.enabled
        self._looked = time.monotonic(), ()
        return False

    @property
    def fingerprint(self) -> str:
        return f"history {_LAYOUT}"

    def snapshot(self) -> str:
        """Equal while branches, tags and repositories are the same; no program is run for it."""
        if not self.options.enabled:
            return "off"
        return str(take_snapshot(self._found(), _LAYOUT))

    def scan_since(self, before: str, now: str) -> Scan | None:
        """What came and went between two snapshots; None when only a whole scan can tell.

        Git is asked for the commits that the new refs lead to and the old ones did not, and the other way round, so
        that this costs as much as the difference.
        """
        old, new = parse_snapshot(before), parse_snapshot(now)
        if old is None or new is None or old.ground != new.ground:
            return None
        repositories = tuple(repository for repository, _ in self._found().repositories)
        if not len(repositories) == len(old.tips) == len(new.tips):
            return None
        try:
            git = program(self._roots)
            parts = [
                difference(git, repository, were, are)
                for repository, were, are in zip(repositories, old.tips, new.tips, strict=True)
            ]
        except (NoGit, OSError):
            return None
        came = {value: number for number, part in enumerate(parts) if part for value in part[0]}
        went = [value for part in parts if part for value in part[1]]
        # What one repository lost another may still have.
        if None in parts or len(came) + len(went) > _MOST_CHANGES or (went and len(repositories) > 1):
            return None
        self.close()
        self._repositories = repositories
        self._homes = {value: number for value, number in came.items() if number}
        return Scan(tuple(map(_stamp, came)), within=(*came, *went))

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        """Every commit that branches and tags lead to, repository by repository and newest first: read in this order
        git has the parts of a commit at hand that it shares with the one before.

        `paths` changes nothing: whether a commit still counts takes a look at all refs. As long as any repository
        cannot be read, the failure is at the root, so that no commit is taken for gone.
        """
        del paths
        self.close()
        if not self.options.enabled:
            return Scan(())
        found = self._found()
        self._repositories = tuple(repository for repository, _ in found.repositories)
        self._homes = {}
        problems = list(found.problems)
        listed: dict[str, int] = {}
        try:
            git = program(self._roots) if found.repositories else ""
        except NoGit as missing:
            return Scan((), (self._failure(str(missing), missing.next_step),))
        for number, (repository, refs) in enumerate(found.repositories):
            values, is_whole = reachable_commits(git, repository, {value for _, value in refs})
            for value in values:
                listed.setdefault(value, number)
            if not is_whole:
                problems.append(
                    RepositoryProblem(
                        repository.name, "Not all commits can be reached.", "git fsck says what is missing."
                    )
                )
        self._homes = {value: number for value, number in listed.items() if number}
        return Scan(tuple(map(_stamp, listed)), self._failures(problems))

    def expect(self, stamps: Sequence[Stamp]) -> None:
        """These will be read next, in this order: git is asked for some of them ahead of time. None: that was all."""
        expected: dict[int, list[str]] = {}
        for stamp in stamps:
            expected.setdefault(self._homes.get(stamp.ref.path, 0), []).append(stamp.ref.path)
        if not stamps:
            self.close()
            return
        with suppress(Unreadable), self._reading() as readers:  # `read` will say what is wrong
            for number, reader in enumerate(readers):
                reader.expect(one for one in expected.get(number, ()) if HASH.fullmatch(one))

    def read(self, stamp: Stamp) -> Raw:
        """What git says of a commit; raises `Unreadable`."""
        data = pack(self.commit(stamp.ref.path))
        return Raw(stamp, data, hashlib.blake2b(data, digest_size=16).hexdigest())

    def commit(self, value: str) -> Commit:
        """A commit by its full hash; raises `Unreadable`."""
        if not HASH.fullmatch(value):
            raise Unreadable(f"“{value}” is not the hash of a commit.")
        with self._reading() as readers:
            home = self._homes.get(value, 0)
            for reader in (*readers[home:], *readers[:home]):
                if (found := reader.read(value)) is not None:
                    return found
        raise Unreadable("No repository here holds this commit any more.", "pinakes sync forgets it.")

    def close(self) -> None:
        """End the processes; the next read starts them again."""
        with self._lock:
            _end(self._readers)

    def _found(self) -> RepositoryScan:
        """The repositories as they are now; new ones are looked for every other second only."""
        now = time.monotonic()
        if now - self._looked[0] > _LOOK_S:
            self._looked = now, tuple(candidates(self._roots, self._exclude))
        return find(self._roots, self._looked[1])

    @contextmanager
    def _reading(self) -> Iterator[Sequence[CommitReader]]:
        with self._lock:
            if not self._repositories:
                self._repositories = tuple(repository for repository, _ in self._found().repositories)
            if not self._readers:
                try:
                    git = program(self._roots)
                except NoGit as missing:
                    raise Unreadable(str(missing), missing.next_step) from missing
                for number, repository in enumerate(self._repositories):
                    self._readers[number] = CommitReader(git, repository)
            yield tuple(self._readers.values())

    def _failures(self, problems: Sequence[RepositoryProblem]) -> tuple[Failure, ...]:
        """What is refused fails at its own place; what could not be read fails at the root, so that nothing is gone."""
        refused = [
            self._failure(one.reason, one.next_step, os.path.normpath(f"{one.name}/.git").replace(os.sep, "/"))
            for one in problems
            if one.is_refused
        ]
        others = [one for one in problems if not one.is_refused]
        if not others:
            return tuple(refused)
        said = " ".join(f"{problem.name}: {problem.reason}" for problem in others)
        steps = " ".join(dict.fromkeys(one.next_step for one in others if one.next_step))
        return (*refused, self._failure(said, steps))

    def _failure(self, reason: str, next_step: str, path: str = ".") -> Failure:
        return Failure(Ref(self.corpus, path), reason, reason, next_step)


def _end(readers: dict[int, CommitReader]) -> None:
    for reader in readers.values():
        reader.close()
    readers.clear()


def _stamp(value: str) -> Stamp:
    return Stamp(Ref(HISTORY, value), _LAYOUT, formats.COMMIT)
