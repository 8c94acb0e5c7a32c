"""The graph as a whole: what is central, what belongs together, what hangs together.

Outlines enter; numbers per section or per document leave, the same numbers for the same outlines. Nothing is read from
a store here, and numerics are only loaded when a measure is taken.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from pinakes.records import Outline, Ref

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    SectionPlaces = NDArray[np.int32]
    Numbers = NDArray[np.float64]

_TO_PARENT = 0.2
_TO_CHILDREN = 0.1
"""Beside a reference, which weighs 1, headings pass on a little of their rank: what matters makes its document matter.
A section passes on at most all it has; what it keeps back starts over like a new walk."""
_DAMPING = 0.85
_MOST_ROUNDS = 200
_SETTLED = 1e-9
"""All ranks together move less than this in the last round."""
_NEARLY = 1e-4
"""Of a walk that only tells what is near: the rest is not followed. Shared by all documents, it is next to nothing."""
_DIGITS = 4
"""Kept of a rank: enough to tell sections apart, few enough that the last bits of a float never show."""


def section_ranks(outlines: Sequence[Outline], focus: Collection[Ref] = ()) -> Mapping[str, tuple[float, ...]]:
    """PageRank of every section, by document, in reading order; 1.0 is what an average section has.

    Walks start in any document alike and there in any section, so that a long document does not outweigh a short one.
    With a `focus` of documents or sections they start there, so rank says how close a section is to them; a focus that
    holds nothing known is no focus.
    """
    graph = SectionGraph(outlines)
    wanted = {ref.path for ref in focus}
    restarts: set[int] = set()
    for outline in outlines:
        if outline.ref.path in wanted:
            restarts.update(graph.sections_of(outline, focus))
    return graph.by_path(graph.ranks(sorted(restarts)))


class SectionGraph:
    """The sections of all documents, counted through, and what leads from one to another; arrays, so that twenty
    thousand documents take a few megabytes and outlines can go as soon as they were seen."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        import numpy as np

        self.paths: list[str] = []
        sizes: list[int] = []
        places: dict[tuple[str, str], int] = {}
        citing, cited, children, parents = array("i"), list[tuple[str, str]](), array("i"), array("i")
        total = 0
        for outline in outlines:
            path = outline.ref.path
            self.paths.append(path)
            sizes.append(len(outline.sections))
            for position, section in enumerate(outline.sections, total):
                places[path, section.anchor] = position
                if section.parent >= 0:
                    children.append(position)
                    parents.append(total + section.parent)
            for reference in outline.references:
                citing.append(total + reference.section)
                cited.append((reference.to.path, reference.to.anchor))
            total += len(outline.sections)
        self.total = total
        ends = np.array([places.get(key, -1) for key in cited], np.int32)
        is_known = ends >= 0
        citing_of, child_of, parent_of = (np.array(ends, np.int32) for ends in (citing, children, parents))
        siblings = np.bincount(parent_of, minlength=total)[parent_of]
        arcs = int(is_known.sum())
        weights = np.concatenate([np.ones(arcs), np.full(len(child_of), _TO_PARENT), _TO_CHILDREN / siblings])
        self._froms = np.concatenate([citing_of[is_known], child_of, parent_of])
        self._tos = np.concatenate([ends[is_known], parent_of, child_of])
        passed_on = np.bincount(self._froms, weights, total).clip(1.0)
        self._shares = _DAMPING * weights / passed_on[self._froms]
        self._sizes = np.array(sizes, np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)[:-1]]) if sizes else self._sizes
        self._place_of = {path: place for place, path in enumerate(self.paths)}
        self._reached: Numbers | None = None

    def sections_of(self, outline: Outline, focus: Collection[Ref]) -> list[int]:
        """The sections of a document that are in focus: all of them, or those that are named."""
        if outline.ref.path not in self._place_of:
            return []
        start = int(self._starts[self._place_of[outline.ref.path]])
        anchors = {ref.anchor for ref in focus if ref.path == outline.ref.path}
        return [
            start + position
            for position, section in enumerate(outline.sections)
            if "" in anchors or section.anchor in anchors
        ]

    def ranks(self, restarts: Sequence[int] = ()) -> Numbers:
        """Of every section; 1.0 is what an average one has."""
        import numpy as np

        if not self.total:
            return np.zeros(0)
        found: Numbers = np.round(self._walk(self._begin(restarts)) * self.total, _DIGITS)
        return found

    def by_path(self, values: Numbers) -> Mapping[str, tuple[float, ...]]:
        """A value per section, by document."""
        listed: list[float] = values.tolist()
        return {
            path: tuple(listed[start : start + size])
            for path, start, size in zip(self.paths, self._starts.tolist(), self._sizes.tolist(), strict=True)
        }

    def closeness(self, centres: Sequence[tuple[Sequence[int], float]]) -> Mapping[str, float]:
        """How close each document is to some centres: sections, and how much they count. It is the sum of the ranks
        that walks from each of them give to a document's sections; one walk finds all of it, because what a walk finds
        is a sum over where it starts."""
        import numpy as np

        if not self.total:
            return {}
        begin = np.zeros(self.total)
        for restarts, weight in centres:
            if restarts:
                one = self._begin(restarts)
                begin += weight * one / float(one @ self._reach())
        found = np.add.reduceat(self._settle(begin, self._tos, self._froms, _NEARLY), self._starts)
        found[self._sizes == 0] = 0.0
        return dict(zip(self.paths, (found * self.total).tolist(), strict=True))

    def _begin(self, restarts: Sequence[int]) -> Numbers:
        """Where walks start: in any document alike and there in any section, or in some sections only."""
        import numpy as np

        begin: Numbers = np.repeat(1.0 / self._sizes.clip(1), self._sizes)
        if restarts:
            chosen = np.zeros(self.total)
            chosen[list(restarts)] = begin[list(restarts)]
            begin = chosen
        begin /= begin.sum()
        return begin

    def _reach(self) -> Numbers:
        """What a walk from each section, that is not started over, comes to in all."""
        import numpy as np

        if self._reached is None:
            self._reached = self._settle(np.ones(self.total), self._froms, self._tos, _NEARLY * self.total)
        return self._reached

    def _settle(self, begin: Numbers, tos: SectionPlaces, froms: SectionPlaces, nearly: float) -> Numbers:
        """The sum of all steps from `begin` along the arcs."""
        import numpy as np

        found = step = begin
        for _ in range(_MOST_ROUNDS):
            step = np.bincount(tos, self._shares * step[froms], self.total).astype(np.float64, copy=False)
            found = found + step
            if step.sum() < nearly:
                break
        return found

    def _walk(self, begin: Numbers) -> Numbers:
        """Where a walker along the arcs is found in the long run, starting over at `begin` now and then.

        Plain rounds over arrays: a graph library takes ten times as long to take in the arcs as these rounds to settle.
        """
        import numpy as np

        ranks: Numbers = begin
        for _ in range(_MOST_ROUNDS):
            passed = self._shares * ranks[self._froms]
            after: Numbers = np.bincount(self._tos, passed, self.total).astype(np.float64, copy=False)
            after += (1.0 - after.sum()) * begin
            moved = np.abs(after - ranks).sum()
            ranks = after
            if moved < _SETTLED:
                break
        return ranks


