"""How many files and connections this process may have open."""

from __future__ import annotations

import sys
from contextlib import suppress

MOST = 65_536
"""Enough for every limit of ours; more would make processes that close all their descriptors slow."""
_UNKNOWN = 1024


def raise_limit() -> int:
    """Raise the soft limit of descriptors to the hard one, within reason; returns what holds now."""
    if sys.platform == "win32":
        return _UNKNOWN
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # a system may allow less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return MOST if soft == resource.RLIM_INFINITY else min(soft, MOST)
