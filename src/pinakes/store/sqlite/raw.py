"""Reading a database file past SQLite, without breaking the locks that SQLite holds on it.

POSIX systems forget all locks of a process on a file as soon as the process closes any descriptor of that file. So a
descriptor that was opened here stays open, to be used again, until nothing in the process has the file open any more.
That is a fact about the process, hence the one table for all of it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from pinakes.own_folder import OwnFolder

Identity = tuple[int, int]
"""Device and inode."""


@dataclass(slots=True)
class _SharedFile:
    users: int = 0
    """Connections, and readers that are reading now."""
    file: BinaryIO | None = None


_SHARED: dict[Identity, _SharedFile] = {}
_CHANGING = threading.RLock()


def identity(folder: OwnFolder, name: str) -> Identity:
    """Device and inode; (0, 0) when the file is missing."""
    try:
        found = os.lstat(folder.path / name)
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def share(folder: OwnFolder, name: str) -> Identity:
    """A connection is about to be opened; what is returned goes to `release` once it is closed."""
    key = identity(folder, name)
    with _CHANGING:
        _SHARED.setdefault(key, _SharedFile()).users += 1
    return key


def release(key: Identity) -> None:
    """The counterpart of `share`: the last user closes the descriptor."""
    with _CHANGING:
        shared = _SHARED[key]
        shared.users -= 1
        if not shared.users:
            del _SHARED[key]
            if shared.file is not None:
                shared.file.close()


@contextmanager
def raw(folder: OwnFolder, name: str) -> Iterator[Callable[[int, int], bytes]]:
    """A function that reads so many bytes from a place in the file; raises `OSError`."""
    with _CHANGING:
        key = identity(folder, name)
        file = _SHARED[key].file if key in _SHARED else None
        if file is None:
            file = folder.open(name)
            found = os.fstat(file.fileno())  # another file may have taken the name in between
            key = (found.st_dev, found.st_ino)
            _SHARED.setdefault(key, _SharedFile()).file = file
        _SHARED[key].users += 1
    try:
        yield lambda count, place: _read(file.fileno(), count, place)
    finally:
        release(key)


def _read(descriptor: int, count: int, place: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, place)
    with _CHANGING:
        os.lseek(descriptor, place, os.SEEK_SET)
        return os.read(descriptor, count)
