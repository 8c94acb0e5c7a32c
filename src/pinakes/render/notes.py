"""Memories and added documents as text for a terminal. Everything that comes from a memory, a document, its source or a
file name is made safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import groupby

from pinakes.records import Relation
from pinakes.records.added import AddedDocument, AddedText, Addition, SiteReport, Update
from pinakes.records.memory import Memory, MemoryList, MemoryStatus, Pointer, Recollection, Trashed
from pinakes.render.text import safe

_MOST_SKIPPED = 20
"""Pages of a site that are named, of those that were left out."""

EXCERPT = 6
"""Lines of a memory that are shown; `read` and `--json` have it whole."""
_LINE = 160
_AGES = ((1, "today"), (2, "yesterday"))
_OLD = 60
"""Days after which the date says more than their number."""
_MOST_LOOSE_ENDS = 20


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
    if found.doubt:
        lines.append(safe(found.doubt))
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
    yield from (f"  {line}" for line in loose_end_lines(memory))
    for warning in memory.warnings:
        yield f"  warning: {safe(warning)}"


def loose_end_lines(memory: Memory) -> Iterator[str]:
    """The links of a memory that lead nowhere: a few, and how many more there are."""
    for link in memory.loose_ends[:_MOST_LOOSE_ENDS]:
        yield f"loose end: {safe(link.target)} ({link.outcome.value.replace('_', ' ')})"
    more = len(memory.loose_ends) - _MOST_LOOSE_ENDS
    if more > 0:
        yield f"{more:,} more loose {'end' if more == 1 else 'ends'}"


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


def addition_text(addition: Addition) -> str:
    """What became of a document."""
    return f"{addition.became.value}: {_line(addition.document)}"


def site_text(report: SiteReport) -> str:
    """What became of the pages of a site."""
    lines = [
        f"{report.added:,} pages added, {report.updated:,} updated, {report.unchanged:,} unchanged: "
        f"{safe(report.start)} [{report.project}], by its {report.found_by}"
    ]
    lines += [f"  left out: {safe(one.url)}: {safe(one.reason)}" for one in report.skipped[:_MOST_SKIPPED]]
    if len(report.skipped) > _MOST_SKIPPED:
        lines.append(f"  {len(report.skipped) - _MOST_SKIPPED:,} more were left out; --json names all.")
    if report.waiting:
        lines.append(f"{report.waiting:,} pages are left; the same command goes on with them.")
    return "\n".join(lines)


def added_text(found: AddedText) -> str:
    """Where a document is from, then the document."""
    document = found.document
    facts = [_line(document), f"added {document.created}, changed {document.updated}, {document.size:,} bytes"]
    return "\n".join([*facts, "", safe(found.text, keep="\n\t").rstrip()])


def documents_text(documents: Sequence[AddedDocument]) -> str:
    """A line per document under a line per project."""
    lines: list[str] = []
    for project, held in groupby(documents, key=lambda document: document.project):
        lines += [project, *(f"  {_line(document, with_project=False)}" for document in held)]
    return "\n".join(lines or ["No document was added. pinakes add PATH or URL adds one."])


def dropped_text(documents: Sequence[AddedDocument]) -> str:
    """A line per document that is gone."""
    return "\n".join(f"dropped: {_line(document)}" for document in documents)


def updates_text(updates: Sequence[Update]) -> str:
    """A line per source."""
    lines = []
    for update in updates:
        done = " (taken in)" if update.is_applied else ""
        reason = f"\n  {safe(update.reason)}" if update.reason else ""
        lines.append(f"{update.state.value:<12}{update.id}  {safe(update.source)}{done}{reason}")
    return "\n".join(lines or ["No added document has a source to look at."])


def _line(document: AddedDocument, *, with_project: bool = True) -> str:
    where = f" [{document.project}]" if with_project else ""
    source = f"  {safe(document.source)}" if document.source else ""
    return f"{document.id}{where}  {safe(document.title)}{source}"
