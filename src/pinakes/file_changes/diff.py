"""What changes in a file, as people read it: a unified diff, with the heads of hunks that git writes.

Names are made safe, so that each stays on its line. Whoever knows which lines change says so. Otherwise lines that both
texts share at their beginning and end are set aside first, and texts that differ too much are not compared line by
line, so that this takes no longer than reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import AnyStr

from msgspec import Struct

from pinakes.file_changes.lines import lines_with_ends, shared_ends
from pinakes.render.text import safe

AROUND = 3
"""Lines that are shown around each change, unless told otherwise."""
_MOST_COMPARED = 1_000_000
"""Pairs of lines; beyond them one side goes and the other comes."""
_NOTHING = "/dev/null"
_CUT_OFF = "\\ No newline at end of file"

LineChange = tuple[int, int, int, int]
"""First and last line, half-open and counted from 0, of what goes and of what comes."""


class DiffSide(Struct, frozen=True):
    """A file before its change, or after it."""

    name: str
    data: bytes | None
    """None where there is no such file."""

    @property
    def lines(self) -> list[str]:
        return lines_with_ends((self.data or b"").decode("utf-8", "replace"))

    def head(self, folder: str) -> str:
        """How a diff names it."""
        return f"{folder}/{safe(self.name)}" if self.data is not None else _NOTHING


def file_diff(
    before: DiffSide, after: DiffSide, changes: Iterable[LineChange] | None = None, around: int = AROUND
) -> Iterator[str]:
    """The lines of a diff of one file; the text is as it stands in the file. `changes` are those between both, in
    reading order, where they are known."""
    old, new = before.lines, after.lines
    yield f"--- {before.head('a')}"
    yield f"+++ {after.head('b')}"
    for group in _groups(line_changes(old, new) if changes is None else changes, around):
        yield from _hunk(group, old, new, around)


def line_changes(old: Sequence[AnyStr], new: Sequence[AnyStr]) -> Iterator[LineChange]:
    """Where two texts differ, in reading order."""
    head, tail = shared_ends(old, new)
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(gone) * len(come) > _MOST_COMPARED:
        yield head, head + len(gone), head, head + len(come)
        return
    for tag, first, last, new_first, new_last in SequenceMatcher(None, gone, come, autojunk=False).get_opcodes():
        if tag != "equal":
            yield head + first, head + last, head + new_first, head + new_last


def _groups(changes: Iterable[LineChange], around: int) -> Iterator[list[LineChange]]:
    """Changes whose surroundings touch, together."""
    group: list[LineChange] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * around:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: Sequence[LineChange], old: Sequence[str], new: Sequence[str], around: int) -> Iterator[str]:
    above = min(around, group[0][0])
    first, new_first = group[0][0] - above, group[0][2] - above
    below = min(around, len(old) - group[-1][1])
    last, new_last = group[-1][1] + below, group[-1][3] + below
    yield f"@@ -{_span(first, last)} +{_span(new_first, new_last)} @@"
    reached = first
    for start, end, new_start, new_end in group:
        yield from _marked(" ", old[reached:start])
        yield from _marked("-", old[start:end])
        yield from _marked("+", new[new_start:new_end])
        reached = end
    yield from _marked(" ", old[reached:last])


def _span(first: int, last: int) -> str:
    """Lines as git counts them: from 1, and from the line before where there are none; one line has no count."""
    count = last - first
    return str(first + 1) if count == 1 else f"{first + 1 if count else first},{count}"


def _marked(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line.removesuffix(chr(10))}"
        if not line.endswith("\n"):
            yield _CUT_OFF
