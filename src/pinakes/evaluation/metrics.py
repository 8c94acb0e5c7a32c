"""How good a ranking is. Targets and what was found enter, numbers from 0 to 1 leave."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import log2, sqrt
from typing import TypeVar

CUT = 10

T = TypeVar("T", bound=Hashable)


def ndcg(found: Sequence[T], grades: Mapping[T, int], cut: int = CUT) -> float:
    """Gain of what was found, later places counting less, as a share of the best possible."""
    ideal = sorted(grades.values(), reverse=True)[:cut]
    best = sum(_gain(grade, place) for place, grade in enumerate(ideal))
    return sum(_gain(grades.get(one, 0), place) for place, one in enumerate(found[:cut])) / best if best else 0.0


def reciprocal_rank(found: Sequence[T], grades: Mapping[T, int], cut: int = CUT) -> float:
    """One over the place of the first target."""
    return next((1.0 / place for place, one in enumerate(found[:cut], 1) if one in grades), 0.0)


def recall(found: Sequence[T], grades: Mapping[T, int], cut: int = CUT) -> float:
    """The share of all targets among the first."""
    return len(set(found[:cut]) & grades.keys()) / len(grades) if grades else 0.0


def separation(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """How often evidence is greater for a question that has an answer than for one that has none (AUROC)."""
    if not answerable or not unanswerable:
        return 0.0
    wins = sum((one > other) + 0.5 * (one == other) for one in answerable for other in unanswerable)
    return wins / (len(answerable) * len(unanswerable))


def doubt(differences: Sequence[float]) -> float:
    """How far the mean of such differences may be off, either way, nineteen times in twenty."""
    count = len(differences)
    if count < 2:
        return 0.0
    mean = sum(differences) / count
    return 1.96 * sqrt(sum((one - mean) ** 2 for one in differences) / (count - 1) / count)


def first_of_each(found: Sequence[T]) -> list[T]:
    """Without repeats, the first kept."""
    return list(dict.fromkeys(found))


def _gain(grade: int, place: int) -> float:
    return (2.0**grade - 1.0) / log2(place + 2)
