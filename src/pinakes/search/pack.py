"""The fewest passages that cover a question, in reading order, within a number of tokens.

Greedy: the passage that adds most of what is still uncovered, rare words counting more and leading hits a little more,
until nothing is left to cover or no passage fits. A question nothing can be found for by words is covered by the best
passage of the best hit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pinakes.records import Slice
from pinakes.search.plan import SearchPlan
from pinakes.search.present import part
from pinakes.search.select import Chosen
from pinakes.tokens import count_tokens
from pinakes.words import held_terms

USUAL_TOKENS = 2000
"""Where the question sets no limit."""
_LATER = 0.97
"""What a passage of the next hit is worth beside one of this."""


@dataclass(frozen=True, slots=True)
class _Unit:
    chosen: Chosen
    shown: Slice
    terms: frozenset[str]
    worth: float
    tokens: int


def pack(chosen: Sequence[Chosen], plan: SearchPlan, rarity: Mapping[str, float]) -> tuple[Chosen, ...]:
    """The chosen cut down to the passages that are needed, in the order of their paths and places."""
    units = [unit for place, one in enumerate(chosen) for unit in _units(one, plan, _LATER**place)]
    room = plan.query.max_tokens or USUAL_TOKENS
    left = dict(rarity)
    taken: list[_Unit] = []
    while True:
        fitting = [unit for unit in units if unit.tokens <= room]
        best = max(fitting, key=lambda unit: _gain(unit, left), default=None)
        if best is None or (taken and not _gain(best, left)):
            break
        taken.append(best)
        units.remove(best)
        room -= best.tokens
        for term in best.terms:
            left.pop(term, None)
    taken.sort(key=lambda unit: (unit.shown.ref.path, unit.shown.span))
    return tuple(Chosen(unit.chosen.candidate, unit.shown, (), unit.chosen.also_in) for unit in taken)


def _units(one: Chosen, plan: SearchPlan, worth: float) -> list[_Unit]:
    shown = [part(one.slice, span) for span in one.slice.passages] or [one.slice]
    return [_Unit(one, each, held_terms(each.text, plan.question), worth, count_tokens(each.text)) for each in shown]


def _gain(unit: _Unit, left: Mapping[str, float]) -> float:
    return unit.worth * sum(left.get(term, 0.0) for term in unit.terms)
