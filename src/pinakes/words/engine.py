"""The files of the index: tantivy's, in a folder of their own.

Rows enter and hits leave by numbers. Whatever the engine says about files that it cannot use becomes `StoreDamaged`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pinakes.errors import StoreDamaged, StoreError
from pinakes.folder_lock import NEXT_STEP
from pinakes.records import ChunkId
from pinakes.words.ask import chunk_number, place_number
from pinakes.words.fields import ChunkTerms

if TYPE_CHECKING:
    from tantivy import Index, IndexWriter, Schema, Searcher

_SMALL_HEAP = 15_000_000
"""Bytes; the least the engine works with."""
_LARGE_HEAP = 100_000_000


def schema() -> Schema:
    """Terms come already cut, so that whitespace is all that parts them and ``C++`` stays what it is."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("about", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("code", tokenizer_name="whitespace", index_option="position")
    builder.add_unsigned_field("document", indexed=True, fast=True)
    builder.add_unsigned_field("place", indexed=True, fast=True)
    builder.add_unsigned_field("chunk", indexed=True, fast=True)
    return builder.build()


@contextmanager
def engine_errors(folder: Path) -> Iterator[None]:
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


_NO_ROOM = re.compile(r"\(os error (?:27|28|122)\)")
"""How the engine says that a file, the disk or somebody's share of it is full."""


def _damaged(folder: Path, error: BaseException) -> StoreError:
    if _NO_ROOM.search(str(error)):
        return StoreError(f"Words cannot be kept in {folder}: the disk is full.", NEXT_STEP)
    return StoreDamaged(f"The word index in {folder} cannot be used: {error}.", "The next sync makes a new one.")


def create(folder: Path) -> Index:
    from tantivy import Index

    folder.mkdir(parents=True)
    return Index(schema(), str(folder))


def open_index(folder: Path) -> Index:
    """Sees one state of the files until it is told to look again."""
    from tantivy import Index

    index = Index.open(str(folder))
    index.config_reader("manual")
    return index


def open_searcher(folder: Path) -> tuple[Searcher, Schema]:
    """The index for questions only, wherever it is.

    The engine locks even to read. Where nothing can be written it is given a folder with links to the files, needed
    only until they are open.
    """
    if os.access(folder, os.W_OK):
        index = open_index(folder)
        return index.searcher(), index.schema
    with TemporaryDirectory(prefix="pinakes-words-") as lent:
        for file in folder.iterdir():
            if file.suffix == ".json":
                shutil.copyfile(file, Path(lent, file.name))
            elif not file.name.startswith("."):
                Path(lent, file.name).symlink_to(file.resolve())
        index = open_index(Path(lent))
        return index.searcher(), index.schema


@contextmanager
def writing(index: Index, folder: Path, *, much: bool) -> Iterator[IndexWriter]:
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


def share(folder: Path) -> None:
    """Let whoever may read the folder read the two files that the engine writes for its owner alone."""
    mode = folder.stat().st_mode & 0o666
    for name in ("meta.json", ".managed.json"):
        (folder / name).chmod(mode)


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
        kept.add_unsigned("document", document)
        kept.add_unsigned("place", place_number(document, row.section))
        kept.add_unsigned("chunk", chunk_number(ChunkId(document, row.ordinal)))
        writer.add_document(kept)
