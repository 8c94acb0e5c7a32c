"""A word index in PostgreSQL: brought up to date here, asked through its snapshots.

Every process sees what any of them has written. What is remembered between questions belongs to one state of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from pinakes.ports import Reader, WordIndex
from pinakes.postgres.database import Database, PostgresConnection
from pinakes.records import ChunkId, ParsedQuestion, Scope, Scored
from pinakes.words.ask import best_score, term_weights
from pinakes.words.fields import BESIDES
from pinakes.words.forms import unsigned
from pinakes.words.postgres.ask import Asking, KnownTerms
from pinakes.words.postgres.lists import KeptIndex, open_parts, read_index, spelled_numbers
from pinakes.words.postgres.several import best_scores, term_facts
from pinakes.words.postgres.update import update
from pinakes.words.spelled import SpelledWords
from pinakes.words.spelling import LAST, SpellingTable
from pinakes.words.tokenize import STEMMED, Normalizer, english, language_term
from pinakes.words.update import RowsOf

_BEGUN = 4
_MOST_REMEMBERED = 50_000


class PostgresWords:
    """The words of one index in a database. Threads may share it; one that was never made answers like an empty one."""

    def __init__(self, database: Database, store: int) -> None:
        self._database = database
        self._store = store
        self._stem = english()
        self._known: PostgresWordSnapshot | None = None
        self.was_mended = False
        """Never: what a transaction wrote is whole."""

    @property
    def generation(self) -> int:
        """The store's, when this was made; 0 when there is nothing that answers."""
        made = self._made()
        return made.generation if made else 0

    def behind(self, reader: Reader) -> int | None:
        """How many documents changed since; None where the index knows nothing of this store."""
        made = self._made()
        if made is None:
            return None
        feed = reader.feed(made.generation)
        return None if feed.is_whole or feed.history != made.history else len(feed.changed) + len(feed.gone)

    def update(self, reader: Reader, rows_of: RowsOf | None = None) -> None:
        """Catch up with the store; what was there answers until all of the new is whole."""
        made = self._made()
        since = reader.feed(made.generation if made else 0)
        if made is None or (since.generation, since.history) != (made.generation, made.history):
            update(self._database, self._store, reader, rows_of)

    @property
    def now(self) -> PostgresWordSnapshot:
        """The index as it is now."""
        made = self._made()
        if self._known is None or self._known.made != made:
            self._known = PostgresWordSnapshot(self._database, self._store, self._stem, made)
        return self._known

    def _made(self) -> KeptIndex | None:
        with self._database.snapshot(index=self._store) as connection:
            return read_index(connection, self._store)


