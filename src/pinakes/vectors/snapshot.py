"""Which sections are nearest to a vector? Questions to one published version of the vectors, whatever happens to the
files in the meantime.

Opened files, a question's vector and a scope enter; section-level chunks by cosine leave, best first. Every row that
may be looked at is compared, in two steps, because most rows are hopeless: a pass over all rows with the question
rounded to bytes, then the best few hundred again with the question at sixteen bits. Sums are whole numbers, so a
score does not depend on what else was compared, and equal texts have equal scores on every machine. Of very many rows
`prefix` chooses those that are compared: the scores are the same, and nearly all of the nearest are found.

One bit per dimension was measured for the first pass and lost: on 362,000 real rows it found .86 of the best hundred
among 1,000 sections and .95 among 4,000 (static embedder), where bytes find .995 and take 1.5 ms per 150,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from pinakes.errors import StoreError
from pinakes.records import ChunkId, Scope, Scored
from pinakes.vectors.layout import Header, VectorTable, section_names
from pinakes.vectors.prefix import likely_rows
from pinakes.vectors.products import about_best, products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors

_FEW = 4096
"""So many rows are compared right away: about a millisecond."""
_SPARSE = 8
"""One row in so many."""
_WIDE = 4
"""Rows looked at again for each section wanted."""
_LEAST = 400
_ROUNDING = 1e-5
"""What single precision may change of a cosine, several times over."""


class VectorSnapshot:
    """An immutable view of one published vector file; several threads may ask it at once."""

    def __init__(self, opened: VectorTable) -> None:
        self.opened = opened
        self._scoped: tuple[Scope | None, NDArray[np.bool_] | None] | None = None

    @property
    def generation(self) -> int:
        """The store's, when these were made; 0 when they are only a part."""
        return self.opened.header.generation

    @property
    def embedder(self) -> str:
        """The name of the embedder that made them."""
        return self.opened.header.embedder

    @property
    def rows(self) -> int:
        """How many vectors can be found."""
        return int(np.count_nonzero(self.opened.live[self.opened.section_of]))

    def limited(self, live: NDArray[np.bool_]) -> VectorSnapshot:
        """A snapshot of only these sections."""
        return self if np.array_equal(live, self.opened.live) else VectorSnapshot(replace(self.opened, live=live))

    def nearest(self, vector: Vectors, scope: Scope | None, limit: int) -> list[Scored]:
        """Section-level chunks by cosine, best first: the mean of a section's own and that of its best passage.

        Equal scores are in the order of document and ordinal. A vector without direction finds nothing. Raises
        `StoreError` for a question of another length.
        """
        header = self.opened.header
        if not header.rows:
            return []
        return nearest(self.opened, question_for(header, vector), self._allowed(scope), limit)

    def scores(self, vector: Vectors, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """What `nearest` would score certain section-level chunks; those without vectors are left out, which is all of
        them for a question of another length."""
        question = np.asarray(vector, dtype=np.float32).reshape(-1)
        peak = float(np.abs(question).max(initial=0.0))
        if not peak or len(question) != self.opened.header.dimensions:
            return {}
        places = _places(self.opened, chunks)
        places = places[places >= 0]
        if not len(places):
            return {}
        fine = np.rint(question.astype(np.float64) * (32767 / peak))
        return dict(_ranked(self.opened, self.opened.sections["first"][places].astype(np.int64), fine, len(places)))

    def best_cosine(self, vector: Vectors) -> float:
        """About the cosine of the row that is nearest of all; 0 where there is none."""
        opened, question = self.opened, question_for(self.opened.header, vector)
        if not opened.live.any() or not question.any():
            return 0.0
        coarse = np.rint(question * (127 / float(np.abs(question).max()))).astype(np.int8)
        cosines = products(coarse, opened.matrix) * opened.shares
        return float(cosines.max()) / float(np.sqrt(np.square(coarse, dtype=np.float64).sum()))

    def section_vectors(self, chunks: Sequence[ChunkId]) -> Vectors:
        """One row for each section-level chunk: its own vector, of length 1, or zeros where there is none."""
        opened = self.opened
        found = np.zeros((len(chunks), opened.header.dimensions), dtype=np.float32)
        for position, place in enumerate(_places(opened, chunks).tolist()):
            if place >= 0:
                row = int(opened.sections["first"][place])
                found[position] = opened.matrix[row] / max(1.0, float(opened.lengths[row]))
        return found

    def sample(self, most: int) -> list[ChunkId]:
        """Some section-level chunks, the same ones for the same texts, in whatever order these came."""
        opened = self.opened
        places = np.flatnonzero(opened.live)
        digests = opened.rows["digest"][opened.sections["first"][places]]
        # Of digests the beginning is as good as the whole.
        keys = np.frombuffer(digests.tobytes(), dtype="<u8")[::2] if len(places) else np.zeros(0, dtype="<u8")
        sections = opened.sections[places[np.argsort(keys, kind="stable")[:most]]]
        pairs = zip(sections["document"].tolist(), sections["ordinal"].tolist(), strict=True)
        return [ChunkId(document, ordinal) for document, ordinal in pairs]

    def _allowed(self, scope: Scope | None) -> NDArray[np.bool_] | None:
        known = self._scoped
        if known is None or known[0] is not scope:
            known = self._scoped = (scope, allowed_rows(self.opened, scope))
        return known[1]


def question_for(header: Header, vector: Vectors) -> NDArray[np.float32]:
    """The vector of a question; raises `StoreError` for one of another length."""
    question = np.asarray(vector, dtype=np.float32).reshape(-1)
    if len(question) != header.dimensions:
        raise StoreError(
            f"The vectors made by {header.embedder} have {header.dimensions} dimensions, the question has"
            f" {len(question)}.",
            f"Encode the question with {header.embedder}, or sync to embed with the present embedder.",
        )
    return question


def allowed_rows(opened: VectorTable, scope: Scope | None) -> NDArray[np.bool_] | None:
    """Which rows may be looked at; None for all of them."""
    sections = opened.live
    if scope is not None:
        sections = sections & _inside(opened, scope)
    elif opened.live.all():
        return None
    rows: NDArray[np.bool_] = sections[opened.section_of]
    return rows


def nearest(opened: VectorTable, vector: Vectors, allowed: NDArray[np.bool_] | None, limit: int) -> list[Scored]:
    """The `limit` best sections; equal scores in the order of their documents and ordinals."""
    peak = float(np.abs(vector).max(initial=0.0))
    total = opened.header.rows if allowed is None else int(np.count_nonzero(allowed))
    if not total or not peak or limit <= 0:
        return []
    fine = np.rint(vector.astype(np.float64) * (32767 / peak))
    if total <= _FEW:
        rows = np.arange(total) if allowed is None else np.flatnonzero(allowed)
        return _ranked(opened, rows, fine, limit)
    coarse = np.rint(vector * (127 / peak)).astype(np.int8)
    length = np.sqrt(np.square(coarse, dtype=np.float64).sum())
    # Rows far apart are copied first where they are few: fifty times faster than to compare all for six thousand.
    few = np.flatnonzero(allowed) if allowed is not None and total * _SPARSE < len(allowed) else None
    if few is None and opened.prefix is not None:
        few = likely_rows(opened.prefix, opened, vector, allowed, limit)
        total = len(few)
    matrix, shares = (
        (opened.matrix, opened.shares) if few is None else (opened.matrix.take(few, axis=0), opened.shares.take(few))
    )
    cosines = products(coarse, matrix, allowed if few is None else None)
    cosines *= shares
    cosines *= np.float32(1.0 / length)
    # By no more than the distance of the two roundings can a cosine differ between them.
    slack = float(np.sqrt(np.square(coarse / length - fine / np.sqrt(np.square(fine).sum())).sum())) + _ROUNDING
    if allowed is not None and few is None:
        np.copyto(cosines, np.float32(-2.0), where=~allowed)
    wanted = max(_LEAST, _WIDE * limit)
    while wanted < total:
        floor = max(about_best(cosines, wanted), -1.5)
        best = np.flatnonzero(cosines >= floor)
        found = _ranked(opened, best if few is None else few[best], fine, limit)
        # A section that was left out has no row above the floor, so its score cannot be better than this.
        if len(found) == limit and found[-1].score >= floor + slack:
            return found
        wanted *= 4
    return _ranked(opened, np.flatnonzero(cosines > -1.5) if few is None else few, fine, limit)


def _places(opened: VectorTable, chunks: Sequence[ChunkId]) -> NDArray[np.int64]:
    """Where the sections of these chunks stand; -1 for those that are not there or no longer count."""
    pairs = np.array(chunks, dtype=np.uint32).reshape(-1, 2)
    wanted = section_names(pairs[:, 0], pairs[:, 1])
    # Names ascend, so each chunk is found by halving; a miss lands on a neighbour and is told by its name.
    names, places = opened.order
    if not len(names):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(names, wanted), len(names) - 1)
    return np.where(names[at] == wanted, places[at], -1)


