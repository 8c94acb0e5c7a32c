"""How much of one embedder's vectors is as new as another's, which are whole?

The vectors of a quick embedder are made at once and always agree with the store; those of a finer one follow section by
section. Two opened files enter; which sections of the one hold the very texts of the other leaves, and which wait.
A text that changed makes its section wait again, before anybody has touched the finer file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from pinakes.vectors.layout import VectorTable, section_names
from pinakes.vectors.snapshot import VectorSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

RanksByDocument = Mapping[int, Sequence[float]]
"""By a document's number, how central each of its sections is, in their order."""


class PartialVectors(Struct, frozen=True):
    """The vectors that are as new as the whole's."""

    vectors: VectorSnapshot
    done: int
    """How many there are."""
    total: int
    """How many there will be."""

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 0.0


class Agreement(Struct, frozen=True, dict=True):
    """Which sections of two files are the same. Not slotted, because of its cached parts."""

    finer: VectorTable
    whole: VectorTable
    kept: NDArray[np.bool_]
    """The finer's that hold what the whole's do."""
    waiting: NDArray[np.int64]
    """Where those of the whole are that the finer has not, or not so."""

    @cached_property
    def part(self) -> PartialVectors:
        moment = VectorSnapshot(self.finer).limited(self.kept)
        total = np.count_nonzero(self.whole.live[self.whole.section_of])
        return PartialVectors(moment, moment.rows, int(total))


def agreement(finer: VectorTable, whole: VectorTable) -> Agreement:
    """Compare every section that counts in both by the digests of its texts."""
    kept, has = np.zeros_like(finer.live), np.zeros_like(whole.live)
    names, places = whole.order
    mine = np.flatnonzero(finer.live)
    if len(names) and len(mine):
        here = finer.sections[mine]
        wanted = section_names(here["document"], here["ordinal"])
        # For each of mine the section of theirs with the same name, or a neighbour of where it would stand.
        at = np.minimum(np.searchsorted(names, wanted), len(names) - 1)
        theirs = places[at]
        alike = (names[at] == wanted) & (here["position"] == whole.sections["position"][theirs])
        alike &= finer.ends[mine] - here["first"] == whole.ends[theirs] - whole.sections["first"][theirs]
        mine, theirs = mine[alike], theirs[alike]
        if len(mine):
            # Both have equally many rows per section by now, so the digests can be compared row by row.
            rows, offsets = finer.rows_of(mine)
            same = (_digests(finer, rows) == _digests(whole, whole.rows_of(theirs)[0])).all(axis=1)
            alike = np.logical_and.reduceat(same, offsets)
            kept[mine[alike]] = True
            has[theirs[alike]] = True
    return Agreement(finer, whole, kept, np.flatnonzero(whole.live & ~has))


def most_central(whole: VectorTable, places: NDArray[np.int64], ranks: RanksByDocument) -> NDArray[np.int64]:
    """Sections in the order in which they are worth having: most central first, then by document and ordinal."""
    here = whole.sections[places]
    central = np.fromiter(
        (
            of[position] if position < len(of := ranks.get(document, ())) else 0.0
            for document, position in zip(here["document"].tolist(), here["position"].tolist(), strict=True)
        ),
        dtype=np.float64,
        count=len(places),
    )
    return places[np.lexsort((here["ordinal"], here["document"], -central))]


def _digests(opened: VectorTable, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """As pairs of numbers, which compare faster than bytes."""
    return np.ascontiguousarray(opened.rows["digest"][rows]).view(np.uint64).reshape(-1, 2)


class Agreements:
    """How the vectors of one embedder agree with those of another; asked before every question, worked out when either
    is another one. Threads may share it."""

    def __init__(self) -> None:
        self._known: Agreement | None = None

    def of(self, finer: VectorTable | None, whole: VectorTable | None) -> Agreement | None:
        """None where either is not there."""
        if finer is None or whole is None:
            return None
        known = self._known
        if known is None or known.finer is not finer or known.whole is not whole:
            known = self._known = agreement(finer, whole)
        return known

    def next_step(self, finer: VectorTable | None, whole: VectorTable | None, fresh: VectorTable) -> Agreement | None:
        """Where to go on, from `fresh` where there is nothing finer; None when there is nothing to do."""
        if whole is None:
            return None
        if finer is None:
            return agreement(fresh, whole) if whole.live.any() else None
        agreed = self.of(finer, whole)
        assert agreed is not None
        is_done = not len(agreed.waiting) and bool((agreed.kept == finer.live).all())
        return None if is_done and finer.header.generation == whole.header.generation else agreed
