"""The link graph, laid out for a picture.

Outlines enter, a `Picture` leaves: where each document stands, which lead to which. What it looks like
is decided where it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt, tau

from pinakes.cancelling import checked
from pinakes.graph.measures import communities, components, linked_pairs
from pinakes.records import Outline
from pinakes.records.graph import Dot, Picture

_ROOM = 70.0
"""Side of the square that each document of a group gets on average."""
_ROOM_ALONE = 36.0
"""Side of the square of a document without links; those stand in rows at the end."""
_MARGIN = 60.0
_ROUNDS = 150
_FIRST_STEP = 0.1
"""How far a document may move in the first round, as a share of the whole; steps shrink evenly to nothing."""

_Place = tuple[float, float]


def lay_out(outlines: Sequence[Outline], left_out: int = 0) -> Picture:
    """Place the documents, of which others may be `left_out`; whatever hangs together by links stands together.

    Groups are laid out one by one and set in rows, the largest first: a force layout of everything at once pushes
    unlinked groups out of the picture.
    """
    shown = sorted(outlines, key=lambda outline: (-_cited(outline), -len(outline.references), outline.ref.path))
    parts = components(shown)
    groups: list[list[int]] = [[] for _ in range(len(set(parts.values())))]
    for position, outline in enumerate(shown):
        groups[parts[outline.ref.path]].append(position)
    linked = [group for group in groups if len(group) > 1]
    places, width, height = _in_rows([_place_group(shown, group) for group in linked])
    alone = [group[0] for group in groups if len(group) == 1]
    standing, width, height = _in_a_grid(len(alone), width, height)
    where = dict(zip([member for group in linked for member in group] + alone, places + standing, strict=True))
    together = communities(shown)
    lonely = set(alone)
    positions = {outline.ref.path: position for position, outline in enumerate(shown)}
    arcs = {
        (position, positions[reference.to.path])
        for position, outline in enumerate(shown)
        for reference in outline.references
        if positions.get(reference.to.path, position) != position
    }
    dots = tuple(
        Dot(
            path=outline.ref.path,
            title=outline.title,
            x=round(where[position][0], 1),
            y=round(where[position][1], 1),
            cited=_cited(outline),
            community=-1 if position in lonely else together[outline.ref.path],
        )
        for position, outline in enumerate(shown)
    )
    return Picture(round(width, 1), round(height, 1), dots, tuple(sorted(arcs)), left_out)


def _cited(outline: Outline) -> int:
    return outline.cited + sum(outline.cited_sections)


def _place_group(shown: Sequence[Outline], group: Sequence[int]) -> list[_Place]:
    """Places of one group within a square of its own, from 0."""
    drawn = _pulled([shown[member] for member in group])
    left, top = min(x for x, _ in drawn), min(y for _, y in drawn)
    side = _ROOM * ceil(sqrt(len(group)))
    stretch = side / max(*(x - left for x, _ in drawn), *(y - top for _, y in drawn), 1e-9)
    return [((x - left) * stretch, (y - top) * stretch) for x, y in drawn]


def _pulled(outlines: Sequence[Outline]) -> list[_Place]:
    """Links pull documents together and all push each other apart, round by round (Fruchterman and Reingold).

    The start is a circle, so that only the links decide, and every run draws the same.
    """
    import numpy as np

    count = len(outlines)
    angles = np.arange(count) * (tau / count)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    ends = np.array(sorted(linked_pairs(outlines)), np.int64).reshape(-1, 2)
    apart = 2.0 / sqrt(count)
    for step in checked(np.linspace(_FIRST_STEP, 0.0, _ROUNDS, endpoint=False)):
        between = places[:, None, :] - places[None, :, :]
        squares = (between**2).sum(axis=2) + 1e-9
        force = (between * (apart**2 / squares)[:, :, None]).sum(axis=1)
        pulls = places[ends[:, 0]] - places[ends[:, 1]]
        pulls *= np.sqrt((pulls**2).sum(axis=1, keepdims=True)) / apart
        np.subtract.at(force, ends[:, 0], pulls)
        np.add.at(force, ends[:, 1], pulls)
        lengths = np.sqrt((force**2).sum(axis=1, keepdims=True)) + 1e-9
        places = places + force / lengths * np.minimum(lengths, step)
    return [(float(x), float(y)) for x, y in places.round(6)]


def _in_rows(groups: Sequence[Sequence[_Place]]) -> tuple[list[_Place], float, float]:
    """Set groups beside each other in rows of about the same width; with the places goes the room they take."""
    sizes = [(max(x for x, _ in group), max(y for _, y in group)) for group in groups]
    area = sum((across + _MARGIN) * (down + _MARGIN) for across, down in sizes)
    most = max([1.4 * sqrt(area), *(across for across, _ in sizes)], default=0.0)
    places: list[_Place] = []
    x, y, row, width = _MARGIN, _MARGIN, 0.0, 0.0
    for group, (across, down) in zip(groups, sizes, strict=True):
        if x > _MARGIN and x + across > most + _MARGIN:
            x, y, row = _MARGIN, y + row + _MARGIN, 0.0
        places.extend((x + right, y + below) for right, below in group)
        x += across + _MARGIN
        row = max(row, down)
        width = max(width, x)
    return places, max(width, 8 * _ROOM), y + row + (_MARGIN if groups else 0.0)


def _in_a_grid(count: int, width: float, height: float) -> tuple[list[_Place], float, float]:
    """Rows of single documents below the groups."""
    if not count:
        return [], width, height
    columns = max(1, int((width - 2 * _MARGIN) / _ROOM_ALONE))
    places = [(_MARGIN + _ROOM_ALONE * (at % columns), height + _ROOM_ALONE * (at // columns)) for at in range(count)]
    return places, width, places[-1][1] + _MARGIN
