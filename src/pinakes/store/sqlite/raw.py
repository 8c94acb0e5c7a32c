"""Reading a database file past SQLite, without breaking the locks that SQLite holds on it.

POSIX systems forget all locks of a process on a file as soon as the process closes any descriptor of that file. So
while this process has a connection to a database, a descriptor of it that was opened here stays open, to be used again,
and is closed with the last connection. That is a fact about the process, hence the one table for all of it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

Identity = tuple[int, int]
"""Device and number of a file."""


@dataclass(slots=True)
class _Held:
    """What this process has of one file."""

    connections: int = 0
    readers: int = 0
    descriptor: int = -1


_HELD: dict[Identity, _Held] = {}
_CHANGING = threading.RLock()


def identity(path: Path) -> Identity:
    """Tells one database file from another that took its name; nothing at all is told from both."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def connected(path: Path) -> Identity:
    """A connection is about to be opened; what is returned goes to `disconnected` once it is closed."""
    own = identity(path)
    with _CHANGING:
        _HELD.setdefault(own, _Held()).connections += 1
    return own


def disconnected(own: Identity) -> None:
    with _CHANGING:
        held = _HELD[own]
        held.connections -= 1
        _let_go(own, held)


@contextmanager
def raw(path: Path) -> Iterator[Callable[[int, int], bytes]]:
    """A function that reads so many bytes from a place in the file; raises `OSError`."""
    own, held = _taken(path)
    try:
        yield lambda count, place: _read(held.descriptor, count, place)
    finally:
        with _CHANGING:
            held.readers -= 1
            _let_go(own, held)


def _taken(path: Path) -> tuple[Identity, _Held]:
    with _CHANGING:
        own = identity(path)
        held = _HELD.get(own)
        if held is None or held.descriptor < 0:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            found = os.fstat(descriptor)
            own = (found.st_dev, found.st_ino)
            held = _HELD.setdefault(own, _Held())
            held.descriptor = descriptor
        held.readers += 1
        return own, held


def _let_go(own: Identity, held: _Held) -> None:
    if held.connections <= 0 and held.readers <= 0:
        if held.descriptor >= 0:
            os.close(held.descriptor)
        _HELD.pop(own, None)


def _read(descriptor: int, count: int, place: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, place)
    with _CHANGING:
        os.lseek(descriptor, place, os.SEEK_SET)
        return os.read(descriptor, count)
