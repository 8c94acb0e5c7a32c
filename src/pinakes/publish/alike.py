"""How alike are two chunks, and how alike are a question and a chunk?

A document with its chunks as search has them, and the cuts to publish, enter; cosines leave. With an embedder nothing
is embedded here: a cut's vector is the mean of the vectors of the sections it covers, which search made already. Only
questions are encoded. Without one, words take their place: term frequencies, weighted by how few chunks of the document
hold a term.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import TYPE_CHECKING

from pinakes.publish.cutting import Cut
from pinakes.records import ChunkId, NumberedDocument

if TYPE_CHECKING:
    from pinakes.ports import Cosines, Embedder, Vectors

DECIMALS = 4
"""What is published of a cosine. Orders are made from the rounded ones, so that anybody can make them again."""
NO_EMBEDDER = "tf-idf"
LARGEST_BYTE = 127
"""What stands for 1 where a vector is published."""

_WORD = re.compile(r"\w+")


class ByVectors:
    """Tells how alike texts are by the vectors that search uses."""

    def __init__(self, vectors: Cosines, embedder: Embedder, questions: Sequence[str] = ()) -> None:
        self.name = embedder.name
        self.threshold = embedder.traits.noise
        """The cosine from which on a chunk may be said to answer a question."""
        self._vectors = vectors
        self._asked = embedder.encode(questions) if questions else None

    def section_vectors(self, chunks: Sequence[ChunkId]) -> Vectors:
        """Those of sections, each of length 1, or zeros where there is none."""
        return self._vectors.section_vectors(chunks)

    def compare(self, numbered: NumberedDocument, cuts: Sequence[Cut]) -> ComparedVectors:
        import numpy as np

        sections = [chunk for chunk in numbered.chunks if chunk.parent == chunk.ordinal]
        held = self._vectors.section_vectors([ChunkId(numbered.number, chunk.ordinal) for chunk in sections])
        rows = np.zeros((len(cuts), held.shape[1]), dtype=np.float64)
        first = 0
        for row, one in enumerate(cuts):
            while first < len(sections) and sections[first].span.end <= one.span.start:
                first += 1
            for column in range(first, len(sections)):
                start, end = sections[column].span
                if start >= one.span.end:
                    break
                # One after the other and not by BLAS, whose order of adding depends on the machine.
                rows[row] += held[column] * float(min(end, one.span.end) - max(start, one.span.start))
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        lengths[lengths == 0.0] = 1.0
        return ComparedVectors(rows / lengths[:, None], self._asked)


class ComparedVectors:
    """The chunks of one document beside each other."""

    def __init__(self, rows: Vectors, asked: Vectors | None) -> None:
        self._rows = rows
        self._asked = asked

    def to(self, position: int) -> list[float]:
        """The cosine of every chunk to the one at `position`, rounded; its own is 1."""
        import numpy as np

        found = _rounded(np.einsum("ij,j->i", self._rows, self._rows[position]).tolist())
        found[position] = 1.0
        return found

    def as_bytes(self) -> tuple[bytes, ...]:
        """The vector of each chunk, a signed byte for each number."""
        import numpy as np

        return tuple(row.tobytes() for row in np.rint(self._rows * LARGEST_BYTE).astype(np.int8))

    def to_questions(self) -> list[list[float]]:
        """For each question the cosine of every chunk to it, rounded."""
        import numpy as np

        if self._asked is None:
            return []
        return [_rounded(row) for row in np.einsum("qj,ij->qi", self._asked, self._rows).tolist()]


class ByTerms:
    """Tells it by the words that texts share."""

    name = NO_EMBEDDER
    threshold = 0.3
    """Half of the distinct words of a question, when they are neither rare nor common."""

    def __init__(self, questions: Sequence[str] = ()) -> None:
        self._questions = tuple(questions)

    def compare(self, numbered: NumberedDocument, cuts: Sequence[Cut]) -> ComparedTerms:
        texts = [numbered.document.text(one.span) for one in cuts]
        return ComparedTerms(texts, self._questions)


class ComparedTerms:
    """As `ComparedVectors`, by words."""

    def __init__(self, texts: Sequence[str], questions: Sequence[str]) -> None:
        counts = [Counter(_WORD.findall(text.casefold())) for text in texts]
        holding = Counter(term for held in counts for term in held)
        self._rare = {term: log((1 + len(texts)) / (1 + held)) + 1.0 for term, held in holding.items()}
        self._rows = [self._weighed(held) for held in counts]
        self._questions = questions

    def to(self, position: int) -> list[float]:
        found = _rounded([_cosine(self._rows[position], row) for row in self._rows])
        found[position] = 1.0
        return found

    def as_bytes(self) -> tuple[bytes, ...]:
        return ()

    def to_questions(self) -> list[list[float]]:
        asked = (self._weighed(Counter(_WORD.findall(text.casefold()))) for text in self._questions)
        return [_rounded([_cosine(one, row) for row in self._rows]) for one in asked]

    def _weighed(self, counts: Mapping[str, int]) -> dict[str, float]:
        found = {term: count * self._rare.get(term, 0.0) for term, count in counts.items()}
        length = sqrt(sum(weight * weight for weight in found.values())) or 1.0
        return {term: weight / length for term, weight in found.items()}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[term] for term, weight in sorted(one.items()) if term in other)


def _rounded(values: Sequence[float]) -> list[float]:
    # Adding nothing turns a zero with a sign into one without.
    return [round(max(-1.0, min(1.0, value)), DECIMALS) + 0.0 for value in values]


Comparing = ByVectors | ByTerms
"""A way to tell how alike texts are; `name` is the embedder's, or what takes its place."""
