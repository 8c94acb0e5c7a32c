"""How much of each hit fits into a number of tokens: its section, its best passage, or its address alone.

Passages as they could be shown enter, what the budget holds of them leaves, in the same order. A passage of every hit
comes before the whole section of the first: what answers stands among the hits more often than in what surrounds the
best of them (`pinakes eval`, in 2,000 tokens). Addresses count, because whoever reads the hits reads them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pinakes.records import Passage
from pinakes.tokens import count_tokens

_MARKS = 16
"""Tokens that a door puts around a hit, besides its address, lines and headings."""

P = TypeVar("P", bound=Passage)


def address_tokens(source: Passage) -> int:
    """What it costs to say where a passage is from."""
    return count_tokens(f"{source.ref} {source.lines.outside()} {' › '.join(source.trail)}") + _MARKS


def within(sizes: Sequence[Sequence[Callable[[], P]]], most: int) -> list[tuple[int, P, bool]]:
    """The place of each hit for which `most` tokens have room, in the size that they allow, and whether its text is
    shown. `sizes` makes each hit in its sizes, the smallest first."""
    room = most
    shown: dict[int, P] = {}
    named: dict[int, P] = {}
    costs: dict[int, int] = {}
    for place, forms in enumerate(sizes):
        passage = forms[0]()
        costs[place] = count_tokens(passage.text)
        cost = address_tokens(passage) + costs[place]
        if cost <= room:
            room -= cost
            shown[place] = passage
        else:
            named[place] = passage
    for place, passage in list(named.items()):
        if (cost := address_tokens(passage)) <= room and shown:
            room -= cost
        else:
            del named[place]
    for size in range(1, max(map(len, sizes), default=0)):
        for place in shown:
            if room > 0 and size < len(sizes[place]):
                larger = sizes[place][size]()
                more = count_tokens(larger.text) - costs[place]
                if 0 < more <= room:
                    room -= more
                    shown[place], costs[place] = larger, costs[place] + more
    return [(place, (shown | named)[place], place in shown) for place in sorted({*shown, *named})]
