"""What a move or a rename would change, worked out without writing anything.

A reader and names enter, a `MovePlan` leaves. Every link that leads to what gets another name, every link inside of it,
and every link that would find something else because a name appears or vanishes is looked up among the names to come,
and rewritten where it would lead elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pinakes.cancelling import checked
from pinakes.errors import NotFound
from pinakes.graph.names import key_of
from pinakes.moves.headings import heading_edits
from pinakes.moves.renaming import Renaming, parsed
from pinakes.moves.rewrite import Rewritten, rewrite
from pinakes.ports import Reader
from pinakes.records import CorpusName, Document, Edge, Ref
from pinakes.records.moves import FileEdits, FileMove, MovePlan, TextEdit, apply_edits


def move(reader: Reader, corpus: CorpusName, old: str, new: str) -> tuple[MovePlan, Renaming]:
    """A file or folder under another path; raises `NotFound` for one that is not indexed."""
    names = Renaming(reader, corpus, old, new)
    is_folder = old not in names.paths
    files, notes = _rewritten(names)
    moved = FileMove(Ref(corpus, old), Ref(corpus, new), is_folder=is_folder)
    edited = {one.ref.path for one in files}
    carried = [
        FileEdits(Ref(corpus, path), one.digest, ()) for path, one in names.documents.items() if path not in edited
    ]
    return MovePlan(moved.old, moved.new, files, (moved,), notes, tuple(carried)), names


def rename(reader: Reader, section: Ref, words: str) -> tuple[MovePlan, Renaming]:
    """A section under another heading; raises `NotFound` and `BadMove`."""
    document = reader.document(section.document)
    numbers = {one.anchor: position for position, one in enumerate(document.sections)} if document else {}
    if document is None or section.anchor not in numbers:
        raise NotFound(f"There is no section {section.label}#{section.anchor}.", "pinakes map lists sections.")
    names = Renaming(reader, section.corpus)
    edits = heading_edits(document, numbers[section.anchor], words)
    after = parsed(section.document, apply_edits(document.source, edits), document, names.sites)
    both = zip(document.sections, after.sections, strict=True)
    names.anchors[section.path] = {old.anchor: new.anchor for old, new in both if old.anchor != new.anchor}
    names.documents[section.path] = after
    files, notes = _rewritten(names, {section.path: edits})
    return MovePlan(section, names.target(section), files, (), notes), names


def _rewritten(
    names: Renaming, headings: Mapping[str, Sequence[TextEdit]] | None = None
) -> tuple[tuple[FileEdits, ...], tuple[str, ...]]:
    """The edits of every document, and what cannot be kept right."""
    files: list[FileEdits] = []
    notes: list[str] = []
    headings = headings or {}
    for path in sorted({*_touched(names), *headings}):
        document = names.reader.document(Ref(names.corpus, path))
        if document is not None:
            edges = tuple(names.reader.edges(names.corpus, origin=document.ref))
            found = rewrite(document, edges, names, headings.get(path, ()))
            notes += found.notes
            if found.edits:
                files.append(file_edits(document, found))
    return tuple(files), tuple(notes)


def file_edits(document: Document, found: Rewritten) -> FileEdits:
    """The edits of a document as a part of a plan."""
    return FileEdits(document.ref, document.digest, found.edits)


def _touched(names: Renaming) -> Iterator[str]:
    """The paths of documents with a link that may need another target."""
    for edge in checked(names.reader.edges(names.corpus)):
        if _is_concerned(edge, names):
            yield edge.origin.path


def _is_concerned(edge: Edge, names: Renaming) -> bool:
    if names.is_touched(edge.origin.path) or (edge.to is not None and names.is_touched(edge.to.path)):
        return True
    return key_of(edge.link, edge.origin, names.sites) in names.changed_keys
