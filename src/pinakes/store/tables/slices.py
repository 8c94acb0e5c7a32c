"""Reads chunks as they are cited, and whole documents by their numbers, straight from their columns.

Numbers enter, `Slice`s or documents leave. A search wants two dozen hits of as many documents while somebody waits, so
a citation reads only what it shows: no links, no code, no metadata but dates, no sections but those on the way to the
chunk's heading. Whole documents are read a few hundred at a time: a query for each would cost more than all the rows,
and all of them at once would fill the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from zlib import crc32

from pinakes.records import ChunkId, NumberedDocument, Ref, Slice, Span, repeated_title
from pinakes.store.tables.codes import SHAPES
from pinakes.store.tables.connection import Row, Tables
from pinakes.store.tables.link_texts import incoming_texts
from pinakes.store.tables.rows import (
    DOCUMENT,
    KINDS,
    LINK,
    NOTHING_MORE,
    chunks_from,
    decoded,
    document_from,
    metadata_from,
    undecoded,
)
from pinakes.store.tables.statements import TEXT, batched, placeholders

BATCH = 200
"""Documents at once: enough to make statements rare, few enough for their text to fit into memory."""


def numbered(connection: Tables, numbers: Sequence[int]) -> Iterator[NumberedDocument]:
    """At most `BATCH` of them, in that order. Rows are fetched at once, records made as they are asked for."""
    marks = placeholders(numbers)
    rows = connection.all(
        f"SELECT id, corpus, path, chunks, {DOCUMENT} FROM files JOIN documents USING (id)"
        f" JOIN bodies ON bodies.document = id JOIN trees ON trees.document = id WHERE id IN ({marks})",
        numbers,
    )
    links: dict[int, list[Row]] = {}
    written = f"SELECT {LINK} FROM links WHERE document IN ({marks}) ORDER BY document, ordinal"
    for row in connection.all(written, numbers):
        links.setdefault(row[0], []).append(row)
    texts = incoming_texts(connection, numbers)
    found = {row[0]: row for row in rows}
    return (_numbered(found[one], links.get(one, ()), texts.get(one, {})) for one in numbers if one in found)


def _numbered(row: Row, links: Iterable[Row], texts: Mapping[str, set[str]]) -> NumberedDocument:
    number, corpus, path, chunks, *columns = row
    document = document_from(Ref(corpus, path), tuple(columns), None, links)
    return NumberedDocument(
        number=number,
        document=document,
        chunks=chunks_from(chunks),
        called=tuple(["\n".join(sorted(texts.get(section.anchor, ()))) for section in document.sections]),
    )


_BATCH = 200
_MOST_KEPT = 8_000_000
"""Bytes of documents that are kept for the next question."""
_PLAIN_SECTION = 7
"""Columns of a section without aliases, shapes, labels and symbol."""

_COLUMNS = "id, corpus, path, digest, title, kind, metadata, checksum, chunks, anchors, trees.sections, source, hidden"


class CitedDocuments:
    """Documents that were cited lately, as of one generation: whoever asks about a subject asks about it again."""

    def __init__(self) -> None:
        self._held: dict[int, _Cited] = {}
        self._bytes = 0

    def known(self, numbers: Iterable[int]) -> dict[int, _Cited]:
        return {number: self._held[number] for number in numbers if number in self._held}

    def keep(self, found: Mapping[int, _Cited]) -> None:
        """When there are too many, those before go."""
        self._bytes += sum(one.size for one in found.values())
        if self._bytes > _MOST_KEPT:
            self._held, self._bytes = {}, sum(one.size for one in found.values())
        if self._bytes <= _MOST_KEPT:
            self._held.update(found)


def slices(connection: Tables, chunks: Sequence[ChunkId], cited: CitedDocuments) -> dict[ChunkId, Slice]:
    """Of the chunks that are there."""
    numbers = list(dict.fromkeys([chunk.document for chunk in chunks]))
    held = cited.known(numbers)
    read: dict[int, _Cited] = {}
    for some in batched([number for number in numbers if number not in held], _BATCH):
        rows = connection.all(
            f"SELECT {_COLUMNS} FROM files JOIN documents USING (id) JOIN bodies ON bodies.document = id"
            f" JOIN trees ON trees.document = id WHERE id IN ({placeholders(some)})",
            some,
        )
        read.update((row[0], _Cited(row)) for row in rows)
    held.update(read)
    cited.keep(read)
    return {
        chunk: held[chunk.document].slice(chunk)
        for chunk in chunks
        if chunk.document in held and 0 <= chunk.ordinal < len(held[chunk.document].chunks)
    }


def places(connection: Tables, refs: Sequence[Ref]) -> dict[Ref, ChunkId]:
    """The first chunk of each of these documents or sections."""
    wanted: dict[str, list[Ref]] = {}
    for ref in refs:
        wanted.setdefault(ref.corpus, []).append(ref)
    found: dict[Ref, ChunkId] = {}
    for corpus, named in wanted.items():
        rows: dict[str, Row] = {}
        for paths in batched(dict.fromkeys([ref.path for ref in named])):
            asked = (
                "SELECT path, id, chunks, anchors FROM files JOIN bodies ON bodies.document = id"
                f" JOIN trees ON trees.document = id WHERE corpus = {TEXT} AND path IN ({placeholders(paths)})"
            )
            rows.update((row[0], row[1:]) for row in connection.all(asked, (corpus, *paths)))
        for ref in named:
            if ref.path in rows and (ordinal := _first_chunk(ref, *rows[ref.path][1:])) is not None:
                found[ref] = ChunkId(rows[ref.path][0], ordinal)
    return found


def _first_chunk(ref: Ref, chunks: str, anchors: str) -> int | None:
    names = decoded(anchors) if ref.anchor else ()
    sections = enumerate(section for section, *_ in (decoded(chunks) if chunks else ()))
    return next((ordinal for ordinal, section in sections if not ref.anchor or names[section] == ref.anchor), None)


class _Cited:
    """A document's columns, taken apart once for all of its chunks."""

    def __init__(self, row: Row) -> None:
        _, corpus, path, digest, title, kind, metadata, checksum, chunks, anchors, sections, source, hidden = row
        if crc32(source) != checksum:
            raise ValueError(f"the text of {Ref(corpus, path)} is not what was written")
        self.chunks = undecoded(chunks) if chunks else []
        self._address = (corpus, path)
        self._digest, self._title, self._kind = digest, title, KINDS[kind]
        self._anchors, self._sections = undecoded(anchors), undecoded(sections)
        known = metadata_from(metadata)
        self._modified, self._language = known.modified or known.created, known.language
        self._source, self._hidden = source, hidden
        self.size = sum(map(len, (source, chunks, anchors, sections, hidden)))

    def slice(self, chunk: ChunkId) -> Slice:
        ordinal = chunk.ordinal
        section, _, start, stop, first, last, _ = decoded(self.chunks[ordinal])
        _, shapes, labels, *_ = decoded(self._sections[section])[_PLAIN_SECTION:] or NOTHING_MORE
        return Slice(
            chunk=chunk,
            section=section,
            ref=Ref(*self._address, decoded(self._anchors[section])),
            title=repeated_title(self._title),
            trail=self._trail(section),
            kind=self._kind,
            span=Span(start, stop),
            lines=Span(first, last),
            text=self._source[start:stop].decode("utf-8", "replace"),
            passages=tuple(self._passages(ordinal)),
            digest=self._digest,
            modified=self._modified,
            hidden=self._hidden,
            language=self._language,
            labels=tuple(labels),
            shapes=tuple([SHAPES[letter] for letter in shapes]),
        )

    def _passages(self, ordinal: int) -> Iterator[Span]:
        """Those of a chunk stand right behind it."""
        for row in islice(self.chunks, ordinal + 1, None):
            _, parent, start, stop, *_ = decoded(row)
            if parent != ordinal:
                return
            yield Span(start, stop)

    def _trail(self, position: int) -> tuple[str, ...]:
        titles = []
        while position > 0:
            title, _, position, *_ = decoded(self._sections[position])
            titles.append(repeated_title(title))
        return tuple(reversed(titles))
