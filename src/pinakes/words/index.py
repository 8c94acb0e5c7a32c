"""The promise `WordIndex`, kept by tantivy.

The folder holds ``manifest.json``, which says what the index was made from and where the engine's files are, a folder
with those files, and a lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pinakes.errors import StoreDamaged, StoreError
from pinakes.folder_lock import NEXT_STEP
from pinakes.ports import Reader
from pinakes.records import ChunkId, ParsedQuestion, Scope, Scored
from pinakes.words.ask import best, best_within, count, finer, has_terms, in_order, question
from pinakes.words.engine import engine_errors, open_searcher
from pinakes.words.manifest import (
    Manifest,
    changed_file,
    changed_segment,
    manifest_file,
    read_manifest,
    remove_manifest,
)
from pinakes.words.recent import LEAST_CHUNKS, ChunksByDocument, RecentDocuments, follow, is_small, unchanged
from pinakes.words.tokenize import Normalizer, english
from pinakes.words.update import update

if TYPE_CHECKING:
    from tantivy import Schema, Searcher


class _OpenIndex(NamedTuple):
    searcher: Searcher
    schema: Schema
    made: Manifest


class TantivyWords:
    """Opens files when first asked and looks again when another process has published newer ones.

    Threads may share it. An index that is missing, unreadable or of another form answers like an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: tuple[int, ...] = ()
        self._opened: _OpenIndex | None = None
        self._recent: RecentDocuments | None = None
        self._stem: Normalizer = english()

    @property
    def generation(self) -> int:
        """The store's, when this was made; 0 when there is nothing that answers."""
        made = read_manifest(self._folder)
        if made is None:
            return 0
        recent = self._beyond(made)
        return recent.generation if recent else made.generation

    def update(self, reader: Reader) -> None:
        """Catch up with the store; what was there answers until all of the new is whole.

        Few changes to a large index are held in memory, by each process for itself, and written with those that follow.
        """
        made = read_manifest(self._folder)
        recent = None
        if made is not None and not changed_file(self._folder / made.folder, made):
            before = self._beyond(made)
            since = reader.feed((before or made).generation)
            if (since.generation, since.history) == ((before or made).generation, made.history):
                return  # without a lock, because it is asked before every question
            recent = self._followed(reader, made, unchanged(before, since) if before else {})
        if recent is None:
            update(self._folder, reader)
        self._recent = recent

    def _followed(self, reader: Reader, made: Manifest, kept: ChunksByDocument) -> RecentDocuments | None:
        """What happened since the files were written; None when it is for the engine to take in."""
        feed = reader.feed(made.generation)
        if feed.history != made.history or not is_small(feed):
            return None
        try:
            with self._searching() as opened:
                if opened is None or opened.made != made or opened.searcher.num_docs < LEAST_CHUNKS:
                    return None
                return follow(reader, feed, kept, opened.searcher, opened.schema)
        except StoreDamaged:
            return None

    def _beyond(self, made: Manifest) -> RecentDocuments | None:
        """What is known after the files were written; nothing when they were written again since."""
        recent = self._recent
        is_later = recent is not None and recent.history == made.history and recent.generation > made.generation
        return recent if is_later else None

    @property
    def size(self) -> int:
        """How many chunks there are, about: what was removed lately may still count."""
        with self._searching() as opened:
            return opened.searcher.num_docs if opened else 0

    def match(self, asked: ParsedQuestion, scope: Scope | None, limit: int) -> list[Scored]:
        """Section-level chunks by how well they hold the question's words, best first.

        Phrases must be there, exclusions must not; filters in the text are the caller's to turn into a scope. Equal
        scores are in the order of document and ordinal. Raises `StoreDamaged` when the files cannot be used.
        """
        with self._searching() as opened:
            if opened is None or not asked.terms or limit < 1:
                return []
            recent = self._beyond(opened.made)
            without = recent.replaced if recent else frozenset()
            query = question(opened.schema, asked, self._stem)
            if scope is None:
                found = best(opened.searcher, query, limit, without)
            else:
                found = best_within(opened.searcher, opened.schema, query, scope, limit, without)
            if recent is None:
                return found
            more = recent.match(asked, self._stem, scope, opened.searcher)
            return in_order([*found, *more])[:limit] if more else found

    def scores(self, asked: ParsedQuestion, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """How well certain chunks hold the question's words, those of them that hold any; words that stand together as
        they do in the question count more. Phrases and exclusions decide nothing here."""
        with self._searching() as opened:
            if opened is None or not asked.terms or not chunks:
                return {}
            recent = self._beyond(opened.made)
            without = recent.replaced if recent else frozenset()
            query = finer(opened.schema, asked, self._stem, chunks)
            found = dict(best(opened.searcher, query, len(chunks), without))
            if recent is not None:
                found.update(recent.scores(asked, self._stem, chunks, opened.searcher))
            return {chunk: found[chunk] for chunk in chunks if chunk in found}

    def terms(self, question: ParsedQuestion) -> dict[str, int]:
        """The question's terms, as asked in lower case, and in how many chunks each occurs; 0 for words never seen."""
        asked: dict[str, str] = {}
        for term in question.terms:
            asked.setdefault(self._stem(term), term)
        with self._searching() as opened:
            if opened is None:
                return dict.fromkeys(asked.values(), 0)
            recent = self._beyond(opened.made)
            if recent is None:
                return {term: count(opened.searcher, opened.schema, stem, frozenset()) for stem, term in asked.items()}
            return {
                term: count(opened.searcher, opened.schema, stem, recent.replaced) + recent.count(stem)
                for stem, term in asked.items()
            }

    def holding(self, terms: Sequence[str], chunk: ChunkId) -> list[str]:
        """Which of the terms, written like those of `terms`, a chunk contains."""
        with self._searching() as opened:
            if opened is None:
                return []
            stems = [self._stem(term) for term in terms]
            recent = self._beyond(opened.made)
            if recent is not None and chunk.document in recent.replaced:
                answers = recent.has_terms(stems, chunk)
            else:
                answers = has_terms(opened.searcher, opened.schema, stems, chunk)
        return [term for term, is_held in zip(terms, answers, strict=True) if is_held]

    @contextmanager
    def _searching(self) -> Iterator[_OpenIndex | None]:
        try:
            with engine_errors(self._folder):
                yield self._current()
        except StoreDamaged:
            with suppress(OSError):
                remove_manifest(self._folder)
            raise
        except OSError as error:
            raise StoreError(f"The word index in {self._folder} cannot be read: {error}.", NEXT_STEP) from error

    def _current(self) -> _OpenIndex | None:
        try:
            found = manifest_file(self._folder).stat()
        except FileNotFoundError:
            self._seen, self._opened = (), None
            return None
        seen = (found.st_ino, found.st_mtime_ns, found.st_size)
        if seen != self._seen:
            self._opened, self._seen = self._open(), seen
        return self._opened

    def _open(self) -> _OpenIndex | None:
        made = read_manifest(self._folder)
        while made is not None:
            folder = self._folder / made.folder
            try:
                if name := changed_segment(folder, made):
                    raise ValueError(f"{name} is not as it was written")
                return _OpenIndex(*open_searcher(folder), made)
            except (ValueError, OSError):
                # An update may have taken the files away between the two looks; then there is another index by now.
                again = read_manifest(self._folder)
                if again == made:
                    raise
                made = again
        return None
