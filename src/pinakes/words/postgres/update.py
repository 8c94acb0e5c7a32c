"""Catching up with a store: one transaction, so that what was there answers until all of the new is whole.

A reader enters; afterwards the tables hold the words of its generation, or, when an error leaves here, those they held
before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any

from pinakes.ports import Reader
from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.postgres.rows import settle
from pinakes.records import Feed
from pinakes.words.fields import ChunkTerms
from pinakes.words.manifest import form_name
from pinakes.words.postgres.counted import FIELDS, CountedChunk, counted, line_row, terms_in, terms_kept, terms_of
from pinakes.words.postgres.lists import KeptIndex, read_index
from pinakes.words.postgres.writing import NOTHING, PartWriter, Totals, plus
from pinakes.words.update import RowsOf, Tokenizer

_TOGETHER = 500
"""Chunks whose terms are numbered at a time."""
_MOST_COUNTED = 300_000
"""Terms whose chunks are counted before it is written down."""
_MANY = 100
"""Changed documents after which the planner's statistics are made anew."""
_WAIT_MS = 15_000


def update(database: Database, store: int, reader: Reader, rows_of: RowsOf | None = None) -> None:
    """Make the index agree with the store; one process at a time, others raise `StoreBusy` after a while. `rows_of`
    reads many documents faster than one process does."""
    with database.transaction(f"SET LOCAL lock_timeout = {_WAIT_MS}", store) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_LOCK, store))
        _Update(connection, store, reader, rows_of or Tokenizer().rows_of).run()


def forget_words(database: Database, store: int) -> None:
    """Throw the words of an index away, so that they are made again."""
    with database.transaction(f"SET LOCAL lock_timeout = {_WAIT_MS}", store) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_LOCK, store))
        for table in ("word_indexes", "word_parts", "word_lists", "chunk_lines", "terms"):
            connection.execute(sql(f"DELETE FROM {table} WHERE store = %s"), (store,))


_LOCK = 1_886_220_903
"""First half of the advisory lock of a word index; the second is the number of the store."""


