"""A chunk with its terms by their numbers, and the row of its lines.

`ChunkTerms` enter (`counted`), a `CountedChunk` leaves, of which parts are made (`words.postgres.parts`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from pinakes.words.fields import ChunkTerms
from pinakes.words.tokenize import BREAK

FIELDS = ("words", "about", "code", "spelled")


class CountedChunk(Struct, frozen=True):
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


def terms_of(row: ChunkTerms) -> set[str]:
    """All terms of a chunk."""
    return terms_in(row.words, row.about, row.code, row.spelled)


def terms_in(*lines: str) -> set[str]:
    """The terms of lines."""
    found = {term for line in lines for term in line.split()}
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


def line_row(store: int, chunk: CountedChunk) -> tuple[object, ...]:
    """The columns of `chunk_lines`."""
    about, spelled = array("i", chunk.about), array("i", chunk.spelled)
    return (
        store, chunk.document, chunk.ordinal, chunk.words_line, chunk.code_line, about.tobytes(), spelled.tobytes(),
    )  # fmt: skip


def terms_kept(column: bytes) -> Sequence[int]:
    """The numbers of terms in a column of `chunk_lines`."""
    return array("i", column)
