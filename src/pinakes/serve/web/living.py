"""The views of what grows beside the documents: what to ask the library for them, and of what to draw them.

A library and what a browser asked enter, records leave, for the page's routes to show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from pinakes.errors import BadAddress, NotFound
from pinakes.library import Library
from pinakes.records import MEMORIES, Connections, Document, Edge
from pinakes.records.memory import Memory, MemoryList, MemoryStatus, MemoryType, Recollection

_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the view of memories shows."""

    listing: MemoryList
    found: Recollection | None
    """What answers, where something was asked."""


def remembered(library: Library, given: Mapping[str, str]) -> Remembered:
    """The memories that pass the filters in an address; raises `BadAddress` for values that cannot be meant."""
    if any(len(value) > _LONGEST for value in given.values()):
        raise BadAddress("The question is too long.", f"Ask in at most {_LONGEST:,} characters.")
    kind = MemoryType(_one_of(MemoryType, given["type"])) if given.get("type") else None
    status = MemoryStatus(_one_of(MemoryStatus, given["status"])) if given.get("status") else None
    tags = tuple(part.strip() for part in given.get("tag", "").split(",") if part.strip())
    about, question = given.get("about", "").strip(), given.get("q", "").strip()
    listing = library.memories.list(kind, tags, status)
    if about:
        pointing = {memory.ref for memory in library.memories.about(about)}
        listing = replace(listing, memories=tuple(one for one in listing.memories if one.ref in pointing))
    if not question:
        return Remembered(listing, None)
    wide = status is MemoryStatus.ARCHIVED
    found = library.memories.recall(question, type=kind, tags=tags, linked_to=about, limit=50, archived=wide)
    return Remembered(listing, found)


def memory_of(library: Library, document: Document) -> Memory | None:
    """The memory that a document is; None for every other document."""
    if document.ref.corpus != MEMORIES:
        return None
    with suppress(NotFound, BadAddress):
        return library.memories.read(str(document.ref))
    return None


def connected(connections: Connections, document: Document, memory: Memory) -> Connections:
    """The links of a memory where they stand in its text, as understood among documents."""
    known = {link.target: link for link in memory.links}
    written = [
        Edge(document.ref, link, known[link.target].to, known[link.target].outcome)
        for link in document.links
        if link.target in known
    ]
    targets = {edge.link.target for edge in written}
    others = [edge for edge in connections.outgoing if edge.link.target not in targets]
    outgoing = (*written, *others)
    words = (*("" for _ in outgoing), *(said for _, said in connections.with_context()[1]))
    return replace(connections, outgoing=outgoing, around=words)


def among_documents(connections: Connections) -> Connections:
    """The links of a document without those of memories, which are shown by themselves."""
    outgoing, incoming = connections.with_context()
    others = [(edge, words) for edge, words in incoming if edge.origin.corpus != MEMORIES]
    said = (*(words for _, words in outgoing), *(words for _, words in others))
    kept = tuple(edge for edge, _ in others)
    return replace(connections, outgoing=tuple(edge for edge, _ in outgoing), incoming=kept, around=said)


def _one_of(choices: Iterable[str], value: str) -> str:
    if value not in set(choices):
        raise BadAddress(f"There is no “{value[:40]}” here.", f"There are {', '.join(choices)}.")
    return value
