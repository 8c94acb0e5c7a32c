"""What may be written where the cursor stands, the nearest and best matching first.

A view, a document, a place and the names of the corpus enter; completion items leave, at most a hundred of them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from lsprotocol.types import CompletionItem, CompletionItemKind, CompletionList, TextEdit

from pinakes.graph.targets import address_signs, shared_names
from pinakes.records import Document, Link, LinkForm, Ref, Span
from pinakes.serve.lsp.catalogue import Catalogue
from pinakes.serve.lsp.typing_place import TypingPlace, Wanted, typing_place
from pinakes.serve.lsp.view import EditorView

MOST = 100
_FEWEST_LETTERS = 3
"""Fewer letters in some order are in every name."""
_NOT_IN_A_NOTE = frozenset("#|^[]")


class _Offer(NamedTuple):
    """One thing that could be written, sorted as it is."""

    match: int
    """How well it matches what was typed, from 0."""
    distance: int
    """How far away it is."""
    text: str
    """What to write."""
    detail: str
    kind: CompletionItemKind


def completion(view: EditorView, document: Document, offset: int, catalogue: Catalogue | None) -> CompletionList:
    """What completes the text before the cursor; nothing where nothing of ours is written. Without a catalogue only
    what the document itself knows."""
    place = typing_place(document, offset)
    if place is None:
        return CompletionList(is_incomplete=False, items=[])
    offers = sorted(_offers(view, document, place, catalogue))
    positions = view.positions(document)
    where = positions.range(Span(offset - len(place.typed.encode()), offset))
    items = [
        CompletionItem(
            label=offer.text,
            kind=offer.kind,
            detail=offer.detail or None,
            filter_text=place.typed if offer.match else offer.text,  # or the client would leave it out
            sort_text=f"{number:04}",
            text_edit=TextEdit(where, offer.text),
        )
        for number, offer in enumerate(offers[:MOST])
    ]
    # What does not begin as typed is not found by a client alone when more is typed, so it has to ask again.
    is_incomplete = len(offers) > MOST or any(offer.match for offer in offers)
    return CompletionList(is_incomplete=is_incomplete, items=items)


def _offers(view: EditorView, document: Document, place: TypingPlace, catalogue: Catalogue | None) -> Iterable[_Offer]:
    if place.wanted is Wanted.ANCHOR:
        return _anchors(view, document, place, LinkForm.LINK)
    if place.wanted is Wanted.HEADING:
        return _anchors(view, document, place, LinkForm.WIKILINK)
    if place.wanted is Wanted.TAG:
        return _tags(view, place, catalogue)
    if catalogue is None:
        return ()
    if place.wanted is Wanted.NOTE:
        return _notes(document.ref, place, catalogue)
    return _paths(document.ref, place, catalogue)


def _paths(origin: Ref, place: TypingPlace, catalogue: Catalogue) -> Iterable[_Offer]:
    """Files, as an address from the document; below the folder that was already typed, if one was."""
    head, slash, tail = unquote(place.typed).rpartition("/")
    folder = posixpath.dirname(origin.path)
    here = folder.split("/") if folder else []
    base = here
    if slash:
        whole = posixpath.normpath(posixpath.join("/", "" if head.startswith("/") or not head else folder, head))
        if head.count("..") > len(here):
            return
        base = [part for part in whole.split("/") if part]
    written = place.typed[: place.typed.rindex("/") + 1] if slash else ""
    for path in catalogue.paths:
        parts = path.split("/")
        if path == origin.path or (slash and parts[: len(base)] != base):
            continue
        shared = shared_names(base, parts)
        relative = "/".join([".."] * (len(base) - shared) + parts[shared:])
        match = _match(tail, relative, parts[-1], catalogue.titles.get(path, ""))
        if match is not None:
            text, kind = written + address_signs(relative), CompletionItemKind.File
            yield _Offer(match, _distance(here, parts), text, catalogue.titles.get(path, ""), kind)


def _notes(origin: Ref, place: TypingPlace, catalogue: Catalogue) -> Iterable[_Offer]:
    """Documents, as they are called between double brackets."""
    here = origin.path.split("/")[:-1]
    for note in catalogue.notes:
        match = _match(place.typed, note.text, note.title, note.path)
        if match is not None and note.path != origin.path:
            distance = _distance(here, note.path.split("/"))
            yield _Offer(match, distance, note.text, note.title, CompletionItemKind.Reference)


def _anchors(view: EditorView, document: Document, place: TypingPlace, form: LinkForm) -> Iterable[_Offer]:
    """The sections of the document that the link so far leads to, in reading order."""
    target = document.ref
    if place.target:
        link = Link(0, 0, Span(0, 0), 0, form, place.target, "")
        found = next(map(view.led, view.edges(document, (link,))), None)
        if found is None or found.to is None:
            return
        target = found.to.document
    other = view.document(target)
    for position, section in enumerate(other.sections if other is not None else ()):
        is_written_out = form is LinkForm.WIKILINK and section.title and not _NOT_IN_A_NOTE & set(section.title)
        text = section.title if is_written_out else section.anchor
        match = _match(place.typed, text, section.anchor, section.title)
        if section.anchor and match is not None:
            yield _Offer(match, position, text, section.title, CompletionItemKind.Reference)


def _tags(view: EditorView, place: TypingPlace, catalogue: Catalogue | None) -> Iterable[_Offer]:
    """Tags of the corpus and of open documents, the most frequent first."""
    counts = dict(catalogue.tags) if catalogue is not None else {}
    for ref in view.buffers:
        document = view.document(ref)
        for tag in document.tags if document is not None else ():
            counts.setdefault(tag, 1)
    for tag, count in counts.items():
        match = _match(place.typed, tag)
        if match is not None and (tag != place.typed or count > 1):
            yield _Offer(match, -count, tag, f"{count} documents", CompletionItemKind.Keyword)


def _match(typed: str, text: str, *others: str) -> int | None:
    """How well a text, or another name of the thing, matches what was typed: 0 begins so, 1 a part of it begins so, 2
    holds it, 3 holds its letters in this order; None not at all."""
    wanted = typed.casefold()
    if not wanted:
        return 0
    texts = [one.casefold() for one in (text, *others)]
    if texts[0].startswith(wanted):
        return 0
    if any(one.startswith(wanted) for one in texts):
        return 1
    if len(wanted) > 1 and any(wanted in one for one in texts):
        return 2
    if len(wanted) < _FEWEST_LETTERS:
        return None
    letters = iter(texts[0])
    return 3 if all(letter in letters for letter in wanted) else None


def _distance(here: list[str], parts: list[str]) -> int:
    """How far a file is from a folder. Up counts more than down: what is below belongs together."""
    near = shared_names(here, parts)
    return 2 * (len(here) - near) + len(parts) - near
