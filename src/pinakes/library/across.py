"""Documents and source code together: links from one into the other, and the symbols that documents name.

Each corpus has its own index, and what one says of the other is joined when somebody asks. The names that documents
mention are kept with the documents' index until that changes; where the code is not read, there is nothing to join.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pinakes.graph.across import OtherCorpus
from pinakes.graph.around import surroundings
from pinakes.graph.mentions import NamedSymbol, SymbolIndex, mentions_of
from pinakes.library.corpus import Corpus
from pinakes.library.derived import derived, load_derived, save_derived
from pinakes.records import CODE, DOCS, Connections, CorpusName, Document, Edge, Link, LinkForm, Outcome, Ref, Relation

_MENTIONS, _BRIDGES = "mentions", "bridges"
"""Names of derived parts."""
_State = tuple[str, int]
"""History and generation of an index."""


class Across:
    """The documents and the source code of a root."""

    def __init__(self, corpora: Mapping[CorpusName, Corpus]) -> None:
        self.docs = corpora[DOCS]
        self._code = corpora.get(CODE)
        self._known_mentions: tuple[_State, Mapping[str, tuple[str, tuple[NamedSymbol, ...]]]] | None = None
        self._known_symbols: tuple[_State, SymbolIndex] | None = None

    @property
    def code(self) -> Corpus | None:
        """The source code, where it is read."""
        return self._code if self._code is not None and self._code.is_indexed else None

    def connections(self, home: Corpus, ref: Ref) -> Connections:
        """What a document, section or symbol points at and what points at it, in both corpora."""
        store = home.store
        pointing_at = tuple(store.edges(ref.corpus, origin=ref))
        pointing_here = tuple(edge for edge in store.edges(ref.corpus, to=ref) if _is_from_elsewhere(edge, ref))
        outgoing, incoming = _with_words(home, pointing_at), _with_words(home, pointing_here)
        if self.code is None or not self.docs.is_indexed or ref.corpus not in (DOCS, CODE):
            return _connections(ref, outgoing, incoming)
        there = self.other(ref.corpus)
        across, back = OtherCorpus(there.store, there.name), OtherCorpus(store, home.name)
        led = [(across.lead(edge), words) for edge, words in outgoing]
        linking = (back.lead(edge) for edge in there.store.edges(there.name, to=Ref(there.name, ref.path)))
        come = [edge for edge in linking if edge.to is not None and _is_at(edge.to, ref)]
        if ref.corpus == DOCS:
            led += _with_words(home, _besides(self._named_in(ref), [edge for edge, _ in led]))
        else:
            come += _besides(_each_once(self.mentions_to(ref)), come)
        return _connections(ref, led, [*incoming, *_with_words(there, come)])

    def named_in(self, document: Document) -> Iterator[Edge]:
        """The symbols that a text names, each place as a link, whether it is stored or not."""
        if self.code is not None and document.ref.corpus == DOCS:
            yield from self._places(document, mentions_of(document))

    def naming(self, symbol: Ref) -> Iterator[Edge]:
        """Every place in the stored documents that names a symbol, as a link."""
        if self.code is None or not self.docs.is_indexed or symbol.corpus != CODE:
            return
        symbols = self.symbols()
        for path, mentions in self.mentions().items():
            folder = posixpath.dirname(path)
            found = [one for one in mentions if symbols.find(one, folder) == symbol]
            document = self.docs.store.document(Ref(DOCS, path)) if found else None
            if document is not None:
                yield from self._places(document, found)

    def other(self, corpus: CorpusName) -> Corpus:
        """The code for the documents, the documents for the code."""
        assert self._code is not None
        return self._code if corpus == DOCS else self.docs

    def mentions_in(self, document: Document, at: int | None = None) -> Iterator[Edge]:
        """The symbols that a text names, each place as a link, or only the place that holds a byte. The text need not
        be stored."""
        if self.code is None or document.ref.corpus != DOCS:
            return
        named = [one for one in mentions_of(document) if at is None or one.start <= at <= one.end]
        yield from self._places(document, named) if named else ()

    def mentions_to(self, ref: Ref) -> Iterator[Edge]:
        """Every place in the stored documents that names a symbol, or any symbol of a file, as a link."""
        if self.code is None or not self.docs.is_indexed or ref.corpus != CODE:
            return
        symbols = self.symbols()
        for path, mentions in self.mentions().items():
            folder = posixpath.dirname(path)
            found = [one for one in mentions if (to := symbols.find(one, folder)) is not None and _is_at(to, ref)]
            document = self.docs.store.document(Ref(DOCS, path)) if found else None
            if document is not None:
                yield from self._places(document, found)

    def _named_in(self, ref: Ref) -> Iterator[Edge]:
        """The symbols that a stored document or section names, each once for a section."""
        mentions = self.mentions().get(ref.path, ())
        document = self.docs.store.document(ref.document) if mentions else None
        if document is not None:
            named = _each_once(self._places(document, mentions))
            yield from (edge for edge in named if not ref.anchor or edge.origin == ref)

    def _places(self, document: Document, mentions: Iterable[NamedSymbol]) -> Iterator[Edge]:
        """Mentions as links, counted behind those of the document."""
        symbols, folder = self.symbols(), posixpath.dirname(document.ref.path)
        for ordinal, one in enumerate(mentions, len(document.links)):
            to, text = symbols.find(one, folder), document.text(one.span)
            if to is not None:
                link = Link(ordinal, one.section, one.span, one.line, LinkForm.SYMBOL, text, text, Relation.MENTIONS)
                yield Edge(document.section_ref(one.section), link, to, Outcome.FOUND)

    def bridges(self, corpus: CorpusName) -> tuple[tuple[str, str], ...]:
        """Pairs of files that the other corpus joins: for the documents, code that uses other code and documents it
        names; for the code, documents that link to code."""
        if self.code is None or not self.docs.is_indexed or corpus not in (DOCS, CODE):
            return ()
        there = self.other(corpus)

        def make() -> Mapping[str, list[str]]:
            outlines = there.store.outlines(there.name)
            return {one.ref.path: sorted({reference.to.path for reference in one.references}) for one in outlines}

        joined = derived(there.store, _BRIDGES, make)
        return tuple((path, other) for path, others in joined.items() for other in others)

    def symbols(self) -> SymbolIndex:
        """Every symbol of the code, by name."""
        assert self._code is not None
        state = _state_of(self._code)
        if self._known_symbols is None or self._known_symbols[0] != state:
            self._known_symbols = state, SymbolIndex(self._code.store.outlines(CODE))
        return self._known_symbols[1]

    def mentions(self) -> Mapping[str, tuple[NamedSymbol, ...]]:
        """The names that each document mentions in code type, by path. A document is read again when its digest is
        another one."""
        store, state = self.docs.store, _state_of(self.docs)
        if self._known_mentions is None or self._known_mentions[0] != state:
            before = self._known_mentions[1] if self._known_mentions else {}
            kept = before or _loaded(load_derived(store, _MENTIONS))
            now = {path: (digest, self._read(path, digest, kept)) for path, digest in self.docs.digests().items()}
            if now != kept:
                save_derived(store, _MENTIONS, now)
            self._known_mentions = state, now
        return {path: mentions for path, (_, mentions) in self._known_mentions[1].items()}

    def _read(
        self, path: str, digest: str, kept: Mapping[str, tuple[str, tuple[NamedSymbol, ...]]]
    ) -> tuple[NamedSymbol, ...]:
        if path in kept and kept[path][0] == digest:
            return kept[path][1]
        document = self.docs.store.document(Ref(DOCS, path))
        return tuple(mentions_of(document)) if document is not None else ()


def _is_at(to: Ref, ref: Ref) -> bool:
    """Whether an address is another one, or lies in the document it names."""
    return to == ref or (not ref.anchor and to.document == ref)


def _is_from_elsewhere(edge: Edge, ref: Ref) -> bool:
    """Whether a link comes from another document, or to a symbol of code from another symbol: who calls it in its own
    file matters as much."""
    if ref.corpus == CODE and ref.anchor:
        return edge.origin != ref
    return edge.origin.path != ref.path


def _each_once(edges: Iterable[Edge]) -> Iterator[Edge]:
    """The first link of each section to each symbol."""
    seen: set[tuple[Ref, Ref | None]] = set()
    for edge in edges:
        if (edge.origin, edge.to) not in seen:
            seen.add((edge.origin, edge.to))
            yield edge


def _besides(edges: Iterable[Edge], others: Iterable[Edge]) -> list[Edge]:
    """Those of some links that do not lead from and to the same places as others."""
    known = {(edge.origin, edge.to) for edge in others}
    return [edge for edge in edges if (edge.origin, edge.to) not in known]


def _with_words(corpus: Corpus, edges: Iterable[Edge]) -> list[tuple[Edge, str]]:
    """Links of a corpus, each with what stands around it."""
    found = tuple(edges)
    return list(zip(found, surroundings(corpus.store, found), strict=True))


def _connections(ref: Ref, outgoing: Sequence[tuple[Edge, str]], incoming: Sequence[tuple[Edge, str]]) -> Connections:
    every = [*outgoing, *incoming]
    edges, words = tuple(edge for edge, _ in every), tuple(words for _, words in every)
    return Connections(ref, edges[: len(outgoing)], edges[len(outgoing) :], words)


def _state_of(corpus: Corpus) -> _State:
    feed = corpus.store.feed(corpus.store.generation)
    return feed.history, feed.generation


def _loaded(found: Mapping[str, Any]) -> Mapping[str, tuple[str, tuple[NamedSymbol, ...]]]:
    """What was kept; nothing where that is not what this version keeps."""
    try:
        return {path: (digest, tuple(NamedSymbol(*row) for row in rows)) for path, (digest, rows) in found.items()}
    except (TypeError, ValueError):
        return {}
