"""Catching up with a store: one transaction, so that what was there answers until all of the new is whole.

A reader enters; afterwards the tables hold the words of its generation, or, when an error leaves here, those they held
before. The averages that weights were worked out for are kept as long as they are about right; when they no longer are,
all is made anew.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import IO, Any, TypeAlias

from msgspec import Struct, msgpack

from pinakes.ports import Reader
from pinakes.postgres.database import Database, PostgresConnection, sql
from pinakes.postgres.rows import settle
from pinakes.records import Feed
from pinakes.words.fields import ChunkTerms
from pinakes.words.manifest import form_name
from pinakes.words.postgres.weigh import FIELDS, Averages, CountedChunk, chunk_row, counted, line_row, terms_of
from pinakes.words.update import RowsOf, Tokenizer

_DRIFT = 0.05
"""By how much the averages may be off: a score changes by less, and all scores of a question in the same direction."""
_SMALL = 300
"""Chunks up to which all are made anew rather than be off at all."""
_TOGETHER = 500
"""Chunks whose terms are numbered at a time."""
_MOST_COUNTED = 300_000
"""Terms whose chunks are counted before it is written down."""
_MANY = 100
"""Changed documents after which the planner's statistics are made anew."""
_WAIT_MS = 15_000

_Totals: TypeAlias = tuple[int, int, int, int]
"""Chunks, and terms of `words`, `about` and `code`."""


class KeptIndex(Struct, frozen=True):
    """The row of `word_indexes`."""

    form: str
    generation: int
    history: str
    chunks: int
    words: int
    about: int
    code: int
    words_length: float
    about_length: float

    @property
    def averages(self) -> Averages:
        return Averages(self.words_length, self.about_length)

    @property
    def is_off(self) -> bool:
        """Whether the averages that weights were worked out for no longer hold."""
        now = _averages((self.chunks, self.words, self.about, self.code))
        return any(abs(new / old - 1) > _DRIFT for new, old in zip(now, self.averages, strict=True))


