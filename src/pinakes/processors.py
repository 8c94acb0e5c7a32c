"""How many processors this process may use, and how much memory a process holds."""

from __future__ import annotations

import os


def processors() -> int:
    """Those that the system lets this process run on, where it tells (Linux); else all of them. At least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident_bytes(process: int | None = None) -> int:
    """Memory that this process holds, or another one. Where the system does not say, the most that this one ever held,
    and nothing of another."""
    try:
        with open(f"/proc/{process or 'self'}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        if process is not None:
            return 0
        import resource  # not on every system

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
