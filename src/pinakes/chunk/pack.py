"""Blocks become groups that fit a limit, as few as possible and about equally long.

Evenness matters: filling each group to the brim would leave a scrap at the end of every section that is a little too
long, and a scrap matches too well and says too little.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from pinakes.chunk.units import Stretch, Unit, parts


def pack(text: str, blocks: Sequence[Unit], limit: int) -> list[list[Unit]]:
    """Groups of consecutive blocks, each at most `limit` characters from its start to its end."""
    units: list[list[Unit]] = []
    for block in blocks:
        if block.end - block.start > limit:
            units += [[part] for part in parts(text, block, limit)]
        elif block.belongs and units and block.end - units[-1][0].start <= limit:
            units[-1].append(block)
        else:
            units.append([block])
    starts = [unit[0].start for unit in units]
    ends = [unit[-1].end for unit in units]
    return [[block for unit in units[first:last] for block in unit] for first, last in _even(starts, ends, limit)]


def bounds(group: Sequence[Unit]) -> Stretch:
    """From the start of a group's first block to the end of its last."""
    return group[0].start, group[-1].end


def passages(text: str, group: Sequence[Unit], limit: int) -> list[Stretch]:
    """The stretches of a group's passages; none when one would hold all of it."""
    start, end = bounds(group)
    return [bounds(passage) for passage in pack(text, group, limit)] if end - start > limit else []


def _even(starts: Sequence[int], ends: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """The groups of the smallest limit that needs no more of them than `limit` does."""
    best = _fill(starts, ends, limit)
    if len(best) < 2:
        return best
    low, high = (ends[-1] - starts[0]) // len(best), limit
    while high - low > max(1, limit // 12):  # closer than this, nobody would see the difference
        middle = (low + high) // 2
        groups = _fill(starts, ends, middle)
        if len(groups) <= len(best):
            best, high = groups, middle
        else:
            low = middle
    return best


def _fill(starts: Sequence[int], ends: Sequence[int], limit: int) -> list[tuple[int, int]]:
    groups = []
    first = 0
    while first < len(starts):
        last = bisect_right(ends, starts[first] + limit, first + 1)  # at least one
        groups.append((first, last))
        first = last
    return groups
