"""An order of chunks whose first N are unlike each other, for any N.

Similarities to a baseline enter, positions leave. The chunks are ranked by how like the baseline they are, and then
every k-th is taken, k times over: the first stripe spans the whole range from near to far, and so does each after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

_FEW = 8
"""Fewer chunks than this are read in plain order of similarity: a stripe of them would be two or three long."""


def stripe_factor(others: int) -> int:
    """How many stripes so many chunks besides the baseline are dealt into."""
    return 1 if others < _FEW else max(2, min(others // 2, round(sqrt(others))))


def stripe_order(similarities: Sequence[float], baseline: int) -> tuple[int, ...]:
    """All positions but the baseline's; equally similar ones stand in the order of the document."""
    others = [position for position in range(len(similarities)) if position != baseline]
    ranked = sorted(others, key=lambda position: (-similarities[position], position))
    factor = stripe_factor(len(others))
    return tuple(position for offset in range(factor) for position in ranked[offset::factor])
