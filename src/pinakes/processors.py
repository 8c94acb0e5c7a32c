"""How many processors this process may use, and how much memory it holds."""

from __future__ import annotations

import os


def processors() -> int:
    """Those that the system lets this process run on, where it tells (Linux); else all of them. At least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident_bytes() -> int:
    """Memory that this process holds; where the system does not say, the most it ever held."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource  # not on every system

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
