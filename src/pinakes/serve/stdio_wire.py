"""The private ends of standard input and output, for servers that speak a protocol on them.

Bytes enter and leave by private copies of the two descriptors; descriptor 0 then reads nothing and descriptor 1 leads
to stderr, so that whatever is imported, started or printed cannot disturb the client.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

_CHUNK = 1 << 16


class StdioWire:
    """Takes standard input and output over when it is made; there is one in a process."""

    def __init__(self) -> None:
        self._input = _copy(0)
        self._output = _copy(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        try:
            os.dup2(2, 1)
        except OSError:  # started without stderr
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.close(nowhere)
        self._writing = threading.Lock()

    def read(self) -> bytes:
        """Some of what came in, as soon as there is any; nothing once the input has ended."""
        with suppress(OSError):
            return os.read(self._input, _CHUNK)
        return b""

    def write(self, data: bytes) -> None:
        """Write all of it, in one piece among what other threads write; raises OSError when nobody reads any more."""
        with self._writing:
            left = memoryview(data)
            while left:
                left = left[os.write(self._output, left) :]


def _copy(descriptor: int) -> int:
    """A copy that processes we start do not inherit, above the standard three even when one of those is closed."""
    if sys.platform == "win32":
        return os.dup(descriptor)
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
