"""A folder held open for the length of a call, reached step by step without following a link.

A path of the user's and the parts below it that are ours enter; a descriptor leaves that nothing swapped in on the way
can lead elsewhere.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import NamedTuple

from pinakes.errors import StoreStrange

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
CAN_HOLD = os.open in os.supports_dir_fd and bool(NO_FOLLOW)
"""Else what is left is to look first and open then."""
PLAIN = NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without waiting: opening a pipe that nobody writes to would hang."""
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES)
"""What file systems without them say."""
_FOLDER = getattr(os, "O_DIRECTORY", 0)
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | _FOLDER


class HeldFolder(NamedTuple):
    """Names in it are used with its descriptor; where the system has none, with its path."""

    descriptor: int | None
    path: str

    def at(self, name: str) -> str:
        """The name as a call with `descriptor` takes it; raises `StoreStrange` for one that leads elsewhere."""
        refuse_paths(name)
        return name if self.descriptor is not None else os.path.join(self.path, name)

    @contextmanager
    def opened(self) -> Iterator[int | str]:
        """For what a step on the way cannot do: list it, flush it, change its rights."""
        if self.descriptor is None:
            yield self.path
            return
        descriptor = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=self.descriptor)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def new(self, name: str, rights: int, flags: int = os.O_WRONLY) -> int:
        """A descriptor of a file that was not there before; raises `FileExistsError`."""
        return os.open(self.at(name), flags | os.O_CREAT | os.O_EXCL | PLAIN, rights, dir_fd=self.descriptor)

    def written(self, data: bytes, rights: int, exactly: int | None = None, *, durable: bool) -> str:
        """The name of a new hidden file with this content. The umask narrows `rights`, not those given `exactly`."""
        name = f".pinakes-{secrets.token_hex(8)}.new"
        try:
            with os.fdopen(self.new(name, rights), "wb") as file:
                file.write(data)
                if exactly is not None:
                    os.chmod(file.fileno() if os.chmod in os.supports_fd else self.at(name), exactly)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
        except BaseException:
            self.forget(name)
            raise
        return name

    def lstat(self, name: str) -> os.stat_result:
        """Facts of whatever has that name, a link too; raises `FileNotFoundError`."""
        return os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def rename(self, name: str, other: HeldFolder, new_name: str) -> None:
        """Give a file another name, over one that is there."""
        os.replace(self.at(name), other.at(new_name), src_dir_fd=self.descriptor, dst_dir_fd=other.descriptor)

    def rename_to_free(self, name: str, other: HeldFolder, new_name: str) -> None:
        """Give a file another name that nothing has; raises `FileExistsError`. Unlike `rename` it never takes the place
        of a file that appeared meanwhile."""
        old, new = self.at(name), other.at(new_name)
        try:
            follow = os.link not in os.supports_follow_symlinks
            os.link(old, new, src_dir_fd=self.descriptor, dst_dir_fd=other.descriptor, follow_symlinks=follow)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.close(other.new(new_name, 0o600))
            self.rename(name, other, new_name)
        else:
            os.unlink(old, dir_fd=self.descriptor)

    def forget(self, name: str) -> None:
        """Remove a name, if that can be."""
        with suppress(OSError):
            os.unlink(self.at(name), dir_fd=self.descriptor)

    def flush(self) -> None:
        """See to it that a new name outlives a power cut, where the system can do that."""
        if self.descriptor is not None:
            with suppress(OSError), self.opened() as opened:  # some file systems cannot; the file itself is written
                os.fsync(int(opened))


@contextmanager
def hold(top: str, parts: Sequence[str], next_step: str, *, writes: bool = False) -> Iterator[HeldFolder]:
    """The folder that `parts` lead to from `top`; raises `StoreStrange` for a link among them, and `OSError`.

    A folder to be written in belongs to us. `next_step` is what the error advises.
    """
    kept = _KEPT.get()
    here: int | None
    if kept is not None:
        here = kept.reach(top, tuple(parts), next_step)
        yield _checked(HeldFolder(here, os.path.join(top, *parts)), next_step, writes)
        return
    path = top
    here = os.open(top, _STEP) if CAN_HOLD else None
    try:
        for part in parts:
            path = os.path.join(path, part)
            if here is None:
                _refuse_link(path, os.lstat(path), next_step)
                continue
            step = _step(part, here, path, next_step)
            os.close(here)
            here = step
        yield _checked(HeldFolder(here, path), next_step, writes)
    finally:
        if here is not None:
            os.close(here)


class _KeptFolders:
    """Folders that stay open for the length of a longer work, each reached from the one above it."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, tuple[str, ...]], int] = {}

    def reach(self, top: str, parts: tuple[str, ...], next_step: str) -> int:
        """The folder that `parts` lead to; those on the way stay open as well."""
        found = self._open.pop((top, parts), None)
        if found is None and parts:
            above = self.reach(top, parts[:-1], next_step)
            found = _step(parts[-1], above, os.path.join(top, *parts), next_step)
        elif found is None:
            found = os.open(top, _STEP)
        self._open[top, parts] = found  # the last one used is the last one to be closed
        while len(self._open) > _MOST_KEPT:
            os.close(self._open.pop(next(iter(self._open))))
        return found

    def close(self) -> None:
        """Give all of them back."""
        while self._open:
            os.close(self._open.popitem()[1])


_KEPT: ContextVar[_KeptFolders | None] = ContextVar("kept folders", default=None)
_MOST_KEPT = 64
"""More than the steps of one call, so that what it holds is not closed under it."""


@contextmanager
def keeping_open() -> Iterator[None]:
    """Let folders of ours stay open between calls inside, for work on thousands of files; a folder that is removed and
    made again meanwhile is not found again."""
    if not CAN_HOLD:
        yield
        return
    kept = _KeptFolders()
    token = _KEPT.set(kept)
    try:
        yield
    finally:
        _KEPT.reset(token)
        kept.close()


def _step(part: str, here: int, path: str, next_step: str) -> int:
    """A folder in an open one, which `path` names in errors."""
    try:
        return os.open(part, _STEP | NO_FOLLOW, dir_fd=here)
    except OSError as error:
        error.filename = path
        with suppress(FileNotFoundError):
            _refuse_link(path, os.stat(part, dir_fd=here, follow_symlinks=False), next_step)
        raise


def _checked(held: HeldFolder, next_step: str, writes: bool) -> HeldFolder:  # noqa: FBT001 - as it was asked for
    if writes and held.descriptor is not None and not is_ours(os.fstat(held.descriptor)):
        raise StoreStrange(f"{held.path} belongs to another user.", next_step)
    return held


def refuse_paths(name: str) -> None:
    """Raise `StoreStrange` for what is not a single name."""
    if name in ("", ".", "..") or "/" in name or os.sep in name or "\0" in name:
        raise StoreStrange(f"{name!r} does not name a file.")


def is_ours(facts: os.stat_result) -> bool:
    """Ours or the administrator's, whom everybody has to trust."""
    return os.name == "nt" or os.geteuid() in (0, facts.st_uid) or facts.st_uid == 0


def _refuse_link(path: str, facts: os.stat_result, next_step: str) -> None:
    if stat.S_ISLNK(facts.st_mode):
        raise StoreStrange(f"{path} is a link.", next_step)
    if not stat.S_ISDIR(facts.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
