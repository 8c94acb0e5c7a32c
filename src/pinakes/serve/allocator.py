"""How the C library keeps memory that threads have given back.

A server works in twenty threads or more. glibc gives each a part of the heap of its own and keeps what is freed there
for that thread alone, so that memory held for nobody grows for as long as the threads take turns at what is large. Two
parts for all of them are enough: Python runs one thread at a time, and has an allocator of its own for what is small.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

_MOST_PARTS = -8
"""``M_ARENA_MAX`` of ``mallopt``."""
_PARTS = 2


def share_heap() -> None:
    """Have all threads of this process share the heap; other C libraries do so anyway."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # no glibc
            ctypes.CDLL(None).mallopt(_MOST_PARTS, _PARTS)