def communities(outlines: Sequence[Outline]) -> Mapping[str, int]:
    """Which documents belong together, by Leiden; 0 is the largest community, the rest follow by size, then by path."""
    from graspologic_native import leiden

    pairs = linked_pairs(outlines)
    membership = list(range(len(outlines)))
    if pairs:
        arcs = [(str(one), str(other), float(count)) for (one, other), count in sorted(pairs.items())]
        _, found = leiden(arcs, None, 1.0, 0.001, 2, use_modularity=True, seed=0, trials=1)
        for position, part in found.items():
            membership[int(position)] = len(outlines) + part
    return _numbered(outlines, membership)


def components(outlines: Sequence[Outline], bridges: Iterable[tuple[str, str]] = ()) -> Mapping[str, int]:
    """Which documents hang together by links in any direction, also through a file that both refer to, such as code or
    an image, and through `bridges`, pairs of files that belong together; numbered like communities."""
    leader: dict[str, str] = {}

    def lead(path: str) -> str:
        leader.setdefault(path, path)
        while leader[path] != path:
            leader[path] = leader[leader[path]]
            path = leader[path]
        return path

    references = ((outline.ref.path, reference.to.path) for outline in outlines for reference in outline.references)
    for one, other in chain(references, bridges):
        leader[lead(other)] = lead(one)
    numbers: dict[str, int] = {}
    return _numbered(outlines, [numbers.setdefault(lead(outline.ref.path), len(numbers)) for outline in outlines])


def linked_pairs(outlines: Sequence[Outline]) -> Counter[tuple[int, int]]:
    """Positions of documents that references join, lower one first, and how many references do; directions aside."""
    positions = {outline.ref.path: position for position, outline in enumerate(outlines)}
    pairs: Counter[tuple[int, int]] = Counter()
    for position, outline in enumerate(outlines):
        for reference in outline.references:
            other = positions.get(reference.to.path, position)
            if other != position:
                pairs[(position, other) if position < other else (other, position)] += 1
    return pairs


def _numbered(outlines: Sequence[Outline], membership: Sequence[int]) -> Mapping[str, int]:
    sizes = Counter(membership)
    first: dict[int, str] = {}
    for outline, part in sorted(zip(outlines, membership, strict=True), key=lambda pair: pair[0].ref.path):
        first.setdefault(part, outline.ref.path)
    order = sorted(sizes, key=lambda part: (-sizes[part], first[part]))
    numbers = {part: number for number, part in enumerate(order)}
    return {outline.ref.path: numbers[part] for outline, part in zip(outlines, membership, strict=True)}
