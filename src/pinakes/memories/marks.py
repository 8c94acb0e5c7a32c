"""Marks: the reasons to verify a memory before using it.

A memory, its resolved links, the digests seen earlier and the present files enter; `Mark`s leave: a target changed or
vanished, the review date passed, or another memory took its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from pinakes.errors import BadAddress
from pinakes.memories.current_files import CurrentFiles
from pinakes.records import DOCS, Edge, Outcome, Ref, name_key
from pinakes.records.memory import Mark, MarkKind, Memory, Pointer


def address(ref: Ref) -> str:
    """A target as it is written in the field `seen`."""
    return str(ref).removeprefix(f"{DOCS}:")


def target_digests(links: Iterable[Edge | Pointer], current: CurrentFiles) -> dict[str, str]:
    """The present digest of every linked document or section, by address."""
    targets = dict.fromkeys(link.to for link in links if link.to is not None and link.outcome is Outcome.FOUND)
    digests = {address(ref): current.digest(ref) for ref in targets if ref.corpus == DOCS}
    return {target: digest for target, digest in digests.items() if digest}


def marks_of(
    memory: Memory, seen: Mapping[str, str], current: CurrentFiles, successors: Sequence[Memory], today: date
) -> Iterator[Mark]:
    """Every reason for care, the weightiest first."""
    for successor in successors:
        yield Mark(MarkKind.SUPERSEDED, f"“{successor.title}” ({successor.id}) took its place.", successor.ref)
    now = target_digests(memory.links, current)
    since = f" since {memory.date[:10]}" if memory.date else " since it was first looked at"
    for target, digest in now.items():
        if target in seen and seen[target] != digest:
            yield Mark(MarkKind.VERIFY, f"{target} has changed{since}.", _read(target))
    loose = {name_key(link.target.partition("#")[0]) for link in memory.links if link.to is None or link.is_loose}
    loose |= {name_key(link.to.path) for link in memory.links if link.to is not None and address(link.to) not in now}
    for target in seen:
        gone = _read(target)
        if gone and target not in now and name_key(gone.path) in loose and not current.digest(gone):
            yield Mark(MarkKind.GONE, f"{target} is no longer there.", gone)
    if _is_past(memory.review_by, today):
        yield Mark(MarkKind.DUE, f"It was to be reviewed by {memory.review_by}.")


def _read(target: str) -> Ref | None:
    """An address as somebody may have typed it."""
    try:
        return Ref.parse(target)
    except BadAddress:
        return None


def _is_past(day: str, today: date) -> bool:
    try:
        return bool(day) and datetime.fromisoformat(day).date() < today
    except ValueError:
        return False
