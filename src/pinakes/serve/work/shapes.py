"""What the paths of a workspace answer: records enter, plain data leaves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pinakes.edits import blocks_of, unified
from pinakes.library.context import LibraryContext
from pinakes.library.work.asking import STOP_NOTES
from pinakes.library.work.events import AnswerBegun, AnswerDone, AnswerFailed, EditFound, WorkEvent
from pinakes.library.work.grep import GrepResult
from pinakes.records.context import Tier
from pinakes.records.conversation import SessionLine
from pinakes.records.edits import EditPlan, FileChange
from pinakes.render import Json, object_of, wire

_TIERS = (Tier.L0, Tier.L1, Tier.L2, Tier.L3, Tier.ACTIVE)


def context_shape(found: LibraryContext) -> dict[str, object]:
    """The blocks of a context and its tiers, as they would be sent."""
    layout, plain = found.layout, found.plain()
    return {
        "mode": plain["mode"],
        "blocks": plain["blocks"],
        "tokens": found.tokens,
        "cached_share": round(found.cached_tokens / found.tokens, 4) if found.tokens else 0.0,
        "tiers": [
            {"tier": tier.label, "tokens": layout.tokens(tier), "blocks": len(layout.standing_in(tier))}
            for tier in _TIERS
        ],
    }


def messages_shape(lines: Sequence[SessionLine]) -> list[dict[str, object]]:
    """What was said and noted. Of an answer, `edits` are the files that it wants changed, and `is_whole` tells whether
    it came to its end."""
    followed = (*lines[1:], None) if lines else ()
    return [_message(line, following) for line, following in zip(lines, followed, strict=True)]


def _message(line: SessionLine, following: SessionLine | None) -> dict[str, object]:
    is_answer = line.role == "assistant"
    is_broken = is_answer and following is not None and following.text.startswith(STOP_NOTES)
    wanted = dict.fromkeys(one.path for one in blocks_of(line.text)) if is_answer else line.edits
    return {
        "id": line.id,
        "role": line.role,
        "text": line.text,
        "mode": line.mode,
        "files": line.files,
        "edits": list(wanted),
        "usage": line.usage,
        "at": line.at,
        "is_whole": not is_broken,
    }


def plan_shape(plan: EditPlan) -> dict[str, object]:
    """What an answer would change."""
    return {"changes": changes_shape(plan.changes), "refused": plan.refused, "diff": unified(plan)}


def changes_shape(changes: Iterable[FileChange]) -> list[dict[str, object]]:
    """Files before and after, as text; null where there is none."""
    return [{"path": one.path, "before": _text(one.before), "after": _text(one.after)} for one in changes]


def grep_shape(found: GrepResult) -> dict[str, object]:
    """Lines that match; they are counted from 1."""
    matches = [{"path": one.path, "line": one.number, "text": one.text} for one in found.matches]
    return {"matches": matches, "is_cut": found.is_cut}


def event_shapes(event: WorkEvent) -> list[tuple[str, dict[str, Json]]]:
    """What a page is told of an event while a question is answered: names and data."""
    match event:
        case AnswerBegun():
            return [("begin", object_of(event))]
        case EditFound(number, block):
            data = {"number": number, "path": block.path, "find": block.find, "put": block.put, "fault": block.fault}
            return [("edit", object_of(data))]
        case AnswerDone(exchange, edits, is_whole, usage):
            done: dict[str, Json] = {"exchange": exchange, "edits": edits, "is_whole": is_whole}
            return [*([("usage", object_of(usage))] if usage else []), ("done", done)]
        case AnswerFailed(_, detail, next_step):
            return [("problem", {"detail": wire(detail), "next_step": wire(next_step)})]
        case _:
            return [("text", object_of(event))]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")
