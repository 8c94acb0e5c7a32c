"""Pinakes in parts and whole, as a contender; and the passages that others get.

Imports are inside the functions: each contender runs in a process of its own and pays for nothing it does not use.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.search.shelf import Ask, Shelf
from pinakes.own_folder import OwnFolder

if TYPE_CHECKING:
    from pinakes.library import Library
    from pinakes.ports import Reader
    from pinakes.records import ChunkId

LIMIT = 10
_AT_ONCE = 500
"""Documents held in memory while passages are written out."""


def words(shelf: Shelf) -> Ask:
    from pinakes.words import open_words, parse_question

    index = open_words(OwnFolder(shelf.store / "words")).now
    return lambda question: len(index.match(parse_question(question), None, LIMIT))


def meaning(shelf: Shelf) -> Ask:
    from pinakes.neural import load_embedder
    from pinakes.vectors import open_vectors

    embedder = load_embedder()
    vectors = open_vectors(OwnFolder(shelf.store / "vectors" / embedder.name))
    return lambda question: len(vectors.now.nearest(embedder.encode([question])[0], None, LIMIT))


def search(profile: str) -> Callable[[Shelf], Ask]:
    def open_search(shelf: Shelf) -> Ask:
        from pinakes.records import Query

        library = _opened(shelf)
        return lambda question: len(library.search(Query(question, limit=LIMIT, profile=profile)).hits)

    return open_search


def build(shelf: Shelf) -> dict[str, float]:
    """Sync, then words, then vectors, as the first questions would; seconds of each."""
    from pinakes.records import Query

    marks = [time.perf_counter()]
    with _opened(shelf) as library:
        library.sync()
        marks.append(time.perf_counter())
        for profile in ("fast", "balanced"):
            library.search(Query("anything", profile=profile))
            marks.append(time.perf_counter())
    sync_s, words_s, vectors_s = (end - start for start, end in pairwise(marks))
    return {"sync_s": sync_s, "words_s": words_s, "vectors_s": vectors_s}


def write_passages(shelf: Shelf) -> dict[str, float]:
    """Write down every section-level passage and its vector for others to index; says how many there are."""
    import numpy as np

    from pinakes.neural import load_embedder
    from pinakes.store import open_sqlite
    from pinakes.vectors import open_vectors

    reader = open_sqlite(OwnFolder(shelf.store), read_only=True)
    vectors = open_vectors(OwnFolder(shelf.store / "vectors" / load_embedder().name))
    rows = []
    with shelf.passages.open("w", encoding="utf-8") as lines:
        for chunks, texts in _passages(reader):
            lines.writelines(f"{json.dumps(text)}\n" for text in texts)
            rows.append(np.asarray(vectors.now.section_vectors(chunks), dtype=np.float32))
    reader.close()
    np.save(shelf.vectors, np.concatenate(rows))
    return {"passages": sum(map(len, rows))}


def _passages(reader: Reader) -> Iterator[tuple[list[ChunkId], list[str]]]:
    from pinakes.records import ChunkId
    from pinakes.vectors.texts import embedded_text

    numbers: Sequence[int] = reader.feed(0).changed
    for start in range(0, len(numbers), _AT_ONCE):
        found = [
            (ChunkId(one.number, chunk.ordinal), embedded_text(one.document, chunk))
            for one in reader.documents_by_number(numbers[start : start + _AT_ONCE])
            for chunk in one.chunks
            if chunk.parent == chunk.ordinal
        ]
        yield [chunk for chunk, _ in found], [text for _, text in found]


def _opened(shelf: Shelf) -> Library:
    from pinakes.library import open_library

    return open_library(shelf.corpus, {"store": shelf.store, "keywords.enabled": False})
