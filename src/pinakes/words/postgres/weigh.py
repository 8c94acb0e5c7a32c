"""What a chunk's terms weigh: numbers to work with, and the rows of the tables made of them.

`ChunkTerms` enter (`counted`), the rows of a chunk leave (`chunk_row`, `line_row`). A term's weight is the share of
BM25 that depends on the chunk alone, as Tantivy has it, lengths rounded as it rounds them; how rare the term is comes
in with the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from pinakes.words.engine import FieldStatistics
from pinakes.words.fields import ChunkTerms
from pinakes.words.postgres.schema import MOST_WEIGHTS, PLACES
from pinakes.words.tokenize import BREAK

FIELDS = ("words", "about", "code", "spelled")


class CountedChunk(Struct, frozen=True, array_like=True):
    """A chunk with its terms by their numbers."""

    document: int
    ordinal: int
    section: int
    lengths: tuple[int, int, int]
    """Terms of `words`, `about` and `code`."""
    words: Mapping[int, int]
    """How often each term stands there."""
    about: Mapping[int, int]
    code: tuple[int, ...]
    spelled: tuple[int, ...]
    words_line: str
    code_line: str


class Averages(NamedTuple):
    """How long fields are on average."""

    words: float
    about: float


def terms_of(row: ChunkTerms) -> set[str]:
    """All terms of a chunk."""
    found = {*row.words.split(), *row.about.split(), *row.code.split(), *row.spelled.split()}
    found.discard(BREAK)
    return found


def counted(document: int, row: ChunkTerms, numbers: Mapping[str, int]) -> CountedChunk:
    """The chunk by the numbers of its terms."""
    words, about, code = row.words.split(), row.about.split(), row.code.split()

    def times(terms: Sequence[str]) -> dict[int, int]:
        return {numbers[term]: count for term, count in Counter(terms).items() if term != BREAK}

    return CountedChunk(
        document,
        row.ordinal,
        row.section,
        (len(words), len(about), len(code)),
        times(words),
        times(about),
        tuple({numbers[term]: None for term in code if term != BREAK}),
        tuple({numbers[term]: None for term in row.spelled.split()}),
        row.words,
        row.code,
    )


def score_share(times: int, length: int, average: float) -> float:
    """What a term that stands so many times in a field of so many terms adds, but for its rarity."""
    return FieldStatistics(0, average).score(times, length, 1.0)


def chunk_row(store: int, chunk: CountedChunk, averages: Averages) -> tuple[object, ...]:
    """The columns of `chunk_terms`."""
    weights: dict[int, float] = {}
    for shift, times, length, average in (
        (0, chunk.words, chunk.lengths[0], averages.words),
        (1, chunk.about, chunk.lengths[1], averages.about),
    ):
        norm = _norm(length, average)
        weights.update((2 * term + shift, _GROWTH * count / (count + norm)) for term, count in times.items())
    kept = sorted(weights.items())[:MOST_WEIGHTS]
    vector = f"{{{','.join([f'{place}:{weight:.7g}' for place, weight in kept])}}}/{PLACES}"
    terms = sorted([*(2 * term for term in chunk.words), *(2 * term + 1 for term in chunk.spelled)])
    return (store, chunk.document, chunk.ordinal, chunk.section, *chunk.lengths, terms, vector)


def line_row(store: int, chunk: CountedChunk) -> tuple[object, ...]:
    """The columns of `chunk_lines`."""
    return (store, chunk.document, chunk.ordinal, chunk.words_line, chunk.code_line, [*chunk.about], [*chunk.code])


_GROWTH = 2.2


def _norm(length: int, average: float) -> float:
    return _GROWTH / score_share(1, length, average) - 1
