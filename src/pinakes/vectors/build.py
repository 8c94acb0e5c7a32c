"""Bring vectors up to date with a store.

A reader, an embedder and the files as they are enter; files with more at their ends leave, and word of which sections
no longer count. Nothing that is published changes here. A document whose texts are what they were keeps its rows; a
text whose vector is at hand (in the same document before, in one that is gone, in the cache) is not embedded again.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from msgspec import Struct, field

from pinakes.ports import Embedder, Progress, Reader
from pinakes.records import Chunk, Event, Feed, NumberedDocument, Phase
from pinakes.vectors.layout import ROW, SECTION, VectorTable
from pinakes.vectors.texts import digest, embedded_text
from pinakes.vectors.writer import SectionBatch, SectionSink, as_bytes, layer_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors

_DOCUMENTS = 64
"""Asked of the store at a time."""
_TEXTS = 256
"""Embedded at a time, or a document's: a few seconds' work for a large model, which is what an interruption costs."""


class EmbeddingCache(Protocol):
    """A cache of vectors by text."""

    def encode(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """What `embedder.encode(texts)` gives, from memory where possible."""
        ...


class DocumentRows(Struct, frozen=True):
    """A document as it shall be in the files."""

    number: int
    path: str
    layer: SectionBatch
    texts: tuple[str, ...]
    """One a row."""
    vectors: NDArray[np.int8] | None = None
    """One a row, where another process has embedded the texts, which then are empty."""


PagesOf: TypeAlias = Callable[[Reader, Sequence[int]], Generator[DocumentRows, None, None]]
"""Gives some documents, by number, as they shall be in the files."""


class Embedding(Struct, frozen=True):
    """How texts become vectors."""

    embedder: Embedder
    cache: EmbeddingCache | None
    at_hand: Mapping[bytes, NDArray[np.int8]] = field(default_factory=dict)
    """Vectors made before, by the digest of the text."""
    pages_of: PagesOf | None = None
    """Reads and embeds many documents faster than one process does."""

    def rows(self, texts: Sequence[str]) -> NDArray[np.int8]:
        if self.cache is None:
            return as_bytes(self.embedder.encode(texts))
        return as_bytes(self.cache.encode(self.embedder, texts))


class _Before:
    """What the files hold of the documents that are to be done again."""

    def __init__(self, opened: VectorTable, numbers: Iterable[int]) -> None:
        self.live = opened.live.copy()
        self._opened = opened
        self._places = _places(opened, numbers)

    def is_like(self, page: DocumentRows) -> bool:
        places = self._places.get(page.number)
        if places is None:
            return not page.texts
        return bool(page.texts) and layer_at(self._opened, places).is_like(page.layer)

    def drop(self, number: int) -> Mapping[bytes, NDArray[np.int8]]:
        """Count a document's sections no more; returns their vectors by the digest of the text."""
        places = self._places.get(number)
        if places is None:
            return {}
        self.live[places] = False
        return by_digest(self._opened, places)


def append_changes(
    reader: Reader, feed: Feed, opened: VectorTable, files: SectionSink, embedding: Embedding, progress: Progress
) -> NDArray[np.bool_]:
    """Append what `feed` speaks of to `files`; returns which sections of `opened` still count."""
    before = _Before(opened, (*feed.changed, *feed.gone))
    orphaned = dict(embedding.at_hand)
    for number in feed.gone:
        orphaned.update(before.drop(number))
    done = 0
    with closing((embedding.pages_of or pages_of)(reader, feed.changed)) as every:
        for pages in together(every):
            fresh = [page for page in pages if not before.is_like(page)]
            at_hand: dict[bytes, NDArray[np.int8]] = {}
            for page in fresh:
                at_hand.update(before.drop(page.number))
                if page.vectors is not None:
                    at_hand.update(zip(map(bytes, page.layer.digests), page.vectors, strict=True))
            _add(fresh, ChainMap(at_hand, orphaned), files, embedding)
            done += len(pages)
            progress(Event(Phase.EMBEDDING, done, len(feed.changed), pages[-1].path))
    return before.live


