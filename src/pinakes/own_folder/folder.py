"""A folder of ours, and the one way to the files in it.

Names enter; bytes, files and facts leave. A repository can bring links along at any moment, even while a server runs,
so every access walks from a folder of the user's (`top`) down to ours, each step relative to the one before and none
through a link. What is met there is a plain file or a folder, or `StoreStrange` is raised; nothing else is read,
written, emptied or moved. What is missing is `FileNotFoundError`: it can be made again. No descriptor outlives a call,
so a folder that was removed and made again is found again; only work on thousands of files asks for `keeping_open`.

Libraries that open files by path get one from `path_of`, after the same look.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from pinakes.errors import StoreStrange
from pinakes.own_folder.held import CAN_HOLD, PLAIN, HeldFolder, hold, is_ours, refuse_paths

MOST_BYTES = 64_000_000
_HARD_LINK = "is a hard link: the same file has another name elsewhere"


class OwnEntry(NamedTuple):
    """Something in a folder of ours."""

    name: str
    facts: os.stat_result

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.facts.st_mode)


class OwnFolder(Struct, frozen=True, dict=True):
    """The last `depth` parts of `path` are ours: none of them may be a link."""

    path: Path
    depth: int = 1
    is_shared: bool = False
    """Whether it is part of the repository, as memories are: git and the umask decide about rights, a group may own it,
    and links that lie there are left alone. Otherwise folders and files are for their owner only."""
    next_step: str = "Remove it; what belongs there is made again."
    """What to do about something strange."""

    @classmethod
    def below(cls, top: Path, path: Path) -> OwnFolder:
        """Everything from `top` down is ours if `path` lies below it, else its last part."""
        return cls(path, len(path.relative_to(top).parts) if path != top and path.is_relative_to(top) else 1)

    @classmethod
    def of_user(cls, path: Path) -> OwnFolder:
        """A folder of the user's outside of any project, where links are the user's own."""
        return cls(Path(os.path.realpath(path)))

    def folder(self, *names: str) -> OwnFolder:
        """A folder in this one, there or not."""
        for name in names:
            refuse_paths(name)
        return replace(self, path=self.path.joinpath(*names), depth=self.depth + len(names))

    @property
    def parent(self) -> OwnFolder | None:
        """The folder of ours that this one lies in; None for the uppermost."""
        return replace(self, path=self.path.parent, depth=self.depth - 1) if self.depth > 1 else None

    def make(self, *, levels: int | None = None, unseen: bool = False, parents: bool = False) -> OwnFolder:
        """Make it, and what lies above: all that is ours, or `levels`, or with `parents` everything; raises `OSError`.
        With `unseen`, git is told to leave out each that is made. Rights that are too wide are taken back."""
        parts = self._own_parts()
        if parents:
            for place in reversed(self.path.parents[self.depth - 1 :]):
                if not place.is_dir():
                    place.mkdir(0o700, exist_ok=True)
        for number in range(0 if levels is None else max(len(parts) - levels, 0), len(parts)):
            with suppress(FileExistsError):
                with self._held(up_to=number) as above:
                    os.mkdir(above.at(parts[number]), 0o777 if self.is_shared else 0o700, dir_fd=above.descriptor)
                if unseen:
                    with self._held(up_to=number + 1) as made:
                        self._write(made, ".gitignore", b"*\n", durable=False)
        with self._held() as held:
            if not self.is_shared and os.name != "nt":
                rights = os.stat(".", dir_fd=held.descriptor).st_mode
                if rights & 0o077:
                    with suppress(OSError), held.opened() as opened:  # it may be another user's, and be read only
                        os.chmod(opened, stat.S_IMODE(rights) & 0o700)
        return self

    def exists(self) -> bool:
        """Whether it is there; raises `StoreStrange` when something else is."""
        with suppress(FileNotFoundError, NotADirectoryError):
            self.check()
            return True
        return False

    def check(self) -> None:
        """Raise `StoreStrange` when a part is a link or no folder, `FileNotFoundError` when it is gone."""
        with self._held():
            pass

    def facts(self, name: str) -> os.stat_result | None:
        """Size, times and rights of a plain file; None when there is none."""
        with self._held() as held:
            return self._look(held, name)

    def holds(self, name: str) -> bool:
        """Whether there is a plain file of that name; raises `StoreStrange` when there is something else."""
        with suppress(FileNotFoundError, NotADirectoryError):
            return self.facts(name) is not None
        return False

    def entries(self) -> tuple[OwnEntry, ...]:
        """The plain files and folders in it, by name. In a folder that is shared everything else is left out."""
        found = []
        with self._held() as held:
            with held.opened() as opened:
                names = sorted(os.listdir(opened))
            for name in names:
                with suppress(FileNotFoundError):
                    entry = OwnEntry(name, held.lstat(name))
                    fault = "" if entry.is_folder else self._fault(held, entry.name, entry.facts)
                    if fault and not self.is_shared:
                        raise self._strange(name, fault)
                    if not fault:
                        found.append(entry)
        return tuple(found)

    def names(self) -> tuple[list[str], list[str]]:
        """The names of the folders and of the plain files in it, sorted; quicker than `entries`."""
        folders, files = [], []
        with self._held() as held, held.opened() as opened, os.scandir(opened) as listed:
            for entry in listed:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif not self.is_shared:
                    raise self._strange(entry.name, "is a link or no plain file")
        return sorted(folders), sorted(files)

    def read(self, name: str, limit: int = MOST_BYTES) -> bytes:
        """A whole file; raises `OSError`, with `EFBIG` for one that holds more than `limit` bytes."""
        with self.open(name) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(self.path / name))
        return data

    def open(self, name: str) -> BinaryIO:
        """A file to be read."""
        with self._held() as held:
            return os.fdopen(self._descriptor(held, name, os.O_RDONLY), "rb")

    def open_to_write(self, name: str, *, create: bool = False) -> BinaryIO:
        """A file to be changed in place; it has no other name and is nobody else's. With `create` it may be new."""
        with self._held(writes=True) as held:
            with suppress(FileExistsError):
                if create:
                    return os.fdopen(held.new(name, self._rights, os.O_RDWR), "r+b")
            return os.fdopen(self._descriptor(held, name, os.O_RDWR, is_changed=True), "r+b")

    def touch(self, name: str) -> None:
        """See to it that there is a file with no other name, empty when it is new. One that is there is not opened:
        closing a file gives up the locks that this process holds on it."""
        with self._held(writes=True) as held:
            old = self._look(held, name)
            if old is None:
                with suppress(FileExistsError):
                    os.close(held.new(name, self._rights))
            elif self._has_other_name(held, name, old):
                raise self._strange(name, _HARD_LINK)

    def empty(self, name: str) -> None:
        """Leave nothing in a file, whoever has it open. Its descriptor stays open for the sake of the locks that this
        process may hold on it, so this is for rare accidents."""
        with self._held(writes=True) as held:
            os.ftruncate(self._descriptor(held, name, os.O_RDWR, is_changed=True), 0)

    def replace(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Put `data` in place of a file, as a whole or not at all; raises `OSError`. Killed at any moment, it leaves
        the old file or the new one, and at worst a hidden file that nobody reads.

        A `durable` file outlives a power cut from the return of the call on. Without, which is quicker, a power cut may
        leave any content: right for what is checked when it is read and can be made again.
        """
        with self._held(writes=True) as held:
            self._write(held, name, data, durable=durable)

    def create(self, name: str, data: bytes) -> None:
        """Make a durable file that is not there yet; raises `FileExistsError`, and `OSError` for everything else."""
        with self._held(writes=True) as held:
            written = held.written(data, self._rights, durable=True)
            try:
                held.rename_to_free(written, held, name)
            except BaseException:
                held.forget(written)
                raise
            held.flush()

    def copy(self, name: str, into: OwnFolder) -> None:
        """Put a copy of a file into another folder of ours, which has none of that name; raises `OSError`."""
        with self.open(name) as file, into.open_to_write(name, create=True) as other:
            shutil.copyfileobj(file, other, 1 << 20)

    def remove(self, name: str, *, durable: bool = False) -> None:
        """Remove a file, if it is there. Of a link the name goes, and what it leads to stays."""
        with suppress(FileNotFoundError), self._held(writes=True) as held:
            os.unlink(held.at(name), dir_fd=held.descriptor)
            if durable:
                held.flush()

    def remove_empty(self, name: str) -> None:
        """Remove a folder that holds nothing; raises `OSError`."""
        with self._held(writes=True) as held:
            os.rmdir(held.at(name), dir_fd=held.descriptor)

    def remove_tree(self, name: str) -> None:
        """Remove whatever has that name, a folder with all that is in it; what cannot be removed stays."""
        with suppress(OSError), self._held(writes=True) as held:
            if stat.S_ISDIR(held.lstat(name).st_mode):
                shutil.rmtree(held.at(name), ignore_errors=True, dir_fd=held.descriptor)
            else:
                os.unlink(held.at(name), dir_fd=held.descriptor)

    def move(self, name: str, into: OwnFolder, new_name: str, *, durable: bool = True, replaces: bool = True) -> None:
        """Give a file or a folder another name and place; raises `OSError`. A file that is there gives way, or with
        `replaces` false is a `FileExistsError`; then only a file can be moved."""
        with self._held(writes=True) as held, into._held(writes=True) as other:
            if not stat.S_ISDIR(held.lstat(name).st_mode):
                self._look(held, name)
            (held.rename if replaces else held.rename_to_free)(name, other, new_name)
            if durable:
                other.flush()
                held.flush()

    def path_of(self, name: str) -> Path:
        """Where a plain file is or may be made, for a library that opens by path: just now no link leads there.
        Raises `FileNotFoundError` when the folder is gone."""
        self.facts(name)
        return self.path / name

    def resolved(self, name: str) -> str:
        """The path of a file with the user's own links resolved: where a library must come out."""
        return os.path.join(os.path.realpath(self._top()), *self._own_parts(), name)

    # How it is reached.

    def _top(self) -> str:
        return self._way[0]

    def _own_parts(self) -> tuple[str, ...]:
        return self._way[1]

    @cached_property
    def _way(self) -> tuple[str, tuple[str, ...]]:
        """The user's folder to begin with, and the names of ours from there."""
        return str(self.path.parents[self.depth - 1]), self.path.parts[-self.depth :]

    @contextmanager
    def _held(self, up_to: int | None = None, *, writes: bool = False) -> Iterator[HeldFolder]:
        """This folder, or the one that so many of our parts lead to. Errors inside name whole paths."""
        try:
            parts = self._own_parts()[:up_to]
            with hold(self._top(), parts, self.next_step, writes=writes and not self.is_shared) as held:
                yield held
        except OSError as error:
            if isinstance(error.filename, str):
                error.filename = os.path.join(self.path, error.filename)
            raise

    def _descriptor(self, held: HeldFolder, name: str, flags: int, *, is_changed: bool = False) -> int:
        if not CAN_HOLD:
            self._look(held, name)
        try:
            descriptor = os.open(held.at(name), flags | PLAIN, dir_fd=held.descriptor)
        except OSError:
            self._look(held, name)  # which says more of links, pipes and sockets
            raise
        try:
            self._refuse(held, name, os.fstat(descriptor), is_changed=is_changed)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    @property
    def _rights(self) -> int:
        return 0o666 if self.is_shared else 0o600

    def _write(self, held: HeldFolder, name: str, data: bytes, *, durable: bool) -> None:
        old = self._look(held, name)
        rights = stat.S_IMODE(old.st_mode) if old is not None and self.is_shared else None
        written = held.written(data, self._rights, rights, durable=durable)
        try:
            held.rename(written, held, name)
        except BaseException:
            held.forget(written)
            raise
        if durable:
            held.flush()

    # What is met.

    def _look(self, held: HeldFolder, name: str) -> os.stat_result | None:
        """A plain file of ours, or None; raises `IsADirectoryError` for a folder."""
        try:
            facts = held.lstat(name)
        except FileNotFoundError:
            return None
        self._refuse(held, name, facts)
        return facts

    def _refuse(self, held: HeldFolder, name: str, facts: os.stat_result, *, is_changed: bool = False) -> None:
        if stat.S_ISDIR(facts.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self.path / name))
        if fault := self._fault(held, name, facts, is_changed=is_changed):
            raise self._strange(name, fault)

    def _fault(self, held: HeldFolder, name: str, facts: os.stat_result, *, is_changed: bool = False) -> str:
        """Why something is no plain file of ours; nothing when it is."""
        if not stat.S_ISREG(facts.st_mode):
            return "is a link" if stat.S_ISLNK(facts.st_mode) else "is no plain file"
        if (is_changed or not self.is_shared) and self._has_other_name(held, name, facts):
            return _HARD_LINK
        return "belongs to another user" if is_changed and not is_ours(facts) else ""

    def _has_other_name(self, held: HeldFolder, name: str, facts: os.stat_result) -> bool:
        """Whether a file has a name elsewhere. One that is being created has two names here for a moment, and one that
        was replaced since it was opened has none."""
        if facts.st_nlink <= 1:
            return False
        with held.opened() as opened, os.scandir(opened) as listed:
            here = sum(entry.inode() == facts.st_ino for entry in listed)
        return held.lstat(name).st_nlink > here

    def _strange(self, name: str, fault: str) -> StoreStrange:
        return StoreStrange(f"{self.path / name} {fault}.", self.next_step)
