"""A logistic regression of a few parts, by Newton's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

RIDGE = 1e-4
"""Keeps constants finite where the two kinds can be told apart without a mistake."""
_STEPS = 100
_ENOUGH = 1e-9


def fit(parts: Numbers, is_answer: Numbers, weights: Numbers) -> Numbers:
    """What each column of `parts` is worth, the bias first; each row counts by its weight."""
    held = np.hstack([np.ones((len(parts), 1)), parts])
    weights = weights / weights.sum()
    ridge = np.full(held.shape[1], RIDGE)
    ridge[0] = 0.0
    found = np.zeros(held.shape[1])
    for _ in range(_STEPS):
        belief = 1.0 / (1.0 + np.exp(-np.clip(held @ found, -500.0, 500.0)))
        slope = held.T @ (weights * (is_answer - belief)) - ridge * found
        bend = (held * (weights * belief * (1.0 - belief))[:, None]).T @ held + np.diag(ridge + 1e-12)
        step = np.linalg.solve(bend, slope)
        found = found + step / max(1.0, float(np.abs(step).max()) / 5.0)
        if float(np.abs(step).max()) < _ENOUGH:
            break
    return found


def fit_signed(parts: Numbers, is_answer: Numbers, weights: Numbers, signs: Numbers) -> Numbers:
    """The same, but a part whose worth would have another sign than it must have is left out, the worst first."""
    kept = list(range(parts.shape[1]))
    while True:
        found = fit(parts[:, kept], is_answer, weights)
        wrong = [(found[place + 1] * signs[part], part) for place, part in enumerate(kept)]
        worst, part = min(wrong, default=(0.0, -1))
        if worst >= 0.0:
            whole = np.zeros(parts.shape[1] + 1)
            whole[[0, *(part + 1 for part in kept)]] = found
            return whole
        kept.remove(part)
