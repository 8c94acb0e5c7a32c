"""Others over the same passages, each as its own manual would have it, warm, ten hits, English stems, no empty words.

Imports are inside the functions: each contender runs in a process of its own and pays for nothing it does not use.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from benchmarks.search.shelf import Ask, Shelf

if TYPE_CHECKING:
    import pyarrow as pa

LIMIT = 10
_AT_ONCE = 10_000


def build_fts5(shelf: Shelf) -> None:
    import sqlite3
    from contextlib import closing

    folder = shelf.indexed("fts5")
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "passages.db")) as base, base:
        base.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize = 'porter unicode61')")
        base.executemany("INSERT INTO passages(text) VALUES (?)", ((text,) for text in shelf.texts()))
        base.execute("INSERT INTO passages(passages) VALUES ('optimize')")


def fts5(shelf: Shelf) -> Ask:
    import sqlite3

    from pinakes.words import parse_question

    own = threading.local()

    def ask(question: str) -> int:
        if not hasattr(own, "base"):
            own.base = sqlite3.connect(shelf.indexed("fts5") / "passages.db")
        terms = " OR ".join(f'"{term}"' for term in parse_question(question).terms)
        found = own.base.execute(
            "SELECT rowid, rank FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?", (terms, LIMIT)
        )
        return len(found.fetchall())

    return ask


def build_bm25s(shelf: Shelf) -> None:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    tokens = bm25s.tokenize(list(shelf.texts()), stopwords="en", stemmer=stemmer, show_progress=False)
    retriever = bm25s.BM25()
    retriever.index(tokens, show_progress=False)
    retriever.save(shelf.indexed("bm25s"))


def bm25s(shelf: Shelf) -> Ask:
    from importlib.util import find_spec

    import bm25s
    import Stemmer

    backend = "numba" if find_spec("numba") else "numpy"
    retriever = bm25s.BM25.load(shelf.indexed("bm25s"), override_params={"backend": backend}, show_progress=False)
    if backend == "numba":
        retriever.activate_numba_scorer()
    stemmer = Stemmer.Stemmer("english")
    one_by_one = threading.Lock()  # neither a stemmer nor compiled code is made for several threads at once

    def ask(question: str) -> int:
        with one_by_one:
            tokens = bm25s.tokenize([question], stopwords="en", stemmer=stemmer, show_progress=False)
            if not tokens.vocab:
                return 0
            return int((retriever.retrieve(tokens, k=LIMIT, show_progress=False).scores > 0).sum())

    return ask


def build_lancedb(shelf: Shelf) -> None:
    _quiet()
    import lancedb
    from lancedb.index import FTS

    batches = _batches(shelf)
    first = next(batches)
    table = lancedb.connect(shelf.indexed("lancedb")).create_table("passages", first)
    for batch in batches:
        table.add(batch)
    table.create_index("text", config=FTS(with_position=False))
    table.optimize()


def lancedb_words(shelf: Shelf) -> Ask:
    table = _table(shelf)
    return lambda question: len(
        table.search(question, query_type="fts").select(["id", "_score"]).limit(LIMIT).to_arrow()
    )


def lancedb_meaning(shelf: Shelf) -> Ask:
    table, encode = _table(shelf), _encoder()
    return lambda question: len(
        table.search(encode(question)).distance_type("dot").select(["id", "_distance"]).limit(LIMIT).to_arrow()
    )


def lancedb_hybrid(shelf: Shelf) -> Ask:
    table, encode = _table(shelf), _encoder()

    def ask(question: str) -> int:
        query = table.search(query_type="hybrid").vector(encode(question)).text(question)
        return len(query.distance_type("dot").select(["id", "text"]).limit(LIMIT).to_arrow())

    return ask


def _table(shelf: Shelf) -> Any:  # LanceDB's own type is not installed where this is checked
    _quiet()
    import lancedb

    return lancedb.connect(shelf.indexed("lancedb")).open_table("passages")


def _quiet() -> None:
    os.environ["LANCEDB_LOG"] = "error"  # it would warn of a changed default at every question


def _encoder() -> Callable[[str], object]:
    from pinakes.neural import load_embedder

    embedder = load_embedder()
    return lambda question: embedder.encode([question])[0]


def _batches(shelf: Shelf) -> Iterator[pa.Table]:
    import numpy as np
    import pyarrow as pa

    vectors, start = np.load(shelf.vectors, mmap_mode="r"), 0
    lines = shelf.texts()
    while texts := list(islice(lines, _AT_ONCE)):
        numbers = vectors[start : start + len(texts)]
        held = pa.FixedSizeListArray.from_arrays(pa.array(numbers.ravel()), numbers.shape[1])
        yield pa.table({"id": range(start, start + len(texts)), "text": texts, "vector": held})
        start += len(texts)
