"""Added documents as text for a terminal. Everything that comes from a document or its source is made safe."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pinakes.records.added import AddedDocument, AddedText, Addition, Update
from pinakes.render.text import safe


def addition_text(addition: Addition) -> str:
    """What became of a document."""
    return f"{addition.became.value}: {_line(addition.document)}"


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
