"""The files of the index, tantivy's, in a folder of their own; and its scores, worked out by hand.

Rows enter and hits leave by numbers. Whatever the engine says about files that it cannot use becomes `StoreDamaged`.

For chunks that the engine does not have yet, a chunk's own counts and what the engine knows of a field enter, a score
leaves (`FieldStatistics`): BM25 as the engine has it, lengths rounded as it rounds them, so that what is scored here
can stand in one list with what the engine found.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from pinakes.errors import StoreDamaged, StoreError
from pinakes.folder_lock import NEXT_STEP
from pinakes.own_folder import OwnFolder
from pinakes.records import ChunkId
from pinakes.words.ask import chunk_number, place_number
from pinakes.words.fields import ChunkTerms

if TYPE_CHECKING:
    from tantivy import Index, IndexWriter, Schema, Searcher


_SMALL_HEAP = 15_000_000
"""Bytes; the least the engine works with."""
_LARGE_HEAP = 50_000_000
K1, B = 1.2, 0.75
"""The engine's."""
_EXACT = 24
_BITS = 4
"""Lengths up to `_EXACT` are kept as they are; of what a length has beyond it, the first four bits."""


def schema() -> Schema:
    """Terms come already cut, so that whitespace is all that parts them and ``C++`` stays what it is."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("about", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("code", tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("spelled", tokenizer_name="whitespace", index_option="basic")
    builder.add_unsigned_field("document", indexed=True, fast=True)
    builder.add_unsigned_field("place", indexed=True, fast=True)
    builder.add_unsigned_field("chunk", indexed=True, fast=True)
    return builder.build()


@contextmanager
def engine_errors(folder: OwnFolder) -> Iterator[None]:
    """The engine raises ValueError for all that is wrong with its files, and panics on some."""
    try:
        yield
    except ValueError as error:
        raise _damaged(folder, error) from error
    except BaseException as error:
        # A panic of the engine is no Exception, and its class has no name to import.
        if type(error).__module__ != "pyo3_runtime":
            raise
        raise _damaged(folder, error) from error


_MANAGED = ".managed.json"
"""The engine's list of its own files, from which it removes those that nothing needs any more."""
_ENGINE_FILE = re.compile(r"(?:[0-9a-f]{32}\.[A-Za-z0-9.]+|meta\.json)\Z")
_NO_ROOM = re.compile(r"\(os error (?:27|28|122)\)")
"""How the engine says that a file, the disk or somebody's share of it is full."""


def _damaged(folder: OwnFolder, error: BaseException) -> StoreError:
    if _NO_ROOM.search(str(error)):
        return StoreError(f"Words cannot be kept in {folder.path}: the disk is full.", NEXT_STEP)
    return StoreDamaged(f"The word index in {folder.path} cannot be used: {error}.", "The next sync makes a new one.")


def create(folder: OwnFolder) -> Index:
    from tantivy import Index

    return _still(Index(schema(), str(folder.make(levels=1).path)))


def _still(index: Index) -> Index:
    """Otherwise the engine watches the files in a thread, and makes some of its own whenever they change."""
    index.config_reader("manual")
    return index


def open_index(folder: OwnFolder) -> Index:
    """Sees one state of the files until it is told to look again. Raises `ValueError` for a list of files to remove
    that names others than the engine's: it would remove those."""
    from tantivy import Index

    folder.names()  # which refuses links: the engine opens by path
    with suppress(FileNotFoundError):
        managed = json.loads(folder.read(_MANAGED))
        if not isinstance(managed, list) or not all(
            isinstance(one, str) and _ENGINE_FILE.match(one) for one in managed
        ):
            raise ValueError(f"{_MANAGED} names other files than the engine's")
    return _still(Index.open(str(folder.path)))


