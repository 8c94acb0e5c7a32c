"""Which sections survive a budget that cannot hold them all.

Outlines, ranks and a number of tokens enter; the sections to show leave. The rule: by rank, the best first, each with
its ancestors and its file's line, until the next one would not fit.

Two things keep an edit in one file from reshuffling the rest of the map. Ranks count in powers of two, since every
link moves every rank a little; among equals, outer sections come before nested ones, earlier before later, and files
in an order of their own (by checksum, so that no folder is favoured by its name). And the list is not cut at the very
last section that fits but at the last *milestone* before it, a section picked out by checksum about every fiftieth of
the way: a heading more or less elsewhere rarely moves the cut from one milestone to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log2
from zlib import crc32

from pinakes.cancelling import checked
from pinakes.outline.lines import depths, more
from pinakes.records import Outline
from pinakes.tokens import count_tokens

_LOWEST = -12
"""Ranks below 2 to this power are all the same."""
_INHERITED = 1
"""A section ranks at least so many powers of two below what it stands in: a document that many link to as a whole shows
what is in it before others show that they exist."""
_COARSE = 100
"""About so many milestones lie in a budget."""
_COST_TOKENS = 16
"""What a section costs, roughly; only to space the milestones."""
_MOST_LOST = 0.05
"""No more than this share of the sections is given up for reaching a milestone."""

_SPREAD = 0xFFFF_FFFF
"""The bits of an order that come from the checksum of a path."""

Price = Callable[[int, int], int]
"""Tokens of the line of a section, by document and section; section 0 is the file's own line."""

Ranked = tuple[int, int, int]
"""A section's place in the order of survival, its document and its position there; ordered as it stands."""


def candidates(outlines: Sequence[Outline], ranks: Mapping[str, Sequence[float]]) -> list[Ranked]:
    """All sections, the best first; a root stands for its file's line."""
    found = []
    for document, outline in enumerate(checked(outlines)):
        own = ranks.get(outline.ref.path, ())
        spread = crc32(outline.ref.path.encode("utf-8", "surrogateescape"))
        level = depths(outline.sections)
        powers = [0] * len(outline.sections)
        for place, section in enumerate(outline.sections):
            rank = own[place] if place < len(own) else 0.0
            power = max(_LOWEST, round(2 * log2(rank))) if rank > 0 else _LOWEST - 1
            if place:
                power = max(power, powers[section.parent] - _INHERITED)
            powers[place] = power
            order = (1024 - power) << 64 | min(level[place], 255) << 56 | min(place, 0xFFFFFF) << 32 | spread
            found.append((order, document, place))
    found.sort()
    return found


def select(outlines: Sequence[Outline], ranked: Sequence[Ranked], price: Price, room: int) -> dict[int, list[int]]:
    """By document, the sections to show within `room` tokens, in reading order; no document without its line."""
    steps = list(_steps(outlines, ranked, price, room))
    if len(steps) < len(ranked):
        del steps[_milestone(ranked, len(steps), room) :]
    chosen: dict[int, set[int]] = {}
    for document, places in steps:
        chosen.setdefault(document, set()).update(places)
    return {document: sorted(places - {0}) for document, places in chosen.items()}


def _steps(
    outlines: Sequence[Outline], ranked: Sequence[Ranked], price: Price, room: int
) -> Iterator[tuple[int, list[int]]]:
    """For each candidate in order what it adds, until one does not fit."""
    shown: dict[int, set[int]] = {}
    spent = 0
    for _, document, place in ranked:
        outline = outlines[document]
        present = shown.setdefault(document, set())
        added = []
        while place >= 0 and place not in present:
            added.append(place)
            place = outline.sections[place].parent
        total = len(outline.sections)
        before, after = len(present), len(present) + len(added)
        cost = sum(price(document, new) for new in added)
        cost += _rest(total, after) - _rest(total, before)
        if spent + cost > room:
            return
        spent += cost
        present.update(added)
        yield document, added


def _rest(total: int, shown: int) -> int:
    """What counting the missing costs; the number is taken at its longest, so that sums only fall."""
    if not 0 < shown < total:
        return 0
    return count_tokens(more(total)) + (1 if shown == 1 else 3)


def _milestone(ranked: Sequence[Ranked], fitting: int, room: int) -> int:
    spacing = room // (_COARSE * _COST_TOKENS)
    for end in range(fitting, int(fitting * (1 - _MOST_LOST)), -1):
        order, _, place = ranked[end - 1]
        if spacing < 2 or not ((order & _SPREAD) * 31 + place) % spacing:
            return end
    return fitting
