"""Linux's inotify, as the kernel offers it: watches on folders, and events with the name of what changed in them.

Nothing else is added but decoding. Libraries that wrap it pass over the event which says that others were lost, follow
links out of the tree, and cannot leave folders out; all three matter here.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from pinakes.sources.watch.notices import CannotWatch

MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
CREATE, DELETE, DELETE_SELF, MOVE_SELF = 0x100, 0x200, 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED, IS_FOLDER = 0x2000, 0x4000, 0x8000, 0x4000_0000
_FOLDERS_ONLY, _NO_FOLLOW, _NOT_UNLINKED = 0x0100_0000, 0x0200_0000, 0x0400_0000

_WANTED = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
_MASK = _WANTED | _FOLDERS_ONLY | _NO_FOLLOW | _NOT_UNLINKED
_HEAD = struct.Struct("iIII")
_BUFFER = 1 << 18
_LIMITS = {
    errno.ENOSPC: "this system's limit of watched folders (fs.inotify.max_user_watches) is reached",
    errno.EMFILE: "the limit of watchers (fs.inotify.max_user_instances) or of open files is reached",
    errno.ENFILE: "this system has too many files open",
    errno.ENOMEM: "there is not enough memory for it",
}


class Happened(NamedTuple):
    """One event."""

    watch: int
    mask: int
    name: str
    """Of what is in the watched folder; empty for the folder itself."""


class Inotify:
    """One queue of events."""

    def __init__(self) -> None:
        # Not at import: other systems have no such functions.
        libc = ctypes.CDLL(None, use_errno=True)
        self._add, self._remove = libc.inotify_add_watch, libc.inotify_rm_watch
        self._add.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._remove.argtypes = (ctypes.c_int, ctypes.c_int)
        self._queue: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._queue < 0:
            raise _unwatchable(ctypes.get_errno())
        try:
            self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        except OSError as error:
            os.close(self._queue)
            raise _unwatchable(error.errno or 0) from error
        self._ready = select.poll()
        self._ready.register(self._queue, select.POLLIN)
        self._ready.register(self._bell, select.POLLIN)

    def add(self, folder: str) -> int | None:
        """Watch a folder; None when there is none, or none that may be read. The same folder has the same number."""
        watch: int = self._add(self._queue, os.fsencode(folder), _MASK)
        if watch >= 0:
            return watch
        if (code := ctypes.get_errno()) in _LIMITS:
            raise _unwatchable(code)
        return None

    def remove(self, watch: int) -> None:
        self._remove(self._queue, watch)  # one that has gone by itself is no matter

    def wait(self, timeout_s: float) -> None:
        self._ready.poll(timeout_s * 1000)

    def read(self) -> Iterator[Happened]:
        """Everything that waits."""
        with suppress(BlockingIOError):  # nobody rang
            os.eventfd_read(self._bell)
        while True:
            try:
                data = os.read(self._queue, _BUFFER)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                watch, mask, _, size = _HEAD.unpack_from(data, at)
                at += _HEAD.size + size
                yield Happened(watch, mask, os.fsdecode(data[at - size : at].rstrip(b"\0")))

    def wake(self) -> None:
        os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        os.close(self._queue)
        os.close(self._bell)


def _unwatchable(code: int) -> CannotWatch:
    return CannotWatch(f"The system reports no changes here: {_LIMITS.get(code, os.strerror(code))}.")
