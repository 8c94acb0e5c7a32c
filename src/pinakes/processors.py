"""How many processors this process may use."""

from __future__ import annotations

import os


def processors() -> int:
    """Those that the system lets this process run on, where it tells (Linux); else all of them. At least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
