"""Chunks as they are cited, from whole documents: the plain version, which every store must agree with."""

from __future__ import annotations

from pinakes.records import ChunkId, NumberedDocument, Slice


def slice_of(numbered: NumberedDocument, ordinal: int) -> Slice | None:
    """One chunk of a document; None when it has no such chunk."""
    if not 0 <= ordinal < len(numbered.chunks):
        return None
    document, chunk = numbered.document, numbered.chunks[ordinal]
    passages = [one.span for one in numbered.chunks[ordinal + 1 :] if one.parent == ordinal]
    return Slice(
        chunk=ChunkId(numbered.number, ordinal),
        section=chunk.section,
        ref=document.section_ref(chunk.section),
        title=document.title,
        trail=document.trail(chunk.section),
        kind=document.kind,
        span=chunk.span,
        lines=chunk.lines,
        text=document.text(chunk.span),
        passages=tuple(passages),
        digest=document.digest,
        modified=document.metadata.modified or document.metadata.created,
        hidden=document.structure.hidden,
        labels=document.sections[chunk.section].keywords,
        language=document.metadata.language,
        shapes=document.sections[chunk.section].shapes,
    )
