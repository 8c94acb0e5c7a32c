"""A part of an index: up to 65,536 chunks and, for each term, which of them hold it; as arrays, and as rows.

`CountedChunk`s enter (`PartArrays.add`), or what other parts hold (`PartArrays.take`); the rows of `word_parts` and
`word_lists` leave. Rows enter again (`opened_part`, `opened_list`), and the arrays that scores are worked out from
leave.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from pinakes.records import ChunkId
from pinakes.words.engine import rounded_length
from pinakes.words.postgres.counted import CountedChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    ChunkNumbers = NDArray[np.int64]

MOST_CHUNKS = 1 << 16
"""Of a part: the number of a chunk is two bytes."""
_BITS = 24
_MOST_TIMES = (1 << 16) - 1
FACTS = {"documents": "<i8", "ordinals": "<i4", "sections": "<i4", "words": "<i4", "about": "<i4", "code": "<i4"}
"""The columns with what is known of each chunk, and their numbers."""
PART_COLUMNS = ("store", "part", "chunks", *FACTS, "first_document", "last_document")
LIST_COLUMNS = ("store", "part", "term", "words", "about", "spelled")
LIST_TYPES = ("int4", "int8", "int4", "bytea", "bytea", "bytea")


class Part(Struct, frozen=True, dict=True):
    """What is known of the chunks of a part, by their numbers in it."""

    number: int
    documents: ChunkNumbers
    ordinals: ChunkNumbers
    sections: ChunkNumbers
    lengths: Mapping[str, ChunkNumbers]
    """By field."""

    @cached_property
    def places(self) -> ChunkNumbers:
        """Document and ordinal in one number each, in rising order."""
        return places(self.documents, self.ordinals)

    @cached_property
    def rounded(self) -> Mapping[str, NDArray[np.float64]]:
        """The lengths of fields as scores have them."""
        return {field: _rounded(lengths) for field, lengths in self.lengths.items()}

    @property
    def size(self) -> int:
        """Bytes, about, with what is worked out."""
        return 80 * len(self.documents)

    def chunks(self, numbers: ChunkNumbers) -> list[ChunkId]:
        """The addresses of these numbers."""
        return [*map(ChunkId, self.documents[numbers].tolist(), self.ordinals[numbers].tolist())]

    def numbers_of(self, wanted: ChunkNumbers) -> ChunkNumbers:
        """Of each of these places its number in the part, or -1."""
        if not len(self.places):
            return np.full(len(wanted), -1)
        found = np.minimum(np.searchsorted(self.places, wanted), len(self.places) - 1)
        return np.where(self.places[found] == wanted, found, -1)

    def numbers_in(self, documents: Iterable[int]) -> ChunkNumbers:
        """The numbers of the chunks of these documents."""
        wanted = np.fromiter(documents, dtype=np.int64)
        return np.flatnonzero(np.isin(self.documents, wanted))


class TermList(Struct, frozen=True):
    """The chunks of a part that hold a term in a field, in rising order, and how often."""

    numbers: NDArray[np.uint16]
    times: NDArray[np.uint16]


def found_in(held: NDArray[np.uint16], numbers: ChunkNumbers) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Of each number its position among those of a list, and whether it is there."""
    if not len(held):
        return np.zeros(len(numbers), np.intp), np.zeros(len(numbers), np.bool_)
    wanted = numbers.astype(np.uint16)  # else all of the list would be made as wide
    at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    return at, held[at] == wanted


NOWHERE = TermList(np.empty(0, np.uint16), np.empty(0, np.uint16))


def places(documents: ChunkNumbers, ordinals: ChunkNumbers) -> ChunkNumbers:
    """Document and ordinal in one number each."""
    return documents << _BITS | ordinals


def opened_part(number: int, columns: Sequence[bytes]) -> Part:
    """From the columns that `FACTS` names."""
    arrays = {
        name: np.frombuffer(column, kind).astype(np.int64)
        for (name, kind), column in zip(FACTS.items(), columns, strict=True)
    }
    documents, ordinals, sections = (arrays.pop(name) for name in ("documents", "ordinals", "sections"))
    return Part(number, documents, ordinals, sections, arrays)


def opened_list(data: bytes) -> TermList:
    """From a column of `word_lists`, with how often the term stands in each chunk."""
    return TermList(*np.frombuffer(data, "<u2").reshape(2, -1)) if data else NOWHERE


def opened_numbers(data: bytes) -> ChunkNumbers:
    """From a column that holds numbers of chunks alone."""
    return np.frombuffer(data, "<u2").astype(np.int64)


def kept_numbers(numbers: ChunkNumbers) -> bytes:
    """The column for numbers of chunks alone."""
    return numbers.astype("<u2").tobytes()


