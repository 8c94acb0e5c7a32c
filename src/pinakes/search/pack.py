"""The passages that cover a question best within a number of tokens, in reading order.

Greedy: a passage is worth what its hit scores, and up to twice as much for the share of the question that it covers,
rare words counting more. A word that stands in a passage already taken counts half as much in the next one, and so does
a further passage of the same hit: the first passages cover the question, the others tell more about it for as long as
there is room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from pinakes.records import Slice
from pinakes.search.plan import SearchPlan
from pinakes.search.present import part
from pinakes.search.select import Chosen
from pinakes.search.units import address_tokens
from pinakes.tokens import count_tokens
from pinakes.words import held_terms

USUAL_TOKENS = 2000
"""Where the question sets no limit."""
_AGAIN = 0.5
"""What a word, or a hit, counts in the next passage that holds it."""


class _Unit(Struct, frozen=True):
    chosen: Chosen
    shown: Slice
    terms: frozenset[str]
    tokens: int


def pack(chosen: Sequence[Chosen], plan: SearchPlan, rarity: Mapping[str, float]) -> tuple[Chosen, ...]:
    """The chosen cut down to the passages that are worth their room, in the order of their paths and places."""
    units = [unit for one in chosen for unit in _units(one, plan)]
    room = plan.query.max_tokens or USUAL_TOKENS
    whole = sum(rarity.values()) or 1.0
    left = {term: held / whole for term, held in rarity.items()}
    worth = {one.candidate.chunk: one.candidate.score for one in chosen}

    def gain(unit: _Unit) -> float:
        return worth[unit.chosen.candidate.chunk] * (1.0 + sum(left.get(term, 0.0) for term in unit.terms))

    taken: list[_Unit] = []
    while len(taken) < plan.query.limit:
        units = [unit for unit in units if unit.tokens <= room]
        best = max(units, key=gain, default=None)
        if best is None:
            break
        taken.append(best)
        units.remove(best)
        room -= best.tokens
        worth[best.chosen.candidate.chunk] *= _AGAIN
        left |= {term: left[term] * _AGAIN for term in best.terms if term in left}
    taken.sort(key=lambda unit: (unit.shown.ref.path, unit.shown.span))
    return tuple(Chosen(unit.chosen.candidate, unit.shown, (), unit.chosen.also_in) for unit in taken)


def _units(one: Chosen, plan: SearchPlan) -> list[_Unit]:
    chunks = (one.slice, *one.siblings)
    shown = [each for chunk in chunks for each in ([part(chunk, span) for span in chunk.passages] or [chunk])]
    return [
        _Unit(one, each, held_terms(each.text, plan.question), address_tokens(each) + count_tokens(each.text))
        for each in shown
    ]
