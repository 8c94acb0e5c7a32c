"""Translations of a page are one hit.

What was chosen enters and leaves in order. Of sections at the same place of pages whose paths differ only in a language
(``docs/de/rate.md``, ``docs/en/rate.md``), one stays, at the best of their places: the one in the language of the
question, else the best; it names the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pinakes.parse.language import language_of_question, untranslated
from pinakes.search.plan import SearchPlan
from pinakes.search.select import Chosen


def without_translations(chosen: Sequence[Chosen], plan: SearchPlan) -> tuple[Chosen, ...]:
    """The chosen, translations folded into one; as they are where all are in one language."""
    if len({one.slice.language for one in chosen}) < 2:
        return tuple(chosen)
    groups: dict[tuple[str, str, int], list[Chosen]] = {}
    for one in chosen:
        ref = one.slice.ref
        groups.setdefault((ref.corpus, untranslated(ref.path), one.slice.section), []).append(one)
    if len(groups) == len(chosen):
        return tuple(chosen)
    asked_in = language_of_question(plan.question.text)
    return tuple(_folded(group, asked_in) for group in groups.values())


def _folded(group: list[Chosen], asked_in: str) -> Chosen:
    best = next((one for one in group if one.slice.language == asked_in), group[0])
    others = [ref for one in group for ref in (one.slice.ref, *one.also_in) if ref != best.slice.ref]
    candidate = replace(best.candidate, score=group[0].candidate.score)
    return replace(best, candidate=candidate, also_in=tuple(dict.fromkeys(others)))
