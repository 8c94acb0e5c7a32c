"""A folder of files as a source of documents.

A root enters; stamps of every file, bytes of single documents and reasons leave. What is listed:

- Files git would not ignore, less what ``.pinakesignore`` and the options leave out (see `rulebook`).
- Documents by their names (see `formats`); everything else as an asset, which links may point at but nobody reads.
  Hidden files, and whatever is in hidden folders, are assets.
- Never: what is inside ``.git``, ``.hg``, ``.svn``, ``.pinakes`` and ``node_modules``, virtual environments (a folder
  with ``pyvenv.cfg``), our own published output (a folder with ``.pinakes-published``), pipes, sockets and devices.
- A link to a file counts as a file of its own when its target is itself listed and not hidden, so a link shows nothing
  that would not be shown anyway. Links to folders are not entered: what is inside the root is found at its own place,
  what is outside is none of our business, and loops cannot happen.

Paths are kept exactly as on disk. It refuses to know what documents contain.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pinakes.errors import NotFound, Unreadable
from pinakes.records import CODE, DOCS, CorpusName, Failure, Media, Raw, Ref, Scan, Stamp, media_of
from pinakes.sources.code import GENERATED, readable_code
from pinakes.sources.folder_rules import NEVER_ENTERED, FolderEntry, FolderRules, RuledFolder
from pinakes.sources.inside import LeavesRoot, open_inside, read_at_most, resolve_inside
from pinakes.sources.options import FolderOptions
from pinakes.sources.partial_scan import entries_at, paths_to_scan
from pinakes.sources.rulebook import ScanProblem
from pinakes.sources.why import left_out, why, why_ignored, why_not

if TYPE_CHECKING:
    from pinakes.sources.git.repositories import Repository

_DEFAULTS = FolderOptions()
_EXISTS = "here"
"""The version of every asset: nobody reads it, so a change in it is none."""
_TICK_NS = 100_000_000
"""A file this new may be written again without its time changing, so its version counts for one scan only."""
_ALLOW = "Allow reading it, or name it in .pinakesignore."


class FolderSource:
    """Documents below a folder. Holds nothing open, and every scan looks again; what it remembers is where links are,
    because a scan of some paths must look at links elsewhere whose targets may be among them."""

    tip: tuple[Repository, str] | None = None
    """The repository and the commit that are read; None for the files on disk."""

    def __init__(
        self, root: Path, options: FolderOptions = _DEFAULTS, corpus: CorpusName = DOCS, *, is_optional: bool = False
    ) -> None:
        self.corpus = corpus
        self.is_optional = is_optional
        """Whether a folder that is not there is an empty one."""
        self.root = root
        self.options = options
        self._real = os.path.realpath(root)
        self._rules = FolderRules(self._real, options, *reads(corpus))
        self._links: frozenset[str] | None = None

    @property
    def fingerprint(self) -> str:
        return f"at most {self.options.max_file_bytes} bytes"

    @property
    def exists(self) -> bool:
        return os.path.isdir(self._real)

    def snapshot(self) -> str:
        """Nothing: a folder does not tell what changed below it."""
        return ""

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        """Every file there is now, without reading contents; raises `NotFound` when the root cannot be listed.

        With `paths`, only what is at or below them, and links: what a whole scan would find there, at the cost of those
        paths. An ignore file among them stands for the folder it governs. The first scan is always of everything.

        A folder that cannot be listed is a failure at its own path: what is below it is unknown, not gone.
        """
        if self.is_optional and not self.exists:
            return Scan(())
        problems: list[ScanProblem] = []
        wanted = None if paths is None or self._links is None else paths_to_scan(paths) | self._links
        if wanted is None or "" in wanted:
            wanted = None
            found, links = self._walk([self._rules.top()], problems)
            listed: Collection[str] = found
        else:
            found, links = self._reach(wanted, problems)
            listed = found.keys() | self._targets(links, found)
        found |= dict(self._followed(links, listed))
        self._links = frozenset(place.path + name for place, name in links)
        failures = [Failure(Ref(self.corpus, path), "", reason, _ALLOW) for path, reason in sorted(set(problems))]
        stamps = tuple([found[path] for path in sorted(found)])
        return Scan(stamps, tuple(failures), None if wanted is None else tuple(sorted(wanted)))

    def read(self, stamp: Stamp) -> Raw:
        """The document's bytes; raises `Unreadable` for anything that is not a readable document inside the root."""
        path, limit = stamp.ref.path, self.options.max_file_bytes
        if not stamp.media.is_document or path.startswith(".") or "/." in path:
            raise Unreadable(f"{stamp.ref} is not a document.", "Ask for one that is indexed.")
        try:
            data = self._data(path, limit)
        except FileNotFoundError:
            raise Unreadable(f"{stamp.ref} is no longer there.", "Run sync again.") from None
        except LeavesRoot as error:
            step = "Put the file itself in its place, or name it in .pinakesignore."
            raise Unreadable(f"{stamp.ref} {error.strerror}.", step) from None
        except OSError as error:
            raise Unreadable(f"{stamp.ref} could not be read: {error.strerror}.", _ALLOW) from None
        if data is None:
            step = "Raise max_file_bytes, or name it in .pinakesignore."
            raise Unreadable(f"{stamp.ref} holds more than {limit:,} bytes.", step)
        return Raw(stamp, data, hashlib.blake2b(data, digest_size=16).hexdigest())

    def small_file(self, path: str, limit: int) -> bytes | None:
        """A file of at most `limit` bytes that is no document, such as a configuration; None where it cannot be had."""
        with suppress(OSError):
            return self._data(path, limit)
        return None

    def _data(self, path: str, limit: int) -> bytes | None:
        """What a file or the target of a link holds; None for more than `limit` bytes; raises `OSError`."""
        descriptor = open_inside(self._real, path)
        try:
            return read_at_most(descriptor, limit)
        finally:
            os.close(descriptor)

    def _target(self, path: str) -> str:
        """Where a link leads; raises `OSError` when that is outside the root or hidden."""
        return resolve_inside(self._real, path)

    def _version_of(self, entry: FolderEntry) -> str:
        return _version(entry.stat(follow_symlinks=False))

    def _version_at(self, path: str) -> str:
        return _version(os.lstat(f"{self._real}/{path}"))

    def why(self, path: str) -> str:
        """In one sentence, whether the file at `path` below the root is indexed and which rule decided it."""
        return why(self._rules, path, self.options.max_file_bytes)

    def why_not(self, paths: Iterable[str], *, is_folder: bool = False) -> tuple[str, str] | None:
        """The first of some paths, there or not, that would be left out, with the reason; None when there is none."""
        return why_not(self._rules, paths, is_folder=is_folder)

    def why_ignored(self, path: str) -> str:
        """Why a file at a path, there or not, is ignored or hidden; empty when it is neither."""
        return why_ignored(self._rules, path)

    def followed_links(self) -> Mapping[str, str]:
        """The links to files that the last scan met, each with the path of the file it leads to."""
        found = {}
        for path in self._links or ():
            with suppress(OSError):
                found[path] = self._target(path)
        return found

    def left_out(self) -> Iterator[tuple[str, str]]:
        """Files and folders that a scan passes over, each with the reason, and nothing from inside such a folder."""
        waiting = [self._rules.top()]
        while waiting:
            place = waiting.pop()
            try:
                entries = self._rules.entries(place)
            except OSError:
                continue  # a failure, which the scan reports
            entered = self._rules.entered(place, entries, [])
            if isinstance(entered, str):
                yield place.path, entered
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below = self._rules.below(entered, entry.name)
                    if isinstance(below, str):
                        yield f"{place.path}{entry.name}/", below
                    else:
                        waiting.append(below)
                elif reason := left_out(self._rules, entered, entry):
                    yield place.path + entry.name, reason

    def _walk(
        self, waiting: list[RuledFolder], problems: list[ScanProblem]
    ) -> tuple[dict[str, Stamp], list[tuple[RuledFolder, str]]]:
        """The files in these folders and below, and the links."""
        found: dict[str, Stamp] = {}
        links: list[tuple[RuledFolder, str]] = []
        while waiting:
            place = waiting.pop()
            try:
                entries = self._rules.entries(place)
            except OSError as error:
                problems += self._unlisted(place, error)
                continue
            entered = self._rules.entered(place, entries, problems)
            if not isinstance(entered, str):
                waiting += self._sort_out(entered, entries, found, links, problems)
        return found, links

    def _reach(
        self, paths: Collection[str], problems: list[ScanProblem]
    ) -> tuple[dict[str, Stamp], list[tuple[RuledFolder, str]]]:
        """The files and links at these paths and below."""
        found: dict[str, Stamp] = {}
        links: list[tuple[RuledFolder, str]] = []
        folders: list[RuledFolder] = []
        for place, entry in entries_at(self._rules, paths, problems, self._unlisted):
            folders += self._sort_out(place, [entry], found, links, problems)
        below, more = self._walk(folders, problems)
        return found | below, links + more

    def _targets(self, links: list[tuple[RuledFolder, str]], found: Mapping[str, Stamp]) -> set[str]:
        """What links lead to and a scan lists, of what was not looked at."""
        targets = set()
        for place, name in links:
            with suppress(OSError):
                targets.add(self._target(place.path + name))
        listed: dict[str, Stamp] = {}
        for place, entry in entries_at(self._rules, targets - found.keys(), [], self._unlisted):
            self._sort_out(place, [entry], listed, [], [])
        return targets & listed.keys()

    def _sort_out(
        self,
        place: RuledFolder,
        entries: Sequence[FolderEntry],
        found: dict[str, Stamp],
        links: list[tuple[RuledFolder, str]],
        problems: list[ScanProblem],
    ) -> list[RuledFolder]:
        """Files go to `found` and links to `links`; the folders to enter are returned."""
        corpus, rules, folder, has_rules = self.corpus, self._rules, place.path, bool(place.book.order)
        below = []
        for entry in entries:
            name = entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    inner = rules.below(place, name)
                    if not isinstance(inner, str):
                        below.append(inner)
                elif name in NEVER_ENTERED or (has_rules and rules.left_out(place, name)):
                    continue
                elif entry.is_file(follow_symlinks=False):
                    path = folder + name
                    media = rules.media(place, name)
                    version = self._version_of(entry) if media.is_document else _EXISTS
                    found[path] = Stamp(Ref(corpus, path), version, media)
                elif entry.is_symlink():
                    links.append((place, name))
            except FileNotFoundError:
                continue
            except OSError as error:
                problems.append(ScanProblem(folder + name, f"This file cannot be looked at: {error.strerror}."))
        return below

    def _followed(self, links: list[tuple[RuledFolder, str]], listed: Collection[str]) -> Iterator[tuple[str, Stamp]]:
        """Links to files that are listed, as files of their own."""
        for place, name in links:
            path = place.path + name
            media = self._rules.media(place, name)
            try:
                target = self._target(path)
                if target in listed:
                    version = self._version_at(target) if media.is_document else _EXISTS
                    yield path, Stamp(Ref(self.corpus, path), version, media)
            except OSError:
                continue

    def _unlisted(self, place: RuledFolder, error: OSError) -> list[ScanProblem]:
        if not place.path:
            raise NotFound(
                f"The folder {self.root} cannot be read: {error.strerror}.", "Check the path and its permissions."
            ) from error
        if isinstance(error, FileNotFoundError):
            return []
        return [ScanProblem(place.path.rstrip("/"), f"This folder cannot be listed: {error.strerror}.")]


def reads(corpus: CorpusName) -> tuple[Callable[[str], Media], Collection[str] | None]:
    """How a name tells what a file counts as in a corpus, and which files programs make, where that matters."""
    return (readable_code, GENERATED) if corpus == CODE else (media_of, None)


def _version(facts: os.stat_result) -> str:
    # Nobody can set the last: it tells of an edit that kept size and time, and of rights that were given back.
    version = f"{facts.st_size}-{facts.st_mtime_ns}-{facts.st_ctime_ns}"
    now = time.time_ns()
    # A time in the future is as good as one in the past: a write would set it to the present.
    return version if abs(now - facts.st_mtime_ns) > _TICK_NS else f"{version}-{now}"
