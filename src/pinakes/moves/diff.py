"""A plan as people read changes: a unified diff of the lines that change, with the names that change above it.

Names are made safe, so that each stays on its line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from pinakes.file_changes import DiffSide, LineChange, file_diff, lines_with_ends, shared_ends
from pinakes.moves.apply import path_after
from pinakes.records import Ref
from pinakes.records.moves import FileEdits, MovePlan, TextEdit
from pinakes.render.text import safe


def diff(plan: MovePlan, files: Mapping[Ref, bytes]) -> str:
    """The plan as a diff; `files` are those that it edits, as they are now."""
    lines = []
    for one in plan.moves:
        slash = "/" if one.is_folder else ""
        lines += [f"rename from {safe(one.old.label)}{slash}", f"rename to {safe(one.new.label)}{slash}"]
    for edited in plan.files:
        data, new = files[edited.ref], path_after(edited, plan.moves).ref
        done = edited.applied_to(data)
        before, after = DiffSide(edited.ref.label, data), DiffSide(new.label, done)
        lines += file_diff(before, after, _changes(edited, data, done), around=0)
    return "\n".join(lines)


def _changes(edited: FileEdits, before: bytes, after: bytes) -> Iterator[LineChange]:
    """The lines that edits stand in: nothing has to be compared for that, however long the file is."""
    starts = [0, *(found.end() for found in re.finditer(b"\n", before))]
    shift = line_shift = 0
    for first, last, edits in _groups(edited.edits, starts):
        begin, end = starts[first], starts[last + 1] if last + 1 < len(starts) else len(before)
        grown = sum(len(one.new.encode("utf-8", "surrogateescape")) - one.span.length for one in edits)
        old, new = _lines(before[begin:end]), _lines(after[begin + shift : end + shift + grown])
        head, tail = shared_ends(old, new)
        new_first = first + line_shift
        if old != new:
            yield first + head, first + len(old) - tail, new_first + head, new_first + len(new) - tail
        shift += grown
        line_shift += len(new) - len(old)


def _groups(edits: Sequence[TextEdit], starts: Sequence[int]) -> Iterator[tuple[int, int, list[TextEdit]]]:
    """First and last line of edits whose lines touch, and the edits."""
    first, last, group = 0, -1, list[TextEdit]()
    for edit in edits:
        begin, end = (bisect_right(starts, place) - 1 for place in (edit.span.start, edit.span.end))
        if group and begin > last + 1:
            yield first, last, group
            group = []
        first = first if group else begin
        last = end
        group.append(edit)
    if group:
        yield first, last, group


def _lines(data: bytes) -> list[str]:
    return lines_with_ends(data.decode("utf-8", "surrogateescape"))
