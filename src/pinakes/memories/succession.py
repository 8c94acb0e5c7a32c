"""Which memories took the place of others.

Parsed memories by path enter; for each path the paths of its successors leave.
"""

from __future__ import annotations

from collections.abc import Mapping

from pinakes.memories.files import ENDING
from pinakes.memories.parsed_memory import ParsedMemory
from pinakes.records import MEMORIES


def succession(memories: Mapping[str, ParsedMemory]) -> Mapping[str, tuple[str, ...]]:
    """For each superseded path its successors. Memories that supersede each other in a circle count as current."""
    claims: dict[str, set[str]] = {}
    for path, one in memories.items():
        for name in one.memory.supersedes:
            old = f"{name.removeprefix(f'{MEMORIES}:').removesuffix(ENDING)}{ENDING}"
            if old in memories and old != path:
                claims.setdefault(path, set()).add(old)
    found: dict[str, list[str]] = {}
    for path, olds in claims.items():
        for old in olds:
            if path not in _reached(old, claims):
                found.setdefault(old, []).append(path)
    return {old: tuple(sorted(paths)) for old, paths in found.items()}


def _reached(start: str, claims: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for old in claims.get(waiting.pop(), ()):
            if old not in reached:
                reached.add(old)
                waiting.append(old)
    return reached