class _Field:
    """The terms of one field: which, in which chunk, how often."""

    def __init__(self) -> None:
        self.terms = array("i")
        self.numbers: list[ChunkNumbers] = []
        self.times = array("i")

    def add(self, first: int, chunks: Sequence[Sequence[int] | Mapping[int, int]]) -> None:
        """Those of chunks with the numbers from `first` on."""
        counts = []
        for terms in chunks:
            self.terms.extend(terms)
            self.times.extend(terms.values() if isinstance(terms, Mapping) else (1,) * len(terms))
            counts.append(len(terms))
        self.numbers.append(np.repeat(np.arange(first, first + len(chunks)), counts))

    def take(self, term: int, numbers: ChunkNumbers, times: NDArray[np.uint16]) -> None:
        """Those of a term in chunks with these numbers."""
        self.terms.extend((term,) * len(numbers))
        self.times.extend(times.tolist())
        self.numbers.append(numbers)

    def lists(self, ranks: ChunkNumbers, *, timed: bool) -> dict[int, bytes]:
        """The column of each term, where chunks are numbered anew."""
        if not self.terms:
            return {}
        terms = np.frombuffer(self.terms, np.intc).astype(np.int64)
        numbers = ranks[np.concatenate(self.numbers)]
        order = np.argsort(terms << 16 | numbers)
        terms, numbers = terms[order], numbers[order].astype("<u2")
        times = np.minimum(np.frombuffer(self.times, np.intc)[order], _MOST_TIMES).astype("<u2")
        starts = np.flatnonzero(np.diff(terms, prepend=-1)).tolist()
        found = {}
        for term, start, end in zip(terms[starts].tolist(), starts, [*starts[1:], len(terms)], strict=True):
            column = numbers[start:end].tobytes()
            found[term] = column + times[start:end].tobytes() if timed else column
        return found


class PartArrays:
    """A part that is being made."""

    def __init__(self) -> None:
        self._facts = {name: array("q") for name in FACTS}
        self._fields = {name: _Field() for name in ("words", "about", "spelled")}

    def __len__(self) -> int:
        return len(self._facts["documents"])

    def add(self, chunks: Sequence[CountedChunk]) -> None:
        """Chunks that are new."""
        first = len(self)
        for chunk in chunks:
            row = (chunk.document, chunk.ordinal, chunk.section, *chunk.lengths)
            for kept, number in zip(self._facts.values(), row, strict=True):
                kept.append(number)
        self._fields["words"].add(first, [chunk.words for chunk in chunks])
        self._fields["about"].add(first, [chunk.about for chunk in chunks])
        self._fields["spelled"].add(first, [chunk.spelled for chunk in chunks])

    def take(self, part: Part, dead: ChunkNumbers, rows: Iterable[tuple[int, bytes, bytes, bytes]]) -> None:
        """The chunks of another part but for the dead ones, with the rows of its lists."""
        live = np.setdiff1d(np.arange(len(part.documents)), dead)
        moved = np.full(len(part.documents), -1)
        moved[live] = np.arange(len(self), len(self) + len(live))
        facts = (part.documents, part.ordinals, part.sections, *part.lengths.values())
        for kept, numbers in zip(self._facts.values(), facts, strict=True):
            kept.extend(numbers[live].tolist())
        for term, words, about, spelled in rows:
            for name, column in (("words", words), ("about", about)):
                held = opened_list(column)
                numbers = moved[held.numbers]
                self._fields[name].take(term, numbers[numbers >= 0], held.times[numbers >= 0])
            numbers = moved[opened_numbers(spelled)]
            numbers = numbers[numbers >= 0]
            self._fields["spelled"].take(term, numbers, np.ones(len(numbers), np.uint16))

    def rows(self, store: int, part: int) -> tuple[tuple[object, ...], Iterator[tuple[object, ...]]]:
        """The row of `word_parts`, and those of `word_lists`."""
        facts = {name: np.frombuffer(numbers, np.int64) for name, numbers in self._facts.items()}
        documents = facts["documents"]
        order = np.argsort(places(documents, facts["ordinals"]))
        columns = [facts[name][order].astype(kind).tobytes() for name, kind in FACTS.items()]
        row = (store, part, len(self), *columns, int(documents.min()), int(documents.max()))
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        return row, self._lists(store, part, ranks)

    def _lists(self, store: int, part: int, ranks: ChunkNumbers) -> Iterator[tuple[object, ...]]:
        words, about = (self._fields[name].lists(ranks, timed=True) for name in ("words", "about"))
        spelled = self._fields["spelled"].lists(ranks, timed=False)
        for term in sorted({*words, *about, *spelled}):
            yield store, part, term, words.get(term, b""), about.get(term, b""), spelled.get(term, b"")


def _rounded(lengths: ChunkNumbers) -> NDArray[np.float64]:
    different, which = np.unique(lengths, return_inverse=True)
    return np.array([rounded_length(length) for length in different.tolist()], dtype=np.float64)[which]
