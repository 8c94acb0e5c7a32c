"""A plan as people read changes: a unified diff with some lines around each change."""

from __future__ import annotations

from pinakes.file_changes import DiffSide, file_diff
from pinakes.records.edits import EditPlan


def unified(plan: EditPlan) -> str:
    """The changes of a plan as a diff; the text is as it stands in the files."""
    changed = ((DiffSide(one.path, one.before), DiffSide(one.path, one.after)) for one in plan.changes)
    return "".join(f"{line}\n" for before, after in changed for line in file_diff(before, after))
