"""Opening files without ever leaving a folder.

A root and a path below it enter, an open file descriptor or bytes leave. Every component is opened relative to the one
before with symbolic links refused, so nothing swapped in between two looks can lead outside. A link on the way is
resolved to the path it means, and that path is walked in the same strict manner. It refuses to know what the file is
for.
"""

from __future__ import annotations

import errno
import os
import stat

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without waiting: opening a pipe that nobody writes to would hang."""
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW
_CAN_WALK = os.open in os.supports_dir_fd and bool(_NO_FOLLOW)
_A_LINK = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)
"""What systems say when something opened without following turns out to be a link."""
_TRIES = 3
"""A resolved path holds no links unless somebody is swapping them in right now."""


class LeavesRoot(PermissionError):
    """The path is, or leads through, a link to something outside the root or hidden in it."""


def open_inside(root: str, path: str) -> int:
    """A descriptor of what is at `path` below `root`, which is itself free of links; raises `OSError`."""
    parts = path.split("/")
    for _ in range(_TRIES):
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise LeavesRoot(errno.EACCES, "does not name a file below the root")
        try:
            return _walk(root, parts)
        except OSError as error:
            if error.errno not in _A_LINK:
                raise
            resolved = resolve_inside(root, "/".join(parts))
            if resolved.split("/") == parts:
                raise
            parts = resolved.split("/")
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def open_without_links(root: str, path: str) -> int:
    """A descriptor of what is at `path` below `root` when no part of it is a link; raises `OSError`."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise LeavesRoot(errno.EACCES, "does not name a file below the root")
    if not _CAN_WALK and resolve_inside(root, path) != path:
        raise LeavesRoot(errno.EACCES, "is a link")
    return _walk(root, parts)


def resolve_inside(root: str, path: str) -> str:
    """The path below `root` that `path` means once links are followed; raises `OSError` when it leaves or is hidden."""
    real = os.path.realpath(os.path.join(root, path), strict=True)
    top = root.rstrip(os.sep) + os.sep
    if not real.startswith(top):
        raise LeavesRoot(errno.EACCES, "is a link to something outside the root")
    inner = real[len(top) :].replace(os.sep, "/")
    if inner.startswith(".") or "/." in inner:
        raise LeavesRoot(errno.EACCES, "is a link to something hidden")
    return inner


def open_plain(path: str) -> int:
    """A descriptor of what is no link itself, whatever stands above it: for files whose text is shown to nobody; raises
    `OSError`."""
    return os.open(path, _FILE)


def read_at_most(descriptor: int, limit: int) -> bytes | None:
    """The whole file, or None when it holds more than `limit` bytes; raises `OSError` when it is no regular file."""
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "is not a regular file")
    if facts.st_size > limit:
        return None
    pieces = [os.read(descriptor, facts.st_size + 1)]
    held = len(pieces[0])
    # Once more even when all seems read: it may have grown, and some systems hand files out in pieces.
    while pieces[-1] and held <= limit:
        pieces.append(os.read(descriptor, min(limit + 1 - held, 1 << 16)))
        held += len(pieces[-1])
    return b"".join(pieces) if held <= limit else None


def read_plain(path: str, limit: int) -> bytes | None:
    """A small file that is no link, read whole; None when it holds more than `limit` bytes; raises `OSError`."""
    descriptor = open_plain(path)
    try:
        return read_at_most(descriptor, limit)
    finally:
        os.close(descriptor)


def _walk(root: str, parts: list[str]) -> int:
    if not _CAN_WALK:
        # This system cannot open relative to a folder; what is left is to look first and open then.
        return os.open(os.path.join(root, *resolve_inside(root, "/".join(parts)).split("/")), _FILE)
    here = os.open(root, _FOLDER)
    try:
        for part in parts[:-1]:
            step = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = step
        return os.open(parts[-1], _FILE, dir_fd=here)
    finally:
        os.close(here)
