"""The figures that today's are compared with."""

from __future__ import annotations

MEASURES = {
    "functions": "functions",
    "files": "files",
    "lines": "lines in them",
    "rooms": "rooms",
    "file_calls": "calls across files",
    "room_calls": "across rooms",
    "depth": "depth",
    "hops": "hops to sync",
    "before_search": "functions before search()",
}
"""What is counted, and what its column is called."""


def _row(*figures: int | None) -> dict[str, int | None]:
    return dict(zip(MEASURES, figures, strict=True))


FIRST: dict[str, dict[str, int | None]] = {
    "open": _row(56, 20, 2860, 6, 148, 8, 9, None, None),
    "first sync": _row(458, 77, 10482, 12, 1349, 180, 23, 7, None),
    "refresh, nothing changed": _row(118, 27, 3840, 7, 211, 33, 16, 8, None),
    "refresh, one edit": _row(408, 71, 9326, 11, 671, 77, 23, 8, None),
    "search, warm": _row(199, 49, 7732, 11, 197, 41, 20, None, 60),
    "command line": _row(468, 93, 12669, 17, 740, 108, 23, 11, 290),
    "HTTP, watched, warm": _row(260, 64, 10054, 13, 247, 60, 23, None, 102),
    "page, watched, warm": _row(325, 74, 11033, 13, 574, 71, 22, None, 90),
    "edit seen by the watcher": _row(600, 96, 13313, 15, 906, 119, 24, 9, None),
    "HTTP, unwatched, stale": _row(361, 79, 11523, 15, 479, 98, 23, 16, 171),
    "page, unwatched, stale": _row(426, 90, 12539, 15, 817, 111, 22, 14, 201),
    "MCP, stale": _row(376, 84, 11839, 16, 506, 115, 25, 16, 198),
    "MCP, within 2 s": _row(271, 65, 9772, 14, 283, 79, 25, None, 94),
}
"""Measured by this very script at commit c3f8cea, the last one before the routes were shortened."""

REVIEW = {
    "open": "19 files, 52 functions",
    "first sync": "78 files, 482 functions",
    "refresh, nothing changed": "27 files, 118 functions",
    "refresh, one edit": "66 files, 337 functions",
    "search, warm": "49 files, 199 functions",
    "HTTP, watched, warm": "63 files, 256 functions",
    "HTTP, unwatched, stale": "73 files, 333 functions",
    "MCP, within 2 s": "63 files, 262 functions",
    "MCP, stale": "82 files, 367 functions",
    "edit seen by the watcher": "91 files, 584 functions",
}
"""What a reviewer counted at the same commit, with a tracer and three documents of their own."""
