"""Catching up with a store.

A reader enters; afterwards the folder holds an index of its generation, or, when an error leaves here, the one it held
before. An index that is missing, damaged, of another form or of another store is made anew beside the old one, which
answers until the new one is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from pinakes.errors import StoreDamaged, StoreError
from pinakes.folder_lock import NEXT_STEP, exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader
from pinakes.records import Feed
from pinakes.words.engine import add_rows, close_to_others, create, engine_errors, forget, open_index, writing
from pinakes.words.fields import ChunkTerms, rows
from pinakes.words.manifest import FOLDER, Manifest, changed_file, form_name, read_manifest, write_manifest, written
from pinakes.words.tokenize import Terms, as_written, english

if TYPE_CHECKING:
    from tantivy import Index

_BATCH = 200
"""Documents that are read at a time."""
_MANY = 1000
"""Documents from which it pays to give the engine more memory."""


NumberedTerms: TypeAlias = Generator[tuple[int, Sequence[ChunkTerms]], None, None]
"""The terms of the chunks of documents, each with its number."""
RowsOf: TypeAlias = Callable[[Reader, Sequence[int]], NumberedTerms]
"""Gives the terms of the chunks of each of some documents, by number, until it is closed."""


def update(folder: OwnFolder, reader: Reader, rows_of: RowsOf | None = None) -> bool:
    """Make the index in `folder` agree with the store; one process at a time, others wait or raise `StoreBusy`. Returns
    whether it was damaged. `rows_of` reads many documents faster than one process does."""
    with exclusive_lock(folder, "words"):
        try:
            return _Update(folder, reader, rows_of or Tokenizer().rows_of).run()
        except OSError as error:
            raise StoreError(f"Words cannot be kept in {folder.path}: {error}.", NEXT_STEP) from error


class Tokenizer:
    """Holds what is remembered of spellings for as long as it is there: a whole corpus's are a hundred megabytes."""

    def __init__(self) -> None:
        self._prose = Terms(english())
        self._code = Terms(as_written)

    def rows_of(self, reader: Reader, numbers: Sequence[int]) -> NumberedTerms:
        """See `RowsOf`; numbers that are gone are left out."""
        for start in range(0, len(numbers), _BATCH):
            for numbered in reader.documents_by_number(numbers[start : start + _BATCH]):
                yield numbered.number, tuple(rows(numbered, self._prose, self._code))


class _Update:
    """One update of a folder."""

    def __init__(self, folder: OwnFolder, reader: Reader, rows_of: RowsOf) -> None:
        self._folder = folder
        self._reader = reader
        self._rows_of = rows_of

    def run(self) -> bool:
        made = read_manifest(self._folder)
        is_damaged = made is not None and bool(changed_file(self._folder.folder(made.folder), made))
        if made is None or is_damaged or not self._has_caught_up(made):
            self._start_over()
        return is_damaged

    def _has_caught_up(self, made: Manifest) -> bool:
        """Do what happened since; not so for another store, one that no longer knows, or files that are damaged."""
        folder = self._folder.folder(made.folder)
        feed = self._reader.feed(made.generation)
        if feed.is_whole or feed.history != made.history:
            return False
        if feed.generation == made.generation:
            return True
        if not feed.changed and not feed.gone:
            write_manifest(self._folder, replace(made, generation=feed.generation))
            return True
        try:
            with engine_errors(folder):
                index = open_index(folder)
            self._write(index, folder, feed)
        except StoreDamaged:
            return False
        return True

    def _start_over(self) -> None:
        feed = self._reader.feed(0)
        folders, files = self._folder.names()
        taken = {*folders, *files}
        free = next(name for number in range(len(taken) + 1) if (name := f"{FOLDER}{number}") not in taken)
        folder = self._folder.folder(free)
        with engine_errors(folder):
            index = create(folder)
        self._write(index, folder, feed)
        for name in taken - {free}:
            if name.startswith(FOLDER):
                self._folder.remove_tree(name)

    def _write(self, index: Index, folder: OwnFolder, feed: Feed) -> None:
        with writing(index, folder, much=len(feed.changed) > _MANY) as writer:
            if not feed.is_whole:
                forget(writer, index, (*feed.changed, *feed.gone))
            with closing(self._rows_of(self._reader, feed.changed)) as rows_found:
                for number, found in rows_found:
                    with engine_errors(folder):
                        add_rows(writer, number, found)
        close_to_others(folder)
        write_manifest(
            self._folder, Manifest(form_name(), folder.path.name, feed.generation, feed.history, written(folder))
        )