class PostgresWordSnapshot:
    """The promise `WordIndex`. Threads may share it."""

    def __init__(self, database: Database, store: int, stem: Normalizer, made: KeptIndex | None) -> None:
        self.made = made
        self._database = database
        self._store = store
        self._stem = stem
        self._counts: dict[str, tuple[int, int, int, int]] = {}
        """Of terms that were asked for; all 0 for those that are not there."""

    @property
    def size(self) -> int:
        """How many chunks there are."""
        return self.made.chunks if self.made else 0

    def match(self, asked: ParsedQuestion, scope: Scope | None, limit: int) -> list[Scored]:
        """See `WordIndex`."""
        asking = self._asking
        if asking is None or not (asked.terms or asked.extra_terms) or limit < 1:
            return []
        return asking.match(asked, scope, limit)

    def scores(self, asked: ParsedQuestion, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """See `WordIndex`."""
        asking = self._asking
        if asking is None or not (asked.terms or asked.extra_terms) or not chunks:
            return {}
        found = asking.scores(asked, chunks)
        return {chunk: found[chunk] for chunk in chunks if chunk in found}

    def best_scores(self, others: Sequence[WordIndex], asked: ParsedQuestion) -> list[float]:
        """See `WordIndex`. Those of this database are looked at together, and not everywhere; see `several`."""
        mine: dict[int, PostgresWordSnapshot] = {}
        for one in others:
            if isinstance(one, PostgresWordSnapshot) and one._database is self._database and one.made:
                mine[one._store] = one
        weights = term_weights(asked, self._stem)
        with self._connected() as connection:
            facts = term_facts(connection, [*mine], [*weights])
            made = {store: one.made for store, one in mine.items() if one.made}
            scores = best_scores(connection, weights, facts, made)
        for store, known in facts.items():
            mine[store]._remember(weights, known)
        found = {id(mine[store]): score for store, score in scores.items()}
        return [found[id(one)] if id(one) in found else best_score(one, asked) for one in others]

    @cached_property
    def _asking(self) -> Asking | None:
        return Asking(self._connected, self._store, self.made, self._stem, self._counted) if self.made else None

    @contextmanager
    def _connected(self) -> Iterator[PostgresConnection]:
        with self._database.snapshot(index=self._store) as connection:
            yield connection

    def _counted(self, terms: Iterable[str]) -> KnownTerms:
        """What is known of these terms; those that stand nowhere are left out."""
        wanted = set(terms)
        known = {term: facts for term in wanted if (facts := self._counts.get(term)) is not None}
        if unknown := wanted.difference(known):
            with self._connected() as connection:
                rows = connection.execute(
                    "SELECT term, id, words, about, code FROM terms WHERE store = %s AND term = ANY(%s::text[])",
                    (self._store, list(unknown)),
                ).fetchall()
            read = {term: (number, words, about, code) for term, number, words, about, code in rows}
            self._remember(unknown, read)
            known.update(read)
        return {term: facts for term, facts in known.items() if facts[0]}

    def _remember(self, terms: Iterable[str], read: KnownTerms) -> None:
        """What was read of these terms; when there are many, all others are forgotten."""
        if len(self._counts) > _MOST_REMEMBERED:
            self._counts = {}
        self._counts.update({**dict.fromkeys(terms, (0, 0, 0, 0)), **read})

    def terms(self, asked: ParsedQuestion) -> Mapping[str, int]:
        """See `WordIndex`."""
        stems = {
            term: [self._stem(term), *(language_term(one, term) for one in asked.languages if term.isalpha())]
            for term in asked.terms
        }
        known = self._counted(stem for several in stems.values() for stem in several)
        found: dict[str, int] = {}
        seen = set()
        for term, several in stems.items():
            if several[0] not in seen:
                seen.add(several[0])
                found[term] = max(known[stem][1] if stem in known else 0 for stem in several)
        return found

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages besides English whose stems chunks are found by."""
        names = {language_term(language): language for language in STEMMED}
        known = self._counted(names)
        return tuple(language for term, language in names.items() if term in known and known[term][1])

    def holders(self, term: str, scope: Scope | None, limit: int, *, besides: bool) -> dict[ChunkId, int] | None:
        """See `WordIndex`."""
        forms = self._spelled.forms(term, ("", BESIDES) if besides else ("",), _nothing)
        if sum(forms.values()) > limit:
            return None
        if not forms:
            return {}
        found: dict[ChunkId, int] = {}
        numbers = [number for number, *_ in self._counted(forms).values()]
        parts = self.made.parts if self.made else ()
        with self._connected() as connection:
            opened = open_parts(connection, {self._store: parts})
            held = spelled_numbers(connection, self._store, parts, numbers)
        for part, here in opened.items():
            live = np.setdiff1d(held[part], here.dead)
            found.update(zip(here.part.chunks(live), here.part.sections[live].tolist(), strict=True))
        return {
            chunk: section
            for chunk, section in found.items()
            if scope is None
            or (
                chunk.document in scope.documents
                and (scope.sections is None or (chunk.document, section) in scope.sections)
            )
        }

    def corrections(self, words: Sequence[str]) -> dict[str, str]:
        """See `WordIndex`."""
        found: dict[str, str] = {}
        for word in words:
            near = self._spellings.nearest(word)
            begun = self._spellings.beginning(word, 1) if len(word) >= _BEGUN else []
            if near or begun:
                found[word] = near or begun[0]
        return found

    @cached_property
    def _spellings(self) -> SpellingTable:
        """All words, read when the first is looked for among them."""
        return SpellingTable(unsigned(self._spelled.starting("")))

    def completions(self, start: str, most: int) -> list[str]:
        """See `WordIndex`."""
        known = unsigned(self._spelled.starting(start)) + unsigned(self._spelled.starting(BESIDES + start))
        return sorted((word for word in known if word != start), key=lambda word: (-known[word], word))[:most]

    def longer(self, word: str, most: int) -> list[str]:
        """See `WordIndex`."""
        return self._spelled.longer(word, most, _nothing)

    @cached_property
    def _spelled(self) -> SpelledWords:
        """All words as they are written."""
        return SpelledWords(self._starting, self._stem)

    def _starting(self, start: str) -> dict[str, int]:
        with self._connected() as connection:
            rows = connection.execute(
                "SELECT term, spelled FROM terms WHERE store = %s AND term >= %s AND term < %s AND spelled > 0",
                (self._store, start, start + LAST),
            ).fetchall()
        return dict(rows)


def _nothing(_start: str) -> dict[str, int]:
    """No document changed since: an update is whole before it is asked."""
    return {}
