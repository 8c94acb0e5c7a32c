"""Moves as text for a terminal. Names are made safe; the lines of a diff are, by whoever prints them."""

from __future__ import annotations

from pinakes.records.moves import MovePlan, MoveResult, MoveState
from pinakes.render.text import safe

_SAID = {
    MoveState.PLANNED: "would become",
    MoveState.DONE: "is now",
    MoveState.UNDONE: "is again",
}
_NEXT = {
    MoveState.PLANNED: "Nothing is written without --apply.",
    MoveState.DONE: "pinakes move --undo takes it back.",
    MoveState.UNDONE: "",
}


def move_text(result: MoveResult, diff: str) -> str:
    """The changes, what must be done by hand, and what became of them."""
    plan = result.plan
    lines = [diff] if diff else []
    lines += [f"by hand: {safe(note)}" for note in plan.notes]
    lines.append(f"{_named(plan.old)} {_SAID[result.state]} {_named(plan.new)}: {_counted(plan)}.")
    lines[-1] = f"{lines[-1]} {_NEXT[result.state]}".rstrip()
    return "\n".join(lines)


def _named(ref: object) -> str:
    return safe(str(ref).removeprefix("docs:"))


def _counted(plan: MovePlan) -> str:
    edits, files = plan.edits, len(plan.files)
    return f"{edits:,} {'change' if edits == 1 else 'changes'} in {files:,} {'file' if files == 1 else 'files'}"