def _ranked(opened: VectorTable, rows: NDArray[np.int64], fine: NDArray[np.float64], limit: int) -> list[Scored]:
    """The sections these rows, in their order, belong to, scored with all their rows."""
    owners = opened.section_of[rows]
    # Rows of one section stand together, so a section is new where its neighbour is another one.
    chosen = owners[np.append(owners[:-1] != owners[1:], values=True)]
    every, offsets = opened.rows_of(chosen)
    counts = np.diff(offsets, append=len(every))
    # Products of bytes and 16-bit numbers, summed in float64: exact, in whatever order.
    sums = np.einsum("ij,j->i", opened.matrix.take(every, axis=0).astype(np.float64), fine)
    cosines = sums / (opened.lengths[every] * np.sqrt(np.square(fine).sum()))
    own = cosines[offsets]
    # The first row of a section is its own; below any cosine, it never counts as its best passage.
    passages = cosines.copy()
    passages[offsets] = -2.0
    scores = np.where(counts == 1, own, (own + np.maximum.reduceat(passages, offsets)) / 2)
    records = opened.sections[chosen]
    # lexsort takes the last key first: score, then document and ordinal, so that ties have one order everywhere.
    order = np.lexsort((records["ordinal"], records["document"], -scores))[:limit]
    best = records[order]
    return [
        Scored(ChunkId(document, ordinal), score)
        for document, ordinal, score in zip(
            best["document"].tolist(), best["ordinal"].tolist(), scores[order].tolist(), strict=True
        )
    ]


def _inside(opened: VectorTable, scope: Scope) -> NDArray[np.bool_]:
    documents = opened.sections["document"]
    table = np.zeros(int(documents.max(initial=0)) + 1, dtype=bool)
    numbers = np.fromiter(scope.documents, dtype=np.int64, count=len(scope.documents))
    table[numbers[numbers < len(table)]] = True
    inside: NDArray[np.bool_] = table.take(documents)  # a look into a table, where `isin` would sort
    if scope.sections is None:
        return inside
    pairs = np.array(sorted(scope.sections), dtype=np.uint64).reshape(-1, 2)
    named = (documents.astype(np.uint64) << np.uint64(32)) | opened.sections["position"]
    return inside & np.isin(named, (pairs[:, 0] << np.uint64(32)) | pairs[:, 1])
