"""Parts and lists of terms in the memory of this process, and how they get there.

An index and terms enter; for each part leave its chunks and the lists of the terms, read from the database where they
are not in memory. A part never changes but for the chunks that no longer count, so what was read once is right for as
long as it is held, whatever is written meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct

from pinakes.errors import StoreBusy
from pinakes.postgres.database import PostgresConnection, sql
from pinakes.postgres.held import Held
from pinakes.records import ChunkId
from pinakes.words.engine import K1, B
from pinakes.words.manifest import form_name
from pinakes.words.postgres.parts import (
    FACTS,
    Part,
    TermList,
    found_in,
    opened_list,
    opened_numbers,
    opened_part,
    places,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.words.postgres.parts import ChunkNumbers

_MOST_BYTES = 200_000_000
_AROUND = 300
"""Bytes of a list beside its numbers."""


class KeptPart(NamedTuple):
    """A row of `word_parts`, without what lies in its arrays."""

    number: int
    chunks: int
    mark: int
    """0 as long as all of its chunks count."""


class Lengths(NamedTuple):
    """How long fields are on average."""

    words: float
    about: float
    code: float


class KeptIndex(Struct, frozen=True):
    """The row of `word_indexes`, and those of its parts."""

    form: str
    generation: int
    history: str
    chunks: int
    words: int
    about: int
    code: int
    parts: tuple[KeptPart, ...]

    @property
    def totals(self) -> tuple[int, int, int, int]:
        """Chunks, and terms of the fields."""
        return self.chunks, self.words, self.about, self.code

    @property
    def lengths(self) -> Lengths:
        """How long fields are on average."""
        chunks = max(1, self.chunks)
        return Lengths(max(1, self.words) / chunks, max(1, self.about) / chunks, max(1, self.code) / chunks)


def read_index(connection: PostgresConnection, store: int) -> KeptIndex | None:
    """What is kept, if it is of the present form."""
    rows = connection.execute(
        "SELECT form, generation, history, made.chunks, made.words, made.about, made.code, part, one.chunks, mark"
        " FROM word_indexes made LEFT JOIN word_parts one USING (store) WHERE store = %s ORDER BY part",
        (store,),
    ).fetchall()
    if not rows or rows[0][0] != form_name():
        return None
    parts = tuple([KeptPart(*row[7:]) for row in rows if row[7] is not None])
    form, generation, history, chunks, words, about, code = rows[0][:7]
    return KeptIndex(form, generation, history, chunks, words, about, code, parts)


class WeighedList(Struct, frozen=True):
    """The chunks of a part that hold a term in a field, and what it adds to their scores but for its rarity."""

    numbers: NDArray[np.uint16]
    weights: NDArray[np.float32]
    length: float
    """The average that they were worked out for."""

    def of(self, numbers: ChunkNumbers) -> NDArray[np.float64]:
        """What it adds to each of these chunks."""
        found = np.zeros(len(numbers))
        at, is_there = found_in(self.numbers, numbers)
        found[is_there] = self.weights[at[is_there]]
        return found


class OpenPart(Struct, frozen=True):
    """A part with the chunks of it that no longer count."""

    part: Part
    dead: ChunkNumbers

    def numbers_of(self, chunks: Sequence[ChunkId]) -> ChunkNumbers:
        """Of each of these chunks its number, or -1 where it is not here."""
        documents, ordinals = np.array(chunks, dtype=np.int64).reshape(-1, 2).T
        found = self.part.numbers_of(places(documents, ordinals))
        return np.where(np.isin(found, self.dead), -1, found) if len(self.dead) else found

    def numbers_in(self, documents: Iterable[int]) -> ChunkNumbers:
        """The numbers of the chunks of these documents that still count."""
        return np.setdiff1d(self.part.numbers_in(documents), self.dead)


_PARTS: Held[int, Part] = Held(_MOST_BYTES // 2)
_DEAD: Held[tuple[int, int], ChunkNumbers] = Held(_MOST_BYTES // 20)
"""By part and mark."""
_LISTS: Held[tuple[int, int], tuple[TermList, TermList]] = Held(_MOST_BYTES)
"""By part and term, those of `words` and `about`."""
_WEIGHED: Held[tuple[int, int, str], WeighedList] = Held(_MOST_BYTES)
"""By part, term and field."""
_SPELLED: Held[tuple[int, int], ChunkNumbers] = Held(_MOST_BYTES // 20)

IndexParts: TypeAlias = Mapping[int, Sequence[KeptPart]]
"""The parts of indexes."""
TermKeys: TypeAlias = Sequence[tuple[int, int, int]]
"""Index, part and term."""


class OpenLists(Struct, frozen=True):
    """Parts and lists of terms, all that one question needs."""

    parts: Mapping[int, OpenPart]
    lists: Mapping[tuple[int, int], tuple[TermList, TermList]]

    def of(self, part: int, term: int, field: str, length: float) -> WeighedList:
        """The list of a term in a field that is so long on average."""
        name = (part, term, field)
        known = _WEIGHED.get(name)
        if known is not None and known.length == length:
            return known
        words, about = self.lists[part, term]
        found = words if field == "words" else about
        norms = K1 * (1 - B + B * self.parts[part].part.rounded[field][found.numbers] / length)
        weights = ((K1 + 1) * found.times / (found.times + norms)).astype(np.float32)
        weighed = WeighedList(found.numbers, weights, length)
        _WEIGHED.put(name, weighed, 4 * len(weights) + _AROUND)
        return weighed


def open_lists(connection: PostgresConnection, parts: IndexParts, terms: Mapping[int, Sequence[int]]) -> OpenLists:
    """The parts of indexes with the lists of terms; raises `StoreBusy` where a part is not there any more."""
    keys = [(store, part.number, term) for store, several in parts.items() for part in several for term in terms[store]]
    found = {(part, term): lists for _, part, term in keys if (lists := _LISTS.get((part, term))) is not None}
    missing = [key for key in keys if key[1:] not in found]
    for name, words, about in _lists(connection, missing, "words, about"):
        found[name] = lists = opened_list(words), opened_list(about)
        _LISTS.put(name, lists, sum(4 * len(one.numbers) for one in lists) + _AROUND)
    return OpenLists(open_parts(connection, parts), found)


def spelled_numbers(
    connection: PostgresConnection, store: int, parts: Sequence[KeptPart], terms: Sequence[int]
) -> dict[int, ChunkNumbers]:
    """For each part the numbers of the chunks that hold one of these words as it is written."""
    keys = [(store, part.number, term) for part in parts for term in terms]
    found = {key[1:]: numbers for key in keys if (numbers := _SPELLED.get(key[1:])) is not None}
    for name, spelled in _lists(connection, [key for key in keys if key[1:] not in found], "spelled"):
        found[name] = opened_numbers(spelled)
        _SPELLED.put(name, found[name], found[name].nbytes + _AROUND)
    return {
        part.number: np.unique(np.concatenate([_NOBODY, *(found[part.number, term] for term in terms)]))
        for part in parts
    }


def open_parts(connection: PostgresConnection, wanted: IndexParts) -> dict[int, OpenPart]:
    """What is known of the chunks of parts, and which of them no longer count."""
    pairs = [(store, part) for store, parts in wanted.items() for part in parts]
    facts = {part.number: known for _, part in pairs if (known := _PARTS.get(part.number)) is not None}
    new = [(store, part.number) for store, part in pairs if part.number not in facts]
    for number, *columns in _parts(connection, new, ", ".join(FACTS)):
        facts[number] = new_part = opened_part(number, columns)
        _PARTS.put(number, new_part, new_part.size)
    dead = {part: numbers for _, part in pairs if (numbers := _DEAD.get((part.number, part.mark))) is not None}
    marked = {part.number: (store, part) for store, part in pairs if part.mark and part not in dead}
    for number, column in _parts(connection, [(store, number) for number, (store, _) in marked.items()], "dead"):
        part = marked[number][1]
        dead[part] = numbers = np.sort(opened_numbers(column))
        _DEAD.put((number, part.mark), numbers, numbers.nbytes + _AROUND)
    return {part.number: OpenPart(facts[part.number], dead.get(part, _NOBODY)) for _, part in pairs}


_NOBODY = np.empty(0, np.int64)


def _lists(connection: PostgresConnection, keys: TermKeys, columns: str) -> Iterator[tuple[Any, ...]]:
    """Part and term with the columns of these rows of `word_lists`; empty ones where there is no row."""
    if not keys:
        return
    stores, parts, terms = map(list, zip(*keys, strict=True))
    if len({*stores}) == 1:  # the planner then sees which partition it is
        given, store = "unnest(%s::bigint[], %s::int[]) AS wanted (part, term)", "%s"
        values: list[Any] = [parts, terms, stores[0], stores[0]]
    else:
        given, store = "unnest(%s::bigint[], %s::int[], %s::int[]) AS wanted (part, term, store)", "wanted.store"
        values = [parts, terms, stores]
    statement = (
        f"SELECT wanted.part, wanted.term, {', '.join([f'one.{name}' for name in columns.split(', ')])} FROM {given}"
        f" JOIN word_parts here ON here.store = {store} AND here.part = wanted.part LEFT JOIN word_lists one"
        f" ON one.store = {store} AND one.term = wanted.term AND one.part = wanted.part"
    )
    with connection.cursor(binary=True) as cursor:
        rows = cursor.execute(sql(statement), values).fetchall()
    if len(rows) < len(keys):
        raise _changed()
    for part, term, *found in rows:
        yield (part, term), *[one or b"" for one in found]


def _parts(connection: PostgresConnection, keys: Sequence[tuple[int, int]], columns: str) -> list[tuple[Any, ...]]:
    if not keys:
        return []
    stores, parts = map(list, zip(*keys, strict=True))
    statement = (
        f"SELECT part, {columns} FROM word_parts WHERE (store, part) IN (SELECT * FROM unnest(%s::int[], %s::bigint[]))"
    )
    with connection.cursor(binary=True) as cursor:
        rows = cursor.execute(sql(statement), (stores, parts)).fetchall()
    if len(rows) < len(keys):
        raise _changed()
    return rows


def _changed() -> StoreBusy:
    """Whoever asks reads a later state than the one he began with, in which parts have become one."""
    return StoreBusy("The words of the index were changed while they were asked.", "Ask again.")