def _add(
    pages: Sequence[DocumentRows],
    at_hand: MutableMapping[bytes, NDArray[np.int8]],
    files: SectionSink,
    embedding: Embedding,
) -> None:
    """Append pages in one piece, embedding what is not at hand, each text once."""
    missing = {
        key: text
        for page in pages
        for key, text in zip(map(bytes, page.layer.digests), page.texts, strict=True)
        if key not in at_hand
    }
    if missing:
        at_hand.update(zip(missing, embedding.rows(tuple(missing.values())), strict=True))
    layers = [page.layer for page in pages if page.texts]
    if layers:
        layer = concatenated(layers)
        files.add(layer, np.array([at_hand[bytes(key)] for key in layer.digests], dtype=np.int8))


def pages_of(reader: Reader, numbers: Sequence[int]) -> Generator[DocumentRows, None, None]:
    for first in range(0, len(numbers), _DOCUMENTS):
        for numbered in reader.documents_by_number(numbers[first : first + _DOCUMENTS]):
            yield _page(numbered)


def together(pages: Iterable[DocumentRows]) -> Iterator[list[DocumentRows]]:
    """Pages in lists whose texts are embedded at once."""
    batch: list[DocumentRows] = []
    size = 0
    for page in pages:
        batch.append(page)
        size += len(page.texts)
        if size >= _TEXTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _page(numbered: NumberedDocument) -> DocumentRows:
    families: dict[int, list[Chunk]] = {}
    for chunk in numbered.chunks:
        families.setdefault(chunk.parent, []).append(chunk)
    sections = []
    texts: list[str] = []
    for ordinal, family in sorted(families.items()):
        # A section stands before its passages: its ordinal is the smallest of the family.
        family.sort(key=lambda chunk: chunk.ordinal)
        sections.append((numbered.number, ordinal, family[0].section, len(texts)))
        texts += [embedded_text(numbered.document, chunk) for chunk in family]
    digests = np.frombuffer(b"".join(map(digest, texts)), dtype=ROW["digest"])
    layer = SectionBatch(np.array(sections, dtype=SECTION), digests)
    return DocumentRows(numbered.number, numbered.document.ref.path, layer, tuple(texts))


def concatenated(layers: Sequence[SectionBatch]) -> SectionBatch:
    sections = np.concatenate([layer.sections for layer in layers])
    counts = [len(layer.digests) for layer in layers]
    shifts = np.cumsum([0, *counts[:-1]])
    # Every layer counts its rows from 0; here each follows the rows of those before it.
    sections["first"] += np.repeat(shifts, [len(layer.sections) for layer in layers]).astype(np.uint32)
    return SectionBatch(sections, np.concatenate([layer.digests for layer in layers]))


def by_digest(opened: VectorTable, places: NDArray[np.int64]) -> dict[bytes, NDArray[np.int8]]:
    """The vectors of these sections by the digest of the text."""
    rows, _ = opened.rows_of(places)
    return dict(zip(map(bytes, opened.rows["digest"][rows]), opened.matrix[rows], strict=True))


def _places(opened: VectorTable, numbers: Iterable[int]) -> Mapping[int, NDArray[np.int64]]:
    """Where the sections of these documents are, in the order of their ordinals."""
    wanted = np.fromiter(numbers, dtype=np.int64)
    found = np.flatnonzero(opened.live & np.isin(opened.sections["document"], wanted))
    if not len(found):
        return {}
    here = opened.sections[found]
    found = found[np.lexsort((here["ordinal"], here["document"]))]
    owners = opened.sections["document"][found]
    # Where the owner changes, the next document begins.
    starts = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
    return dict(zip(owners[starts].tolist(), np.split(found, starts[1:]), strict=True))
