"""Which link or heading is under the cursor, and where links lead and come from.

A view, a document of it and a byte position enter; locations leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lsprotocol.types import DocumentLink, Location

from pinakes.records import CODE, Document, Edge, Link, Outcome, Ref, Span
from pinakes.render import safe
from pinakes.serve.lsp.uses import place_at, places_of
from pinakes.serve.lsp.view import EditorView, heading_line


class PlacedLink(NamedTuple):
    """A link, and where in the document it stands."""

    link: Link
    span: Span


def link_at(view: EditorView, document: Document, offset: int) -> PlacedLink | None:
    """The innermost link that holds a byte; one that ends there counts, because a cursor stands between letters."""
    spans = view.spans(document)
    holding = [
        PlacedLink(link, place)
        for link in document.links
        if link.ordinal in spans and (place := place_at(document, link, spans[link.ordinal], offset)) is not None
    ]
    return min(holding, key=lambda placed: placed.span.length, default=None)


def heading_at(document: Document, offset: int) -> int:
    """The position of the section whose heading holds a byte; 0, the root, for none."""
    for position in range(1, len(document.sections)):
        line = heading_line(document, position)
        if line.start <= offset <= line.end:
            return position
    return 0


def edge_at(view: EditorView, document: Document, offset: int) -> tuple[Edge, Span] | None:
    """The link under the cursor, understood, or the symbol that the document names there, and its place; None when
    there is none, or nobody can tell where it leads."""
    placed = link_at(view, document, offset)
    if placed is None:
        return next(((edge, edge.link.span) for edge in view.mentions(document, offset)), None)
    known = (edge for edge in view.edges(document, (placed.link,)) if edge.outcome is not Outcome.NO_FILE)
    return next(((view.led(edge), placed.span) for edge in known), None)


def targets_of(edge: Edge) -> tuple[Ref, ...]:
    """Where a link leads: one place, several when it is ambiguous, none when it is broken."""
    if edge.to is not None:
        return (edge.to,)
    return tuple(Ref(edge.origin.corpus, path) for path in edge.candidates)


def definition(view: EditorView, document: Document, offset: int) -> list[Location]:
    """The section, document or file that the link under the cursor leads to."""
    found = edge_at(view, document, offset)
    return [view.location(ref) for ref in targets_of(found[0])] if found is not None else []


def references(view: EditorView, document: Document, offset: int, *, with_declaration: bool) -> list[Location]:
    """Every link to what is under the cursor: to a heading, or to what a link leads to. The first heading of a
    document stands for all of it, too; the first symbol of a file of code does not."""
    pointed = edge_at(view, document, offset)
    wanted: tuple[Ref, ...]
    if pointed is not None:
        wanted = targets_of(pointed[0])
    elif position := heading_at(document, offset):
        wanted = (document.section_ref(position),)
        if position == 1 and document.ref.corpus != CODE:
            wanted += (document.ref,)
    elif document.source[:offset].count(b"\n") == 0:  # the first line of a document without a heading there
        wanted = (document.ref,)
    else:
        return []
    found = [view.location(wanted[0])] if with_declaration and wanted else []
    for ref in dict.fromkeys(wanted):
        found += _locations(view, ref)
    return sorted(_each_once(found), key=lambda one: (one.uri, one.range.start.line, one.range.start.character))


def document_links(view: EditorView, document: Document) -> list[DocumentLink]:
    """Every link of a document that leads to a place here, with the URI of that place. Links into the web are left to
    the editor, which knows them by their look."""
    spans = view.spans(document)
    found = []
    for edge in map(view.led, view.edges(document)):
        span = spans.get(edge.link.ordinal)
        if span is None or edge.to is None or edge.outcome is not Outcome.FOUND:
            continue
        place = view.location(edge.to)
        line = place.range.start.line
        target = f"{place.uri}#L{line + 1}" if line else place.uri  # editors open a file at such a line
        found.append(DocumentLink(view.range(document, span), target, tooltip=safe(str(edge.to))))
    return found


def _each_once(locations: list[Location]) -> list[Location]:
    seen: dict[tuple[str, int, int], Location] = {}
    for one in locations:
        seen.setdefault((one.uri, one.range.start.line, one.range.start.character), one)
    return list(seen.values())


def _locations(view: EditorView, ref: Ref) -> Iterator[Location]:
    for edge in incoming(view, ref):
        origin = view.document(edge.origin)
        if origin is not None:
            span = view.spans(origin).get(edge.link.ordinal, edge.link.span)
            for place in places_of(origin, edge.link, span):
                yield Location(view.uri(edge.origin), view.range(origin, place))


def incoming(view: EditorView, ref: Ref) -> Iterator[Edge]:
    """The links to exactly this section, symbol or document, and the documents that name the symbol: of open documents
    as they are in the editor, of all others as they are stored."""
    reader = view.reader(ref)
    if reader is not None:
        for edge in reader.edges(ref.corpus, to=ref, outcomes=(Outcome.FOUND,)):
            if edge.to == ref and edge.origin.document not in view.buffers:
                yield edge
    if (other := view.across(ref)) is not None and (there := view.reader(Ref(other.corpus, ref.path))) is not None:
        linking = there.edges(other.corpus, to=Ref(other.corpus, ref.path))
        yield from (
            edge for edge in map(view.led, linking) if edge.to == ref and edge.origin.document not in view.buffers
        )
    for open_ref in view.buffers:
        document = view.document(open_ref)
        edges = map(view.led, view.edges(document)) if document is not None else ()
        yield from (edge for edge in edges if edge.to == ref and edge.outcome is Outcome.FOUND)
    yield from view.mentions_to(ref)
