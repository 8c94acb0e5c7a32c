"""Headings and files with other names, as edits that the editor makes.

What is under the cursor, or a file that is about to be moved, enters; a `WorkspaceEdit` leaves that also rewrites every
link to it. The library plans it (`plan_rename`, `plan_move`) from what is saved, so a document with unsaved changes is
refused rather than edited in the wrong place.
"""

from __future__ import annotations

import codecs
import posixpath
from collections.abc import Iterable, Sequence
from itertools import pairwise

from lsprotocol import types as lsp
from msgspec import Struct

from pinakes.errors import BadMove
from pinakes.moves.headings import heading_words
from pinakes.moves.written import places_of
from pinakes.records import MEMORIES, Document, Outcome, Ref, Span
from pinakes.records.moves import FileEdits, MovePlan, TextEdit
from pinakes.serve.lsp.folders import OpenFolder
from pinakes.serve.lsp.links import edge_at, heading_at, link_at
from pinakes.serve.lsp.positions import TextPositions
from pinakes.serve.lsp.view import EditorView

_NOTHING_HERE = "Nothing here can be renamed."
_NEXT_STEP = "Put the cursor on a heading or on a link."


class Renameable(Struct, frozen=True):
    """What a rename at the cursor would rename."""

    ref: Ref
    """A section or a document."""
    span: Span
    """What is marked in the document at hand."""
    name: str
    """What it is called now."""


class EditAbilities(Struct, frozen=True):
    """What the editor can do with a `WorkspaceEdit`."""

    has_versions: bool
    """Whether it takes edits for certain versions of documents."""
    can_move: bool
    """Whether it moves files."""


def renameable(view: EditorView, document: Document, offset: int) -> Renameable:
    """What is under the cursor: a heading, or what a link leads to; raises `BadMove` for anything else."""
    placed = link_at(view, document, offset)
    if placed is None:
        position = heading_at(document, offset)
        if not position:
            raise BadMove(_NOTHING_HERE, _NEXT_STEP)
        words = heading_words(document, position)
        return Renameable(document.section_ref(position), words, document.sections[position].title)
    link, pointed = placed.link, edge_at(view, document, offset)
    edge = pointed[0] if pointed is not None else None
    if edge is None or edge.to is None or edge.outcome is not Outcome.FOUND:
        raise BadMove(f"“{link.target}” leads nowhere.", "Mend the link first.")
    places = places_of(document, link)
    span = next((one.span for one in places if one.span.start in link.span), link.span)
    if not edge.to.anchor:
        return Renameable(edge.to, span, posixpath.basename(edge.to.path))
    target = view.document(edge.to)
    titles = [one.title for one in target.sections if one.anchor == edge.to.anchor] if target is not None else []
    return Renameable(edge.to, span, titles[0] if titles else edge.to.anchor)


def renamed(view: EditorView, what: Ref, name: str, abilities: EditAbilities) -> lsp.WorkspaceEdit:
    """The edits that give a section or document another name; raises `BadMove` and `NotFound`."""
    if view.folder is None:
        raise BadMove("This document belongs to no library.", "Open its folder in the editor.")
    plan = view.folder.library.plan_rename(str(what), name)
    if plan.moves and not (abilities.has_versions and abilities.can_move):
        raise BadMove("This editor moves no files for a language server.", "Use pinakes rename in a terminal.")
    return _workspace_edit(view, view.folder, (plan,), abilities, with_moves=True)


def moved(view: EditorView, moves: Sequence[tuple[Ref, str]], abilities: EditAbilities) -> lsp.WorkspaceEdit | None:
    """The edits to make before the editor moves files itself, each from an address to a path of its corpus; None for
    none."""
    assert view.folder is not None
    plans = [view.folder.library.plan_move(str(old), new) for old, new in moves]
    edit = _workspace_edit(view, view.folder, plans, abilities, with_moves=False)
    return edit if edit.changes or edit.document_changes else None


def _workspace_edit(
    view: EditorView, folder: OpenFolder, plans: Sequence[MovePlan], abilities: EditAbilities, *, with_moves: bool
) -> lsp.WorkspaceEdit:
    files = {ref: data for plan in plans for ref, data in folder.library.files_of(plan).items()}
    changes: dict[str, tuple[int | None, list[lsp.TextEdit]]] = {}
    for ref, edits in _merged(plans).items():
        data = files[ref]
        buffer = view.buffers.get(ref)
        if buffer is not None and buffer.text != data.removeprefix(codecs.BOM_UTF8):
            raise BadMove(f"{ref.label} has changes that are not saved.", "Save all documents, then try again.")
        positions = TextPositions(data, view.encoding, is_file=True)
        made = [lsp.TextEdit(positions.range(edit.span), edit.new) for edit in edits]
        changes[_uri(view, folder, ref)] = (buffer.version if buffer is not None else None), made
    if not abilities.has_versions:
        return lsp.WorkspaceEdit(changes={uri: made for uri, (_, made) in changes.items()})
    listed: list[lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile] = [
        lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, version), made)
        for uri, (version, made) in changes.items()
    ]
    if with_moves:
        moves = [move for plan in plans for move in plan.moves]
        listed += [lsp.RenameFile(_uri(view, folder, move.old), _uri(view, folder, move.new)) for move in moves]
    return lsp.WorkspaceEdit(document_changes=listed)


def _merged(plans: Iterable[MovePlan]) -> dict[Ref, list[TextEdit]]:
    """The edits of several plans by file; raises `BadMove` when two of them change one place: files that link to each
    other cannot be moved at once by plans that know one of them each."""
    found: dict[Ref, list[FileEdits]] = {}
    for plan in plans:
        for one in plan.files:
            found.setdefault(one.ref, []).append(one)
    merged = {}
    for ref, files in found.items():
        edits = sorted({edit for one in files for edit in one.edits}, key=lambda edit: edit.span)
        for before, after in pairwise(edits):
            if after.span.start < before.span.end:
                raise BadMove(f"{ref.label} links to several of these files.", "Move them one by one.")
        merged[ref] = edits
    return merged


def _uri(view: EditorView, folder: OpenFolder, ref: Ref) -> str:
    if ref.corpus != MEMORIES:
        return view.uri(ref)
    return (folder.library.memories.folder / ref.path).as_uri()
