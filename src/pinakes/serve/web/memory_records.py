"""What the views of memories show: the memories that an address asks for, and links as they stand in a memory.

A library and what a browser asked enter, records leave, for the page's routes to show.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from pinakes.errors import BadAddress, NotFound
from pinakes.library import Library
from pinakes.records import MEMORIES, Connections, Document, Edge
from pinakes.records.memory import Memory, MemoryList, MemoryStatus, Recollection
from pinakes.serve.requests.notes import ListMemories, RecallRequest
from pinakes.serve.web.forms import request_of


@dataclass(frozen=True, slots=True)
class MemoriesShown:
    """What the view of memories shows."""

    listing: MemoryList
    found: Recollection | None
    """What answers, where something was asked."""


def memories_shown(library: Library, given: Mapping[str, str]) -> MemoriesShown:
    """The memories that pass the filters in an address; raises `BadParameter` for values that cannot be meant."""
    wanted, recall = request_of(given, ListMemories), request_of(given, RecallRequest)
    listing = wanted.ask(library)
    if recall.linked_to:
        pointing = {memory.ref for memory in library.memories.about(recall.linked_to)}
        listing = replace(listing, memories=tuple(one for one in listing.memories if one.ref in pointing))
    if not recall.query and not recall.after:
        return MemoriesShown(listing, None)
    is_wide = recall.archived or wanted.status is MemoryStatus.ARCHIVED
    return MemoriesShown(listing, replace(recall, archived=is_wide).ask(library))


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
    contexts = (*(words for _, words in outgoing), *(words for _, words in others))
    edges = tuple(edge for edge, _ in others)
    return replace(connections, outgoing=tuple(edge for edge, _ in outgoing), incoming=edges, around=contexts)