class _Update:
    """One update, inside its transaction."""

    def __init__(self, connection: PostgresConnection, store: int, reader: Reader, rows_of: RowsOf) -> None:
        self._connection = connection
        self._store = store
        self._reader = reader
        self._rows_of = rows_of
        self._parts = PartWriter(connection, store)
        self._numbers: dict[str, int] = {}
        self._counts: dict[str, Counter[int]] = {field: Counter() for field in FIELDS}
        """By field, in how many more chunks each term stands than the table says."""

    def run(self) -> None:
        made = read_index(self._connection, self._store)
        feed = self._reader.feed(made.generation if made else 0)
        if made is None or feed.is_whole or feed.history != made.history:
            self._start_over()
        elif feed.changed or feed.gone:
            self._follow(made, feed)
        elif feed.generation != made.generation:
            self._run("UPDATE word_indexes SET generation = %s WHERE store = %s", feed.generation, self._store)

    def _follow(self, made: KeptIndex, feed: Feed) -> None:
        before = self._forget([*feed.changed, *feed.gone])
        added = self._add(feed.changed)
        self._parts.tidy()
        self._write_counts()
        self._note(feed, plus(made.totals, plus(added, before)))
        self._settle(feed)

    def _start_over(self) -> None:
        feed = self._reader.feed(0)
        for table in ("word_parts", "word_lists", "chunk_lines"):
            self._run(f"DELETE FROM {table} WHERE store = %s", self._store)
        self._run("UPDATE terms SET words = 0, about = 0, code = 0, spelled = 0 WHERE store = %s", self._store)
        totals = self._add(feed.changed)
        self._write_counts()
        self._run(
            "DELETE FROM terms WHERE store = %s AND words = 0 AND about = 0 AND code = 0 AND spelled = 0", self._store
        )
        self._note(feed, totals)
        self._settle(feed)

    def _settle(self, feed: Feed) -> None:
        if len(feed.changed) > _MANY:
            settle(self._connection, self._store, ("word_lists", "chunk_lines", "terms"))

    def _note(self, feed: Feed, totals: Totals) -> None:
        self._run(
            "INSERT INTO word_indexes (store, form, generation, history, chunks, words, about, code)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (store) DO UPDATE SET"
            " form = excluded.form, generation = excluded.generation, history = excluded.history,"
            " chunks = excluded.chunks, words = excluded.words, about = excluded.about, code = excluded.code",
            self._store, form_name(), feed.generation, feed.history, *totals,
        )  # fmt: skip

    def _add(self, documents: Sequence[int]) -> Totals:
        """Put the chunks of these documents into new parts; what they add to the totals."""
        totals = NOTHING
        waiting: list[tuple[int, ChunkTerms]] = []
        with closing(self._rows_of(self._reader, documents)) as found:
            for number, rows in found:
                waiting += [(number, row) for row in rows]
                if len(waiting) >= _TOGETHER:
                    totals, waiting = plus(totals, self._put(waiting)), []
        totals = plus(totals, self._put(waiting))
        self._parts.end()
        return totals

    def _put(self, rows: Sequence[tuple[int, ChunkTerms]]) -> Totals:
        chunks = self._counted(rows)
        with self._connection.cursor() as cursor, cursor.copy("COPY chunk_lines FROM STDIN") as copy:
            for chunk in chunks:
                copy.write_row(line_row(self._store, chunk))
        self._parts.add(chunks)
        self._count(
            {
                "words": Counter(term for chunk in chunks for term in chunk.words),
                "about": Counter(term for chunk in chunks for term in chunk.about),
                "code": Counter(term for chunk in chunks for term in chunk.code),
                "spelled": Counter(term for chunk in chunks for term in chunk.spelled),
            }
        )
        words, about, code = (sum(chunk.lengths[place] for chunk in chunks) for place in range(3))
        return len(chunks), words, about, code

    def _counted(self, rows: Sequence[tuple[int, ChunkTerms]]) -> list[CountedChunk]:
        unknown: set[str] = set().union(*(terms_of(row) for _, row in rows)).difference(self._numbers)
        if unknown:
            wanted = sorted(unknown)  # in one order everywhere, or two that add terms could wait for each other
            self._run(
                "INSERT INTO terms (store, term) SELECT %s, unnest(%s::text[]) ON CONFLICT DO NOTHING",
                self._store, wanted,
            )  # fmt: skip
            self._know(wanted)
        return [counted(number, row, self._numbers) for number, row in rows]

    def _know(self, terms: Sequence[str]) -> None:
        found = self._connection.execute(
            "SELECT term, id FROM terms WHERE store = %s AND term = ANY(%s::text[])", (self._store, terms)
        )
        self._numbers.update(found.fetchall())

    def _count(self, counts: Mapping[str, Counter[int]]) -> None:
        for field, times in counts.items():
            self._counts[field].update(times)
        if max(map(len, self._counts.values())) > _MOST_COUNTED:
            self._write_counts()

    def _write_counts(self) -> None:
        """Once for many chunks: the database keeps every earlier version of a row until it is cleaned."""
        terms = list(set().union(*self._counts.values()))
        if terms:
            given = ", ".join(f"{field} = terms.{field} + given.{field}" for field in FIELDS)
            self._run(
                f"UPDATE terms SET {given} FROM unnest({', '.join(['%s::int[]'] * (1 + len(FIELDS)))})"
                f" AS given (id, {', '.join(FIELDS)}) WHERE store = %s AND terms.id = given.id",
                terms, *([self._counts[field][term] for term in terms] for field in FIELDS), self._store,
            )  # fmt: skip
        for times in self._counts.values():
            times.clear()

    def _forget(self, documents: Sequence[int]) -> Totals:
        """Take these documents out; what they were, to be taken off the totals."""
        rows = self._connection.execute(
            "DELETE FROM chunk_lines WHERE store = %s AND document = ANY(%s::bigint[])"
            " RETURNING words, code, about_terms, spelled_terms",
            (self._store, list(documents)),
        ).fetchall()
        lines = [(terms_in(words), terms_in(code)) for words, code, _, _ in rows]
        self._know(sorted(set().union(*(terms for line in lines for terms in line)).difference(self._numbers)))
        self._count(
            {
                "words": _less(self._numbers[term] for words, _ in lines for term in words),
                "code": _less(self._numbers[term] for _, code in lines for term in code),
                "about": _less(term for row in rows for term in terms_kept(row[2])),
                "spelled": _less(term for row in rows for term in terms_kept(row[3])),
            }
        )
        chunks, words, about, code = self._parts.forget(documents)
        return -chunks, -words, -about, -code

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(sql(statement), values or None)


def _less(terms: Iterable[int]) -> Counter[int]:
    return Counter({term: -times for term, times in Counter(terms).items()})
