"""The graph as a whole: what is central, what belongs together, what hangs together.

Outlines enter; numbers per section or per document leave, the same numbers for the same outlines. Nothing is read from
a store here, and numerics are only loaded when a measure is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from pinakes.records import Outline, Ref

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Positions = NDArray[np.int64]
    Numbers = NDArray[np.float64]

_TO_PARENT = 0.2
_TO_CHILDREN = 0.1
"""Beside a reference, which weighs 1, headings pass on a little of their rank: what matters makes its document matter.
A section passes on at most all it has; what it keeps back starts over like a new walk."""
_DAMPING = 0.85
_MOST_ROUNDS = 200
_SETTLED = 1e-9
"""All ranks together move less than this in the last round."""
_DIGITS = 4
"""Kept of a rank: enough to tell sections apart, few enough that the last bits of a float never show."""


def section_ranks(outlines: Sequence[Outline], focus: Collection[Ref] = ()) -> Mapping[str, tuple[float, ...]]:
    """PageRank of every section, by document, in reading order; 1.0 is what an average section has.

    Walks start in any document alike and there in any section, so that a long document does not outweigh a short one.
    With a `focus` of documents or sections they start there, so rank says how close a section is to them; a focus that
    holds nothing known is no focus.
    """
    import numpy as np

    starts = _starts(outlines)
    total = sum(len(outline.sections) for outline in outlines)
    if total == 0:
        return {outline.ref.path: () for outline in outlines}
    places = _places(outlines, starts)
    citing, cited = (np.array(ends, np.int64) for ends in _references(outlines, starts, places))
    children, parents = (np.array(ends, np.int64) for ends in _families(outlines, starts))
    siblings = np.bincount(parents, minlength=total)[parents]
    weights = np.concatenate([np.ones(len(citing)), np.full(len(children), _TO_PARENT), _TO_CHILDREN / siblings])
    sizes = [len(outline.sections) for outline in outlines]
    begin = np.repeat([1.0 / size if size else 0.0 for size in sizes], sizes)
    if restarts := _restarts(outlines, starts, places, focus):
        chosen = np.zeros(total)
        chosen[restarts] = begin[restarts]
        begin = chosen
    froms, tos = np.concatenate([citing, children, parents]), np.concatenate([cited, parents, children])
    ranks = _walk(froms, tos, weights, begin)
    scaled: list[float] = np.round(ranks * total, _DIGITS).tolist()
    return {
        outline.ref.path: tuple(scaled[start : start + len(outline.sections)])
        for outline, start in zip(outlines, starts, strict=True)
    }


def _walk(froms: Positions, tos: Positions, weights: Numbers, begin: Numbers) -> Numbers:
    """Where a walker along the arcs is found in the long run, starting over at `begin` now and then.

    Plain rounds over arrays: a graph library takes ten times as long to take in the arcs as these rounds to settle.
    """
    import numpy as np

    total = len(begin)
    begin = begin / begin.sum()
    passed_on = np.bincount(froms, weights, total).clip(1.0)
    shares = _DAMPING * weights / passed_on[froms]
    ranks: Numbers = begin
    for _ in range(_MOST_ROUNDS):
        after: Numbers = np.bincount(tos, shares * ranks[froms], total).astype(np.float64, copy=False)
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


def components(outlines: Sequence[Outline]) -> Mapping[str, int]:
    """Which documents hang together by links in any direction, also through a file that both refer to, such as code or
    an image; numbered like communities."""
    leader: dict[str, str] = {}

    def lead(path: str) -> str:
        leader.setdefault(path, path)
        while leader[path] != path:
            leader[path] = leader[leader[path]]
            path = leader[path]
        return path

    for outline in outlines:
        for reference in outline.references:
            leader[lead(reference.to.path)] = lead(outline.ref.path)
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


def _starts(outlines: Sequence[Outline]) -> list[int]:
    """Where each document's sections begin when all are counted through."""
    return list(accumulate([len(outline.sections) for outline in outlines[:-1]], initial=0))[: len(outlines)]


def _places(outlines: Sequence[Outline], starts: Sequence[int]) -> dict[tuple[str, str], int]:
    """The number of each section that something links to or focuses on, by path and anchor."""
    return {
        (outline.ref.path, section.anchor): start + position
        for outline, start in zip(outlines, starts, strict=True)
        for position, section in enumerate(outline.sections)
    }


def _references(
    outlines: Sequence[Outline], starts: Sequence[int], places: Mapping[tuple[str, str], int]
) -> tuple[list[int], list[int]]:
    """The sections that references start at, and those they lead to; a whole document is its root section."""
    froms, tos = [], []
    for outline, start in zip(outlines, starts, strict=True):
        for reference in outline.references:
            place = places.get((reference.to.path, reference.to.anchor))
            if place is not None:
                froms.append(start + reference.section)
                tos.append(place)
    return froms, tos


def _families(outlines: Sequence[Outline], starts: Sequence[int]) -> tuple[list[int], list[int]]:
    """Each section that has a parent, and that parent."""
    children, parents = [], []
    for outline, start in zip(outlines, starts, strict=True):
        for position, section in enumerate(outline.sections):
            if section.parent >= 0:
                children.append(start + position)
                parents.append(start + section.parent)
    return children, parents


def _restarts(
    outlines: Sequence[Outline], starts: Sequence[int], places: Mapping[tuple[str, str], int], focus: Collection[Ref]
) -> list[int]:
    """The sections in focus: a section itself, or all sections of a document."""
    wanted = {ref.path for ref in focus if not ref.anchor}
    found = {places[ref.path, ref.anchor] for ref in focus if (ref.path, ref.anchor) in places}
    for outline, start in zip(outlines, starts, strict=True):
        if outline.ref.path in wanted:
            found.update(range(start, start + len(outline.sections)))
    return sorted(found)


def _numbered(outlines: Sequence[Outline], membership: Sequence[int]) -> Mapping[str, int]:
    sizes = Counter(membership)
    first: dict[int, str] = {}
    for outline, part in sorted(zip(outlines, membership, strict=True), key=lambda pair: pair[0].ref.path):
        first.setdefault(part, outline.ref.path)
    order = sorted(sizes, key=lambda part: (-sizes[part], first[part]))
    numbers = {part: number for number, part in enumerate(order)}
    return {outline.ref.path: numbers[part] for outline, part in zip(outlines, membership, strict=True)}