def read_index(connection: PostgresConnection, store: int) -> KeptIndex | None:
    """What is kept, if it is of the present form."""
    row = connection.execute(
        "SELECT form, generation, history, chunks, words, about, code, words_length, about_length"
        " FROM word_indexes WHERE store = %s",
        (store,),
    ).fetchone()
    found = KeptIndex(*row) if row else None
    return found if found is not None and found.form == form_name() else None


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
        for table in ("word_indexes", "chunk_terms", "chunk_lines", "terms"):
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
        self._numbers: dict[str, int] = {}
        self._counts: dict[str, Counter[int]] = {field: Counter() for field in FIELDS}
        """By field, in how many more chunks each term stands than the table says."""

    def run(self) -> None:
        made = read_index(self._connection, self._store)
        feed = self._reader.feed(made.generation if made else 0)
        if made is None or feed.is_whole or feed.history != made.history:
            self._start_over()
        elif feed.changed or feed.gone:
            if made.chunks <= _SMALL:
                self._start_over()
            else:
                self._follow(made, feed)
        elif feed.generation != made.generation:
            self._run("UPDATE word_indexes SET generation = %s WHERE store = %s", feed.generation, self._store)

    def _follow(self, made: KeptIndex, feed: Feed) -> None:
        before = self._forget([*feed.changed, *feed.gone])
        chunks = list(self._chunks(feed.changed))
        self._add(chunks, made.averages)
        self._write_counts()
        now = _plus((made.chunks, made.words, made.about, made.code), _totals(chunks), before)
        self._note(feed, now, made.averages)
        found = read_index(self._connection, self._store)
        if found is not None and found.is_off:
            self._start_over()
        elif len(feed.changed) > _MANY:
            settle(self._connection, self._store, ("chunk_terms", "terms"))

    def _start_over(self) -> None:
        feed = self._reader.feed(0)
        for table in ("chunk_terms", "chunk_lines"):
            self._run(f"DELETE FROM {table} WHERE store = %s", self._store)
        self._run("UPDATE terms SET words = 0, about = 0, code = 0, spelled = 0 WHERE store = %s", self._store)
        totals: _Totals = (0, 0, 0, 0)
        with tempfile.TemporaryFile() as spool:
            for some in _batched(self._chunks(feed.changed)):
                totals = _plus(totals, _totals(some))
                _write(spool, some)
            averages = _averages(totals)
            spool.seek(0)
            for some in _read(spool):
                self._add(some, averages)
        self._write_counts()
        self._run(
            "DELETE FROM terms WHERE store = %s AND words = 0 AND about = 0 AND code = 0 AND spelled = 0", self._store
        )
        self._note(feed, totals, averages)
        if len(feed.changed) > _MANY:
            settle(self._connection, self._store, ("chunk_terms", "terms"))

    def _note(self, feed: Feed, totals: _Totals, averages: Averages) -> None:
        self._run(
            "INSERT INTO word_indexes (store, form, generation, history, chunks, words, about, code, words_length,"
            " about_length) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (store) DO UPDATE SET"
            " form = excluded.form, generation = excluded.generation, history = excluded.history,"
            " chunks = excluded.chunks, words = excluded.words, about = excluded.about, code = excluded.code,"
            " words_length = excluded.words_length, about_length = excluded.about_length",
            self._store, form_name(), feed.generation, feed.history, *totals, *averages,
        )  # fmt: skip

    def _chunks(self, documents: Sequence[int]) -> Iterator[CountedChunk]:
        waiting: list[tuple[int, ChunkTerms]] = []
        with closing(self._rows_of(self._reader, documents)) as found:
            for number, rows in found:
                waiting += [(number, row) for row in rows]
                if len(waiting) >= _TOGETHER:
                    yield from self._counted(waiting)
                    waiting = []
        yield from self._counted(waiting)

    def _counted(self, rows: Sequence[tuple[int, ChunkTerms]]) -> list[CountedChunk]:
        unknown: set[str] = set().union(*(terms_of(row) for _, row in rows)).difference(self._numbers)
        if unknown:
            wanted = sorted(unknown)  # in one order everywhere, or two that add terms could wait for each other
            self._run(
                "INSERT INTO terms (store, term) SELECT %s, unnest(%s::text[]) ON CONFLICT DO NOTHING",
                self._store, wanted,
            )  # fmt: skip
            found = self._connection.execute(
                "SELECT term, id FROM terms WHERE store = %s AND term = ANY(%s::text[])", (self._store, wanted)
            )
            self._numbers.update(found.fetchall())
        return [counted(number, row, self._numbers) for number, row in rows]

    def _add(self, chunks: Sequence[CountedChunk], averages: Averages) -> None:
        with self._connection.cursor() as cursor:
            with cursor.copy("COPY chunk_terms FROM STDIN") as copy:
                for chunk in chunks:
                    copy.write_row(chunk_row(self._store, chunk, averages))
            with cursor.copy("COPY chunk_lines FROM STDIN") as copy:
                for chunk in chunks:
                    copy.write_row(line_row(self._store, chunk))
        self._count(
            {
                "words": Counter(term for chunk in chunks for term in chunk.words),
                "about": Counter(term for chunk in chunks for term in chunk.about),
                "code": Counter(term for chunk in chunks for term in chunk.code),
                "spelled": Counter(term for chunk in chunks for term in chunk.spelled),
            }
        )

    def _count(self, counts: dict[str, Counter[int]]) -> None:
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

    def _forget(self, documents: Sequence[int]) -> _Totals:
        """Take these documents out; what they were, to be taken off the totals."""
        rows = self._connection.execute(
            "SELECT one.words, one.about, one.code, terms, about_terms, code_terms FROM chunk_terms one"
            " JOIN chunk_lines USING (store, document, ordinal) WHERE store = %s AND document = ANY(%s::bigint[])",
            (self._store, list(documents)),
        ).fetchall()
        for table in ("chunk_terms", "chunk_lines"):
            self._run(
                f"DELETE FROM {table} WHERE store = %s AND document = ANY(%s::bigint[])", self._store, list(documents)
            )
        gone = {
            "words": _less(term >> 1 for row in rows for term in row[3] if not term & 1),
            "spelled": _less(term >> 1 for row in rows for term in row[3] if term & 1),
            "about": _less(term for row in rows for term in row[4]),
            "code": _less(term for row in rows for term in row[5]),
        }
        self._count(gone)
        return -len(rows), -sum(row[0] for row in rows), -sum(row[1] for row in rows), -sum(row[2] for row in rows)

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(sql(statement), values or None)


def _less(terms: Iterable[int]) -> Counter[int]:
    return Counter({term: -times for term, times in Counter(terms).items()})


def _totals(chunks: Sequence[CountedChunk]) -> _Totals:
    words, about, code = (sum(chunk.lengths[place] for chunk in chunks) for place in range(3))
    return len(chunks), words, about, code


def _plus(*totals: _Totals) -> _Totals:
    chunks, words, about, code = map(sum, zip(*totals, strict=True))
    return chunks, words, about, code


def _averages(totals: _Totals) -> Averages:
    chunks, words, about, _ = totals
    return Averages(max(1, words) / max(1, chunks), max(1, about) / max(1, chunks))


def _batched(chunks: Iterator[CountedChunk]) -> Iterator[list[CountedChunk]]:
    some: list[CountedChunk] = []
    for chunk in chunks:
        some.append(chunk)
        if len(some) == _TOGETHER:
            yield some
            some = []
    if some:
        yield some


_ENCODER = msgpack.Encoder()
_DECODER = msgpack.Decoder(list[CountedChunk])
_LENGTH = 8


def _write(spool: IO[bytes], chunks: Sequence[CountedChunk]) -> None:
    """Chunks that wait until all of them are counted, and it is known how long they are on average."""
    body = _ENCODER.encode(chunks)
    spool.write(len(body).to_bytes(_LENGTH, "little") + body)


def _read(spool: IO[bytes]) -> Iterator[list[CountedChunk]]:
    while head := spool.read(_LENGTH):
        yield _DECODER.decode(spool.read(int.from_bytes(head, "little")))
