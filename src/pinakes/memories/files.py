"""A folder of memories, each a Markdown file of its own.

Titles, bytes and ids enter, files and bytes leave. The folder:

    plan.md, work/plan.md     memories; an id is the path without its ending
    .trash/plan.md            forgotten ones; a second of the same name has the time in its name
    .lock/update.lock         held by whoever writes, so that no change is lost between reading and writing

Nothing is deleted, and only a file that was read under the lock is overwritten. A link is no memory: it is neither read
nor changed, and nothing is put where one leads to. This module does not know what the files contain.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from msgspec import Struct

from pinakes.errors import BadAddress, NotFound, StoreError, StoreReadOnly, StoreStrange, Unreadable
from pinakes.folder_lock import NEXT_STEP, exclusive_lock
from pinakes.memories.location import reach_memories
from pinakes.own_folder import OwnFolder
from pinakes.slugs import slug

ENDING = ".md"
TRASH = ".trash"
LOCK = ".lock"
LARGEST = 10_000_000
"""Bytes of a file that are read; one of our own holds a tenth of that."""
_LONGEST_PATH = 1000
_LONGEST_NAME = 80
_LONGEST_NAME_BYTES = 200
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)\Z")
"""Names that mean devices on Windows."""
_TIME = re.compile(r"\.\d{8}T\d{6}Z(?:-\d+)?\Z")
_NO_NAME = re.compile("[\x00-\x1f\x7f-\x9f\\\\:]")


class FileVersion(Struct, frozen=True):
    """Size, times and inode of a file: equal while the file is unchanged."""

    path: str
    size: int
    modified_ns: int
    changed_ns: int
    inode: int


class MemoryFiles:
    """The files of one folder. Holds no file open between calls."""

    def __init__(self, folder: Path, root: Path | None = None) -> None:
        self.folder = folder
        self._root = root
        """The folder must lie inside this root; None for the user's own data folder."""

    def exists(self) -> bool:
        """Whether anything was ever remembered here; raises when the folder is a link that leaves the root."""
        # A cheap check: every search asks, and most libraries have no memories.
        return os.path.lexists(self.folder) and self._own().exists()

    def paths(self) -> tuple[FileVersion, ...]:
        """Every memory's file, sorted by path."""
        if not self.exists():
            return ()
        return tuple(sorted(self._listed(self._own(), ""), key=lambda facts: os.fsencode(facts.path)))

    def holds(self, path: str) -> bool:
        """Whether there is a memory at this path; links are none."""
        if not path.endswith(ENDING) or not _is_plain(path):
            return False
        try:
            folder, name = self._at(path)
            return folder.holds(name)
        except (OSError, StoreError):
            return False

    def read(self, path: str) -> bytes:
        """A file's bytes; raises `NotFound` and `Unreadable`."""
        refuse_unsafe_path(path)
        return self._read(path)

    def create(self, title: str, data: bytes) -> str:
        """Write a new file named after a title; returns its path."""
        stem = file_stem(title)
        with self._translating_errors(f"{stem}{ENDING}"):
            own = self._make()
            for number in count(1):
                path = f"{stem}{ENDING}" if number == 1 else f"{stem}-{number}{ENDING}"
                with suppress(FileExistsError):
                    own.create(path, data)
                    return path
        raise AssertionError("unreachable")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of this folder; raises `StoreBusy` when another process holds it for too long."""
        with self._translating_errors(""):
            lock = self._make().folder(LOCK).make(unseen=True)
        with exclusive_lock(lock, "memories"):
            yield

    def replace(self, path: str, data: bytes) -> None:
        """Put new bytes in place of a file; to be called while `writing`."""
        refuse_unsafe_path(path)
        with self._translating_errors(path):
            folder, name = self._at(path)
            folder.replace(name, data)

    def forget(self, path: str) -> str:
        """Move a file to the trash; returns what `restore` takes. To be called while `writing`."""
        refuse_unsafe_path(path)
        stem = path.removesuffix(ENDING)
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        names = (stem, f"{stem}.{now}", *(f"{stem}.{now}-{number}" for number in range(2, 1000)))
        with self._translating_errors(path):
            for trashed in names:
                with suppress(FileExistsError):
                    self._move(path, f"{TRASH}/{trashed}{ENDING}")
                    return trashed
        raise StoreError(f"“{stem}” was forgotten too often just now.", "Try again in a second.")

    def restore(self, name: str) -> str:
        """Bring a file back from the trash under its old name, or a free one; returns its path. While `writing`."""
        source = self._trashed(name)
        stem = _TIME.sub("", source.removesuffix(ENDING))
        with self._translating_errors(source):
            for number in count(1):
                path = f"{stem}{ENDING}" if number == 1 else f"{stem}-{number}{ENDING}"
                with suppress(FileExistsError):
                    self._move(f"{TRASH}/{source}", path)
                    return path
        raise AssertionError("unreachable")

    def trash(self) -> tuple[tuple[str, str, bytes], ...]:
        """What can be restored and read: its name there, when it was forgotten, its bytes; the latest first."""
        found = []
        for facts in self._in_trash():
            when = datetime.fromtimestamp(facts.changed_ns / 1e9, UTC).isoformat(timespec="seconds")
            with suppress(NotFound, Unreadable):
                found.append((facts.path.removesuffix(ENDING), when, self._read(f"{TRASH}/{facts.path}")))
        return tuple(found)

    def _in_trash(self) -> list[FileVersion]:
        """The latest first."""
        if not self.exists() or not (trash := self._own().folder(TRASH)).exists():
            return []
        return sorted(self._listed(trash, ""), key=lambda facts: (-facts.changed_ns, facts.path))

    def _trashed(self, name: str) -> str:
        """The one file in the trash that a name means: as it is called there, or as it was called before."""
        refuse_unsafe_path(name)
        held = [facts.path.removesuffix(ENDING) for facts in self._in_trash()]
        wanted = name.removesuffix(ENDING)
        if wanted in held:
            return f"{wanted}{ENDING}"
        alike = [path for path in held if _TIME.sub("", path) == wanted]
        if alike:
            return f"{alike[0]}{ENDING}"
        raise NotFound(f"There is no “{name}” in the trash.", "pinakes memories --trash lists all forgotten memories.")

    def _own(self) -> OwnFolder:
        return reach_memories(self.folder, self._root)

    def _make(self) -> OwnFolder:
        return self._own().make(parents=self._root is None)

    def _at(self, path: str) -> tuple[OwnFolder, str]:
        """The folder and the name that a path means."""
        *folders, name = path.split("/")
        return self._own().folder(*folders), name

    def _listed(self, folder: OwnFolder, below: str) -> Iterator[FileVersion]:
        for name, facts in folder.entries():
            path = below + name
            if name.startswith(".") or len(path) >= _LONGEST_PATH:
                continue
            if stat.S_ISDIR(facts.st_mode):
                with suppress(FileNotFoundError, NotADirectoryError, StoreStrange):  # changed since it was listed
                    yield from self._listed(folder.folder(name), f"{path}/")
            elif name.endswith(ENDING):
                yield FileVersion(path, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)

    def _read(self, path: str) -> bytes:
        folder, name = self._at(path)
        try:
            return folder.read(name, LARGEST)
        except (FileNotFoundError, NotADirectoryError, StoreStrange):
            raise no_such_memory(path) from None
        except OSError as error:
            if error.errno == errno.EFBIG:
                problem = f"The memory “{path}” holds more than {LARGEST:,} bytes."
                raise Unreadable(problem, "Make several of it.") from None
            raise Unreadable(
                f"The memory “{path}” cannot be read: {error.strerror}.", "Check its permissions."
            ) from error

    def _move(self, path: str, new_path: str) -> None:
        """Raises `FileExistsError` where something has the new name, whoever put it there."""
        (source, name), (target, new_name) = self._at(path), self._at(new_path)
        target.make()
        try:
            source.move(name, target, new_name, replaces=False)
        except FileNotFoundError:
            raise no_such_memory(path) from None

    @contextmanager
    def _translating_errors(self, path: str) -> Iterator[None]:
        """Translate the system's errors into `StoreError`s that name the path and the next step."""
        try:
            yield
        except PermissionError as error:
            raise StoreReadOnly(f"{self.folder / path} cannot be written: {error.strerror}.", NEXT_STEP) from error
        except OSError as error:
            raise StoreError(f"{self.folder / path} cannot be written: {error.strerror}.", NEXT_STEP) from error


