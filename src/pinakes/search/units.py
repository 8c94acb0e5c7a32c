"""How much of each hit fits into a number of tokens: its section, its best passage, or its address alone.

Hits as they could be shown enter, hits within the budget leave, in the same order. A passage of every hit comes before
the whole section of the first: what answers stands among the hits more often than in what surrounds the best of them
(`pinakes eval`, in 2,000 tokens). Addresses count, because whoever reads the hits reads them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pinakes.records import Hit, Passage
from pinakes.tokens import count_tokens

_MARKS = 16
"""Tokens that a door puts around a hit, besides its address, lines and headings."""

Form = Callable[[], Hit]
"""Makes a hit in one of its sizes."""


def address_tokens(source: Passage) -> int:
    """What it costs to say where a passage is from."""
    return count_tokens(f"{source.ref} {source.lines.outside()} {' › '.join(source.trail)}") + _MARKS


def address_only(hit: Hit) -> Hit:
    """A hit without its text, which still says how long that is."""
    return replace(hit, text="", matches=())


def within(forms: Sequence[Sequence[Form]], most: int) -> tuple[Hit, ...]:
    """Of each hit, given in its sizes from the smallest, the size that `most` tokens allow; hits for which there is no
    room are left out."""
    room = most
    shown: dict[int, Hit] = {}
    left_over: dict[int, Hit] = {}
    for place, sizes in enumerate(forms):
        hit = sizes[0]()
        cost = address_tokens(hit) + count_tokens(hit.text)
        if cost <= room:
            room -= cost
            shown[place] = hit
        else:
            left_over[place] = address_only(hit)
    for place, hit in left_over.items():
        if (cost := address_tokens(hit)) <= room and shown:
            room -= cost
            shown[place] = hit
    for size in range(1, max(map(len, forms), default=0)):
        for place, sizes in enumerate(forms):
            if room > 0 and place in shown and place not in left_over and size < len(sizes):
                larger = sizes[size]()
                more = count_tokens(larger.text) - count_tokens(shown[place].text)
                if 0 < more <= room:
                    room -= more
                    shown[place] = larger
    return tuple(shown[place] for place in sorted(shown))
