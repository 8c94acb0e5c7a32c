"""A folder of memories, each a Markdown file of its own.

Titles, bytes and ids enter, files and bytes leave. The folder:

    plan.md, work/plan.md     memories; an id is the path without its ending
    .trash/plan.md            forgotten ones; a second of the same name has the time in its name
    .lock/update.lock         held by whoever writes, so that no change is lost between reading and writing

Nothing is deleted, and only a file that was read under the lock is overwritten. This module does not know what the
files contain.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from pinakes.atomic import create_file, replace_file, sync_folder
from pinakes.errors import BadAddress, NotFound, StoreError, StoreReadOnly, Unreadable
from pinakes.folder_lock import NEXT_STEP, exclusive_lock
from pinakes.slugs import slug
from pinakes.sources.inside import LeavesRoot, open_inside, read_at_most

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


@dataclass(frozen=True, slots=True)
class FileVersion:
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
        if not os.path.lexists(self.folder):  # a cheap check: every search asks, and most libraries have no memories
            return False
        self._refuse_leaving()
        return self.folder.is_dir()

    def paths(self) -> tuple[FileVersion, ...]:
        """Every memory's file, sorted by path."""
        if not self.exists():
            return ()
        return tuple(sorted(self._listed(self.folder, ""), key=lambda facts: os.fsencode(facts.path)))

    def holds(self, path: str) -> bool:
        """Whether there is a memory at this path; links are none."""
        if not path.endswith(ENDING) or not _is_plain(path):
            return False
        try:
            return stat.S_ISREG(os.lstat(self.folder / path).st_mode)
        except OSError:
            return False

    def read(self, path: str) -> bytes:
        """A file's bytes; raises `NotFound` and `Unreadable`."""
        refuse_unsafe_path(path)
        return self._read(path)

    def create(self, title: str, data: bytes) -> str:
        """Write a new file named after a title; returns its path."""
        stem = file_stem(title)
        with self._translating_errors(f"{stem}{ENDING}"):
            self._make()
            for number in count(1):
                path = f"{stem}{ENDING}" if number == 1 else f"{stem}-{number}{ENDING}"
                if os.path.lexists(self.folder / path):
                    continue
                with suppress(FileExistsError):
                    create_file(self.folder / path, data)
                    return path
        raise AssertionError("unreachable")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of this folder; raises `StoreBusy` when another process holds it for too long."""
        with self._translating_errors(""):
            self._make()
            lock = self.folder / LOCK
            if not lock.is_dir():
                lock.mkdir(exist_ok=True)
                (lock / ".gitignore").write_text("*\n", encoding="utf-8")
        with exclusive_lock(self.folder / LOCK, "memories"):
            yield

    def replace(self, path: str, data: bytes) -> None:
        """Put new bytes in place of a file; to be called while `writing`."""
        refuse_unsafe_path(path)
        with self._translating_errors(path):
            if (self.folder / path).is_symlink():
                raise Unreadable(f"The memory “{path}” is a link; nothing was changed.", "Change the file it means.")
            replace_file(self.folder / path, data)

    def forget(self, path: str) -> str:
        """Move a file to the trash; returns what `restore` takes. To be called while `writing`."""
        refuse_unsafe_path(path)
        stem = path.removesuffix(ENDING)
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        names = (stem, f"{stem}.{now}", *(f"{stem}.{now}-{number}" for number in range(2, 1000)))
        with self._translating_errors(path):
            trashed = next(name for name in names if not os.path.lexists(self.folder / TRASH / f"{name}{ENDING}"))
            self._move(self.folder / path, self.folder / TRASH / f"{trashed}{ENDING}")
        return trashed

    def restore(self, name: str) -> str:
        """Bring a file back from the trash under its old name, or a free one; returns its path. While `writing`."""
        source = self._trashed(name)
        stem = _TIME.sub("", source.removesuffix(ENDING))
        with self._translating_errors(source):
            for number in count(1):
                path = f"{stem}{ENDING}" if number == 1 else f"{stem}-{number}{ENDING}"
                if not os.path.lexists(self.folder / path):
                    self._move(self.folder / TRASH / source, self.folder / path)
                    return path
        raise AssertionError("unreachable")

    def trash(self) -> tuple[tuple[str, str, bytes], ...]:
        """What can be restored: its name there, when it was forgotten, its bytes; the latest first."""
        if not self.exists() or not (self.folder / TRASH).is_dir():
            return ()
        found = sorted(self._listed(self.folder / TRASH, ""), key=lambda facts: (-facts.changed_ns, facts.path))
        return tuple(
            (
                facts.path.removesuffix(ENDING),
                datetime.fromtimestamp(facts.changed_ns / 1e9, UTC).isoformat(timespec="seconds"),
                self._read(f"{TRASH}/{facts.path}"),
            )
            for facts in found
        )

    def _trashed(self, name: str) -> str:
        """The one file in the trash that a name means: as it is called there, or as it was called before."""
        refuse_unsafe_path(name)
        held = [path for path, _, _ in self.trash()]
        wanted = name.removesuffix(ENDING)
        if wanted in held:
            return f"{wanted}{ENDING}"
        alike = [path for path in held if _TIME.sub("", path) == wanted]
        if alike:
            return f"{alike[0]}{ENDING}"
        raise NotFound(f"There is no “{name}” in the trash.", "pinakes memories --trash lists all forgotten memories.")

    def _listed(self, folder: Path, below: str) -> Iterator[FileVersion]:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                path = below + entry.name
                with suppress(FileNotFoundError):
                    if entry.is_dir(follow_symlinks=False):
                        yield from self._listed(folder / entry.name, f"{path}/")
                    elif entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False):
                        facts = entry.stat(follow_symlinks=False)
                        yield FileVersion(path, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)

    def _read(self, path: str) -> bytes:
        self._refuse_leaving()
        try:
            descriptor = open_inside(os.path.realpath(self.folder), path)
            try:
                data = read_at_most(descriptor, LARGEST)
            finally:
                os.close(descriptor)
        except (FileNotFoundError, NotADirectoryError, LeavesRoot):
            raise no_such_memory(path) from None
        except OSError as error:
            raise Unreadable(
                f"The memory “{path}” cannot be read: {error.strerror}.", "Check its permissions."
            ) from error
        if data is None:
            raise Unreadable(f"The memory “{path}” holds more than {LARGEST:,} bytes.", "Make several of it.")
        return data

    def _make(self) -> None:
        self._refuse_leaving()
        self.folder.mkdir(parents=True, exist_ok=True)

    def _move(self, source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.rename(source, target)
        except FileNotFoundError:
            raise no_such_memory(source.name) from None
        sync_folder(target.parent)
        sync_folder(source.parent)

    def _refuse_leaving(self) -> None:
        if self._root is not None and not Path(os.path.realpath(self.folder)).is_relative_to(self._root):
            raise StoreError(
                f"{self.folder} is a link that leaves the project, so no memories are kept there.",
                "Put a folder in its place, or remove the link.",
            )

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
