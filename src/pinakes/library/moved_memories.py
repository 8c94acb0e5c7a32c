"""Memories that point at documents which get another name.

A plan and the names to come enter; the plan leaves with the edits of memories: their links lead where they led, and
what they have seen there stays seen, also where only links in it were rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate

from msgspec.structs import replace

from pinakes.errors import Unreadable
from pinakes.file_changes import line_changes
from pinakes.library.memories import Memories
from pinakes.memories.current_files import digest_in
from pinakes.memories.head import rewritten
from pinakes.memories.links import seen_from, unprefixed
from pinakes.memories.marks import address
from pinakes.memories.parsed_memory import ParsedMemory
from pinakes.moves.renaming import Renaming, parsed
from pinakes.moves.rewrite import LookupView, Viewpoint, is_verbatim, rewrite
from pinakes.records import DOCS, Document, Edge, Link, Ref, Span
from pinakes.records.moves import FileEdits, MovePlan, TextEdit, apply_edits


def with_memories(plan: MovePlan, memories: Memories, names: Renaming) -> MovePlan:
    """The plan with the memories that point at what it changes."""
    if names.corpus != DOCS or not memories.files.exists() or not memories.is_of_one_project:
        return plan
    edited = {one.ref.path: one for one in plan.files}
    files: list[FileEdits] = []
    notes: list[str] = []
    for one, edges in memories.linked():
        found = rewrite(one.document, _concerned(edges, names), names, view=_view(one.document.ref, memories.base))
        notes += found.notes
        data = apply_edits(one.document.source, found.edits)
        seen = _seen(one, edited, memories, names)
        if seen != one.memory.seen and is_verbatim(one.document):
            try:
                data = rewritten(data, {"seen": seen}, None, one.memory.id)
            except Unreadable as error:
                notes.append(str(error))
        if edits := tuple(_differences(one.document.source, data)):
            files.append(FileEdits(one.document.ref, one.document.digest, edits))
    return replace(plan, files=(*plan.files, *files), notes=(*plan.notes, *notes))


def _concerned(edges: tuple[Edge, ...], names: Renaming) -> list[Edge]:
    """The links that lead to documents; those between memories stay."""
    return [edge for edge in edges if edge.to is not None and edge.to.corpus == names.corpus]


def _view(ref: Ref, base: str) -> LookupView:
    def seen(link: Link) -> Viewpoint:
        place, bare = seen_from(ref, link, base), unprefixed(link)
        prefix = link.target[: len(link.target) - len(bare.target) + 1] if bare.target != link.target else ""
        return Viewpoint(bare, place, place, prefix)

    return seen


def _seen(one: ParsedMemory, edited: Mapping[str, FileEdits], memories: Memories, names: Renaming) -> Mapping[str, str]:
    """What a memory has seen, under the new addresses. What is as it was seen counts as seen after our edits, too."""
    found = {}
    for written, digest in one.memory.seen.items():
        ref = Ref.parse_or_none(written)
        if ref is None or not (names.is_touched(ref.path) or ref.path in edited):
            found[written] = digest
            continue
        new = names.target(ref)
        if memories.digest(ref) == digest and (document := _after(ref, edited, names)) is not None:
            digest = digest_in(document, new.anchor) or digest
        found[address(new)] = digest
    return found


def _after(ref: Ref, edited: Mapping[str, FileEdits], names: Renaming) -> Document | None:
    """A document as it will be; None for other files, which have no edits."""
    document = names.reader.document(ref.document)
    if document is None:
        return None
    edits = edited[ref.path].edits if ref.path in edited else ()
    return parsed(names.ref(ref.path), apply_edits(document.source, edits), document)


def _differences(old: bytes, new: bytes) -> Iterator[TextEdit]:
    """The lines in which two texts differ."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, before))]
    for first, last, new_first, new_last in line_changes(before, after):
        lines = b"".join(before[first:last]), b"".join(after[new_first:new_last])
        yield TextEdit(Span(starts[first], starts[last]), lines[0].decode(), lines[1].decode())
