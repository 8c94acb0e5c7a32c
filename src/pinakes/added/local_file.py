"""A file that somebody names, from anywhere.

A path enters, bytes leave. Whoever names a file may read it; but a folder, a device or a pipe is no document, and
nothing here waits for one.
"""

from __future__ import annotations

import os
import stat

from pinakes.added.text import MOST_BYTES, too_large
from pinakes.errors import NotFound, Unfit

_WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def read_local_file(path: str, name: str) -> bytes:
    """The file's bytes; raises `NotFound` when there is none and `Unfit` when it is no readable file."""
    try:
        if "\0" in path:
            raise NotFound(f"{name!r} is not a path.", "Check its name.")
        # A pipe, a device or a socket is not even opened: opening can already do something.
        if not stat.S_ISREG(os.stat(path).st_mode):
            kind = "a folder" if os.path.isdir(path) else "no plain file"
            raise Unfit(f"{name} is {kind}.", "Name a single file.")
        descriptor = os.open(path, _WITHOUT_WAITING)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unfit(f"{name} is no plain file.", "Name a single file.")
            data = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"There is no file {name}.", "Check its name.") from None
    except OSError as error:
        raise Unfit(f"{name} cannot be read: {error.strerror}.", "Check its name and permissions.") from None
    if len(data) > MOST_BYTES:
        raise too_large(name)
    return data
