"""The parts of an index as they are written: chunks are put into new ones, documents taken out, small ones made one.

Counted chunks and numbers of documents enter; the tables follow, inside the transaction of whoever asks. An index has
a few parts at any time: those that are small beside what was just added are made one with it, so each chunk is written
again a few times only, however many changes there are.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from pinakes.postgres.database import PostgresConnection, sql
from pinakes.words.postgres.counted import CountedChunk
from pinakes.words.postgres.lists import KeptPart, OpenPart, open_parts
from pinakes.words.postgres.parts import LIST_COLUMNS, LIST_TYPES, MOST_CHUNKS, PART_COLUMNS, PartArrays, kept_numbers

Totals: TypeAlias = tuple[int, int, int, int]
"""Chunks, and terms of `words`, `about` and `code`."""
NOTHING: Totals = (0, 0, 0, 0)
_SMALL = 200
"""Chunks: so few are as good as none beside another part."""
_SEVERAL = 4
"""Parts from which it pays to make them one."""


def plus(one: Totals, other: Totals) -> Totals:
    """Both together."""
    chunks, words, about, code = map(int.__add__, one, other)
    return chunks, words, about, code


class PartWriter:
    """Of one index, inside a transaction."""

    def __init__(self, connection: PostgresConnection, store: int) -> None:
        self._connection = connection
        self._store = store
        self._making = PartArrays()

    def add(self, chunks: Sequence[CountedChunk]) -> None:
        """Chunks for the part that is being made; a full one is written. A document may have more than one part has."""
        while chunks:
            room = MOST_CHUNKS - len(self._making)
            self._making.add(chunks[:room])
            chunks = chunks[room:]
            if len(self._making) == MOST_CHUNKS:
                self.end()

    def end(self) -> None:
        """Write the part that is being made."""
        made, self._making = self._making, PartArrays()
        if len(made):
            row, lists = made.rows(self._store, secrets.randbits(63))
            self._copy("word_parts", PART_COLUMNS, ("int4", "int8", "int4", *["bytea"] * 6, "int8", "int8"), [row])
            self._copy("word_lists", LIST_COLUMNS, LIST_TYPES, lists)

    def forget(self, documents: Sequence[int]) -> Totals:
        """Let the chunks of these documents no longer count; how many they were, and how long."""
        found = NOTHING
        parts = self._parts(
            "EXISTS (SELECT FROM unnest(%s::bigint[]) gone WHERE gone BETWEEN first_document AND last_document)",
            list(documents),
        )
        for part, opened in self._open(parts):
            numbers = opened.numbers_in(documents)
            if len(numbers):
                words, about, code = (
                    int(opened.part.lengths[name][numbers].sum()) for name in ("words", "about", "code")
                )
                found = plus(found, (len(numbers), words, about, code))
                self._run(
                    "UPDATE word_parts SET dead = dead || %s, mark = %s WHERE store = %s AND part = %s",
                    kept_numbers(numbers), 1 + secrets.randbits(62), self._store, part.number,
                )  # fmt: skip
        return found

    def tidy(self) -> None:
        """Make one part of those that are small, and of those that hold little that counts."""
        rows = self._connection.execute(
            "SELECT chunks - octet_length(dead) / 2 AS live, part, chunks, mark FROM word_parts WHERE store = %s"
            " ORDER BY live, part",
            (self._store,),
        )
        some, total, is_worth = list[KeptPart](), 0, False
        for live, *row in rows.fetchall():
            part = KeptPart(*row)
            is_worn = 2 * live < part.chunks
            if (is_worn or live <= max(2 * total, _SMALL)) and total + live <= MOST_CHUNKS:
                some.append(part)
                total += live
                is_worth |= is_worn or len(some) == _SEVERAL
        if is_worth:
            self._join(dict(self._open(some)))

    def _join(self, parts: Mapping[KeptPart, OpenPart]) -> None:
        for part, opened in parts.items():
            with self._connection.cursor(binary=True) as cursor:
                rows = cursor.execute(
                    "SELECT term, words, about, spelled FROM word_lists WHERE store = %s AND part = %s",
                    (self._store, part.number),
                )
                self._making.take(opened.part, opened.dead, rows)
        numbers = [part.number for part in parts]
        for table in ("word_lists", "word_parts"):
            self._run(f"DELETE FROM {table} WHERE store = %s AND part = ANY(%s::bigint[])", self._store, numbers)
        self.end()

    def _parts(self, condition: str, *values: Any) -> list[KeptPart]:
        statement = f"SELECT part, chunks, mark FROM word_parts WHERE store = %s AND {condition}"
        return [KeptPart(*row) for row in self._connection.execute(sql(statement), (self._store, *values)).fetchall()]

    def _open(self, parts: Sequence[KeptPart]) -> list[tuple[KeptPart, OpenPart]]:
        opened = open_parts(self._connection, {self._store: parts})
        return [(part, opened[part.number]) for part in parts]

    def _copy(
        self, table: str, columns: Sequence[str], types: Sequence[str], rows: Iterable[tuple[object, ...]]
    ) -> None:
        command = sql(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)")
        with self._connection.cursor() as cursor, cursor.copy(command) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(sql(statement), values)
