"""The index of a library with the text of open documents in place of the stored one.

A folder and the open buffers enter; links as they would be understood if everything were saved leave, and documents by
their address. Without a library, or while there is no index, only what a document says of itself is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsprotocol.types import Location, Range
from msgspec import Struct, field
from msgspec.structs import replace

from pinakes.graph.across import OtherCorpus
from pinakes.graph.names import key_of, names_of
from pinakes.graph.resolve import NameTable, resolve
from pinakes.graph.site_anchors import with_site_anchors
from pinakes.moves.written import places_in_fields
from pinakes.ports import Reader
from pinakes.records import CODE, DOCS, CorpusName, Document, Edge, Link, Name, NameForm, Ref, Span
from pinakes.records.sites import NO_SITES, SITES, Sites
from pinakes.serve.lsp.buffers import Buffer, uri_of
from pinakes.serve.lsp.folders import OpenFolder
from pinakes.serve.lsp.positions import TextPositions

_OF_FILES = (NameForm.PATH, NameForm.FOLDER)


class EditorView(Struct, frozen=True):
    """What one request is answered from. Made on the event loop, used in one thread."""

    folder: OpenFolder | None
    buffers: Mapping[Ref, Buffer]
    """The open documents of the library, by address; of one outside, itself alone."""
    encoding: str
    is_indexed: bool = True
    """Whether there is an index to ask."""
    _readers: dict[CorpusName, Reader] = field(default_factory=dict)
    _documents: dict[Ref, Document | None] = field(default_factory=dict)
    """Documents that were read for this request, as is all that follows."""
    _sites: dict[CorpusName, Sites] = field(default_factory=dict)
    _across: dict[CorpusName, OtherCorpus | None] = field(default_factory=dict)
    _positions: dict[Ref, TextPositions] = field(default_factory=dict)
    _spans: dict[Ref, Mapping[int, Span]] = field(default_factory=dict)

    def reader(self, ref: Ref) -> Reader | None:
        """The index that holds a document; None when there is none to ask."""
        if self.folder is None or not self.is_indexed:
            return None
        if ref.corpus not in self._readers:
            self._readers[ref.corpus] = self.folder.library.corpus(ref.corpus).index
        return self._readers[ref.corpus]

    def sites(self, ref: Ref) -> Sites:
        """The sites that are made of the documents of a corpus."""
        if ref.corpus not in self._sites:
            reader = self.reader(ref)
            self._sites[ref.corpus] = Sites.parse(reader.setting(SITES)) if reader is not None else NO_SITES
        return self._sites[ref.corpus]

    def document(self, ref: Ref) -> Document | None:
        """A document as it is in the editor, else as it is stored."""
        home = ref.document
        if home not in self._documents:
            reader, buffer = self.reader(ref), self.buffers.get(home)
            if buffer is not None:
                self._documents[home] = with_site_anchors(buffer.document(home), self.sites(home).of(home.path))
            else:
                self._documents[home] = reader.document(home) if reader is not None else None
        return self._documents[home]

    def opened(self, ref: Ref) -> Document | None:
        """A document as it is in the editor; None for one that is not open."""
        return self.document(ref) if ref.document in self.buffers else None

    def anchors(self, ref: Ref) -> Mapping[str, str]:
        """Every anchor of a document and the section it leads to."""
        if (document := self.opened(ref)) is not None:
            return document.anchors()
        reader = self.reader(ref)
        return reader.anchors(ref) if reader is not None else {}

    def positions(self, document: Document) -> TextPositions:
        """How the editor counts in the text of a document."""
        if (buffer := self.buffers.get(document.ref)) is not None:
            return buffer.positions
        if document.ref not in self._positions:
            self._positions[document.ref] = TextPositions(document.source, self.encoding, is_file=True)
        return self._positions[document.ref]

    def spans(self, document: Document) -> Mapping[int, Span]:
        """Where each link of a document stands, by its ordinal. Links of the frontmatter, which the parser does not
        place, are sought in their fields."""
        if document.ref not in self._spans:
            found = {link.ordinal: link.span for link in document.links if link.span.length}
            found |= {link.ordinal: place.span for link, place in places_in_fields(document)}
            self._spans[document.ref] = found
        return self._spans[document.ref]

    def uri(self, ref: Ref) -> str:
        """As the editor itself calls an open document."""
        if (buffer := self.buffers.get(ref.document)) is not None:
            return buffer.uri
        assert self.folder is not None
        return uri_of(self.folder.file_of(ref))

    def edges(self, document: Document, links: tuple[Link, ...] | None = None) -> Iterator[Edge]:
        """What the links of an open document, or some of them, lead to. Without an index only those into itself."""
        links = document.links if links is None else links
        table = self._table(document, links)
        is_known = self.reader(document.ref) is not None
        for link in links:
            edge = resolve(document.ref, link, table)
            if is_known or edge.to is not None:
                yield replace(edge, origin=document.section_ref(link.section))

    def led(self, edge: Edge) -> Edge:
        """A link of documents to a file of source code, or the other way round, with the address that it has there."""
        other = self.across(edge.origin)
        return other.lead(edge) if other is not None else edge

    def mentions(self, document: Document, at: int | None = None) -> Iterator[Edge]:
        """The symbols of code that a document names in code type, each place as a link, or only that at a byte."""
        if self.folder is not None and self.across(document.ref) is not None:
            yield from self.folder.library.mentions_in(document, at)

    def mentions_to(self, symbol: Ref) -> Iterator[Edge]:
        """Every place that names a symbol of code, in open documents as they are in the editor."""
        if self.folder is None or symbol.corpus != CODE or self.across(symbol) is None:
            return
        stored = self.folder.library.mentions_to(symbol)
        yield from (edge for edge in stored if edge.origin.document not in self.buffers)
        for ref in self.buffers:
            document = self.document(ref)
            named = self.mentions(document) if document is not None else ()
            yield from (edge for edge in named if edge.to == symbol)

    def across(self, ref: Ref) -> OtherCorpus | None:
        """The source code for a document, the documents for source code; None where only one of them is read."""
        if ref.corpus not in self._across:
            self._across[ref.corpus] = self._other_corpus({DOCS: CODE, CODE: DOCS}.get(ref.corpus, ""))
        return self._across[ref.corpus]

    def _other_corpus(self, name: CorpusName) -> OtherCorpus | None:
        if self.folder is None or name not in self.folder.library.corpora:
            return None
        if not self.folder.library.corpus(name).is_indexed:
            return None
        reader = self.reader(Ref(name, ""))
        return OtherCorpus(reader, name, self.anchors) if reader is not None else None

    def _table(self, document: Document, links: tuple[Link, ...]) -> NameTable:
        corpus = document.ref.corpus
        open_paths = {ref.path for ref in self.buffers if ref.corpus == corpus}
        reader, sites = self.reader(document.ref), self.sites(document.ref)

        def names() -> Iterator[Name]:
            if reader is None:
                return
            keys = {key_of(link, document.ref, sites) for link in links} - {""}
            for name in reader.names(corpus, keys):
                if name.form in _OF_FILES or name.path not in open_paths:
                    yield name
            for path in open_paths:
                if (found := self.document(Ref(corpus, path))) is not None:
                    yield from (name for name in names_of(found, sites) if name.key in keys)

        return NameTable(names(), lambda path: self.anchors(Ref(corpus, path)), sites)

    def location(self, ref: Ref) -> Location:
        """The heading of a section, or the beginning of a document or file."""
        if ref.anchor and (document := self.document(ref)) is not None:
            position = next((at for at, one in enumerate(document.sections) if one.anchor == ref.anchor), 0)
            return Location(self.uri(ref), self.positions(document).range(heading_line(document, position)))
        beginning = TextPositions(b"", self.encoding).line_range(0)
        return Location(self.uri(ref), beginning)

    def range(self, document: Document, span: Span) -> Range:
        return self.positions(document).range(span)


def heading_line(document: Document, position: int) -> Span:
    """The bytes of the line with a section's heading, or with the definition of a symbol, which decorators and comments
    may stand before."""
    section, source = document.sections[position], document.source
    start = section.span.start
    for _ in range(section.symbol.line - section.lines.start if section.symbol is not None else 0):
        start = source.find(b"\n", start) + 1
    end = min((at for at in (source.find(mark, start) for mark in (b"\n", b"\r")) if at >= 0), default=len(source))
    return Span(end - len(source[start:end].lstrip(b" \t")), end)