def open_searcher(folder: OwnFolder) -> tuple[Searcher, Schema]:
    """The index for questions only, wherever it is.

    The engine locks even to read. Where nothing can be written it is given a folder with links to the files, needed
    only until they are open.
    """
    from tantivy import Index

    if os.access(folder.path, os.W_OK):
        index = open_index(folder)
        return index.searcher(), index.schema
    with TemporaryDirectory(prefix="pinakes-words-") as lent:
        for name in folder.names()[1]:
            if name.endswith(".json"):
                Path(lent, name).write_bytes(folder.read(name))
            elif not name.startswith("."):
                Path(lent, name).symlink_to(os.path.abspath(folder.path_of(name)))
        index = _still(Index.open(lent))
        return index.searcher(), index.schema


@contextmanager
def writing(index: Index, folder: OwnFolder, *, much: bool) -> Iterator[IndexWriter]:
    """All that is written inside becomes visible together at the end; nothing does when an error leaves the block."""
    with engine_errors(folder):
        writer = index.writer(_LARGE_HEAP if much else _SMALL_HEAP, 1)
    try:
        yield writer
    except BaseException:
        writer.rollback()
        raise
    with engine_errors(folder):
        writer.commit()
        writer.wait_merging_threads()


def close_to_others(folder: OwnFolder) -> None:
    """Take the rights of others from the files that the engine has written."""
    for name in folder.names()[1]:
        with folder.open(name) as file:
            if os.fstat(file.fileno()).st_mode & 0o077 and os.chmod in os.supports_fd:
                os.chmod(file.fileno(), 0o600)


def forget(writer: IndexWriter, index: Index, documents: Sequence[int]) -> None:
    """By query: deleting by term takes the number for a signed one and, without a word, deletes nothing."""
    from tantivy import Query

    if documents:
        writer.delete_documents_by_query(Query.term_set_query(index.schema, "document", documents))


def add_rows(writer: IndexWriter, document: int, rows: Sequence[ChunkTerms]) -> None:
    from tantivy import Document

    for row in rows:
        kept = Document()
        kept.add_text("words", row.words)
        kept.add_text("about", row.about)
        if row.code:
            kept.add_text("code", row.code)
        kept.add_text("spelled", row.spelled)
        kept.add_unsigned("document", document)
        kept.add_unsigned("place", place_number(document, row.section))
        kept.add_unsigned("chunk", chunk_number(ChunkId(document, row.ordinal)))
        writer.add_document(kept)


class FieldStatistics(NamedTuple):
    """What scores in a field depend on, besides the chunk and the term."""

    chunks: int
    """That the engine holds; those that were removed lately still count."""
    length: float
    """Terms of a chunk, on average."""

    def rarity(self, count: int) -> float:
        """Of a term that so many chunks have."""
        return log(1 + (self.chunks - count + 0.5) / (count + 0.5))

    def score(self, times: int, length: int, rarity: float) -> float:
        """Of a term that a chunk of `length` terms has so many times."""
        return rarity * (K1 + 1) * times / (times + K1 * (1 - B + B * rounded_length(length) / self.length))


def measure_field(searcher: Searcher, schema: Schema, name: str, terms: Iterable[str]) -> FieldStatistics | None:
    """A field of the engine, told by the first of some terms that it knows; None when it knows none of them."""
    from tantivy import Query

    for term in terms:
        query = Query.term_query(schema, name, term)
        hits = searcher.search(query, 1, count=False).hits
        if hits:
            # Nothing else says how long chunks are on average.
            parts = json.loads(query.explain(searcher, hits[0][1]).to_json())["details"]
            facts = {
                part["description"].partition(",")[0]: part["value"] for one in parts for part in one.get("details", ())
            }
            return FieldStatistics(int(facts["N"]), facts["avgdl"])
    return None


def rounded_length(length: int) -> int:
    over = length - _EXACT
    if over <= 0:
        return length
    cut = max(0, over.bit_length() - _BITS)
    return _EXACT + (over >> cut << cut)
