"""Folders whose changes the system does not report: which they are, and how they are compared from time to time.

A folder enters, a refusal leaves when it lies on a file system that other machines write to; `Polling` stands in for
the system's notices then.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress

from pinakes.sources.watch.notices import EVERYTHING, NOTHING, CannotWatch, ChangedPaths

_MOUNTS = "/proc/self/mountinfo"
_OF_A_HOST = ("9p", "drvfs", "prl_fs", "vboxsf", "virtiofs", "vmhgfs")
_ON_A_NETWORK = (
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
)
_REMOTE = frozenset((*_OF_A_HOST, *_ON_A_NETWORK, "orangefs", "smb3", "smbfs"))
"""Shared with another machine, whose changes are not reported here."""


class Polling:
    """Says "everything" once in every interval."""

    is_exact = False

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._next = time.monotonic()
        self._bell = threading.Event()

    def wait(self, timeout_s: float) -> None:
        self._bell.wait(max(0.0, min(timeout_s, self._next - time.monotonic())))
        self._bell.clear()

    def drain(self) -> ChangedPaths:
        if time.monotonic() < self._next:
            return NOTHING
        self._next = time.monotonic() + self._every_s
        return EVERYTHING

    def renew(self) -> None:
        """There is nothing to watch anew."""

    def wake(self) -> None:
        self._bell.set()

    def close(self) -> None:
        """Nothing is held open."""


def refuse_remote(folder: str) -> None:
    """Raises `CannotWatch` for a folder on a file system that is shared with other machines."""
    kind = kind_of(folder)
    if kind in _REMOTE or kind.startswith("fuse."):
        raise CannotWatch(f"{folder} is on a file system ({kind}) that does not report what other machines change.")


def kind_of(folder: str) -> str:
    """The name of the file system a folder is on; empty where that is unknown."""
    with suppress(OSError):
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split() for line in file]
        inside = os.path.join(folder, "")
        best = ("", "")
        for words in mounts:
            if len(words) < 10 or "-" not in words:
                continue
            place = _spelled_out(words[4])
            if inside.startswith(os.path.join(place, "")) and len(place) >= len(best[0]):
                best = place, words[words.index("-") + 1]
        return best[1]
    return ""


def _spelled_out(text: str) -> str:
    """Spaces and the like are written as octal numbers there."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, char)
    return text