def no_such_memory(path: str) -> NotFound:
    """The error for a memory that does not exist."""
    name = path.removesuffix(ENDING)
    return NotFound(f"There is no memory “{name}”.", "pinakes memories lists them.")


def _is_plain(path: str) -> bool:
    """Whether a path can name a memory: below the folder, nothing hidden, nothing that some system reads otherwise."""
    parts = path.split("/")
    return not _NO_NAME.search(path) and len(path) < _LONGEST_PATH and all(part and part[0] != "." for part in parts)


def refuse_unsafe_path(path: str) -> None:
    """Raise `BadAddress` for a path that is no plain path below the folder."""
    if not _is_plain(path):
        raise BadAddress(f"“{path[:100]}” does not name a memory.", "pinakes memories lists their ids.")


def file_stem(title: str) -> str:
    """A file's name from a title: plain, short and the same on every system."""
    apart = re.sub(r"[/\\.:#]+", " ", unicodedata.normalize("NFC", title))
    stem = re.sub("-{2,}", "-", slug(apart)).strip("-_")[:_LONGEST_NAME]
    while len(stem.encode()) > _LONGEST_NAME_BYTES:
        stem = stem[:-1]
    stem = stem.strip("-_")
    return f"memory-{stem}".rstrip("-") if not stem or _RESERVED.match(stem) else stem
