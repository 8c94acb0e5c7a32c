"""Memories as text for a terminal. Everything that comes from a memory or a file name is made safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime

from pinakes.records import Relation
from pinakes.records.memory import Memory, MemoryList, MemoryStatus, Pointer, Recollection, Trashed
from pinakes.render.text import safe

EXCERPT = 6
"""Lines of a memory that are shown; `read` and `--json` have it whole."""
_LINE = 160
_AGES = ((1, "today"), (2, "yesterday"))
_OLD = 60
"""Days after which the date says more than their number."""


def memory_text(memory: Memory) -> str:
    """What was just written or changed, and where it leads."""
    return "\n".join([_head(memory), *_links(memory), *_cares(memory)])


def recollection_text(found: Recollection) -> str:
    """Memories, the best first, each with its beginning and what speaks against believing it."""
    lines = []
    for place, one in enumerate(found.found, 1):
        lines.append(f"{place}. {_head(one.memory)}")
        shown = [line for line in safe(one.passage, keep="\n\t").split("\n") if line.strip()]
        lines += [f"     {line[:_LINE]}" for line in shown[:EXCERPT]]
        lines += [f"   {line}" for line in _cares(one.memory)]
    if found.abstained:
        lines.append(f"Nothing answers this. {safe(found.abstained)}")
        lines += [f"  nearest: {safe(str(ref))}" for ref in found.nearest]
    elif not found.found:
        lines.append("Nothing is remembered of this." if found.question else "Nothing is remembered.")
    if found.hidden and not found.found:
        lines.append(f"{found.hidden:,} archived or superseded; --archived looks there too.")
    lines += [f"Without {safe(note)}" for note in found.notes]
    return "\n".join(lines)


def listing_text(listing: MemoryList) -> str:
    """A line per memory, then how many there are of each kind."""
    lines = []
    for memory in listing.memories:
        marks = ", ".join(dict.fromkeys(mark.kind.value for mark in memory.marks))
        loose = len(memory.loose_ends)
        said = [marks] if marks else []
        said += [f"{loose} loose {'end' if loose == 1 else 'ends'}"] if loose else []
        lines.append(_head(memory) + (f"  [{', '.join(said)}]" if said else ""))
    count = len(listing.memories)
    types = f": {_counts(listing.by_type)}" if count else ""
    lines.append(f"{count:,} of {listing.total:,} memories{types}")
    if listing.by_tag:
        lines.append(f"tags: {_counts(listing.by_tag)}")
    return "\n".join(lines)


def trash_text(trash: tuple[Trashed, ...]) -> str:
    """A line for each memory that can be restored."""
    if not trash:
        return "The trash is empty."
    return "\n".join(
        f"{safe(one.id)}  {safe(one.title)}  ({one.type.value}, forgotten {_age(one.forgotten_at)})" for one in trash
    )


def _head(memory: Memory) -> str:
    about = [memory.type.value]
    if memory.status is MemoryStatus.ARCHIVED:
        about.append(memory.status.value)
    if memory.date:
        about.append(_age(memory.date))
    about += [f"#{safe(tag)}" for tag in memory.tags]
    return f"{safe(memory.id)}  {safe(memory.title)}  ({', '.join(about)})"


def _links(memory: Memory) -> Iterator[str]:
    for link in memory.links:
        if link.to is not None and not link.is_loose:
            yield f"  → {safe(str(link.to))}{_relation(link)}"


def _cares(memory: Memory) -> Iterator[str]:
    for mark in memory.marks:
        yield f"  {mark.kind.value}: {safe(mark.reason)}"
    for link in memory.loose_ends:
        yield f"  loose end: {safe(link.target)} ({link.outcome.value.replace('_', ' ')})"
    for warning in memory.warnings:
        yield f"  warning: {safe(warning)}"


def _relation(link: Pointer) -> str:
    return "" if link.relation is Relation.LINKS_TO else f"  ({link.relation.value.replace('_', ' ')})"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{safe(name)} {count:,}" for name, count in counts.items())


def _age(when: str) -> str:
    """How long ago, as people say it."""
    try:
        day = date.fromisoformat(when[:10])
    except ValueError:
        return safe(when)
    days = (datetime.now(UTC).date() - day).days
    if not 0 <= days <= _OLD:
        return day.isoformat()
    return next((said for least, said in _AGES if days < least), f"{days} days ago")
