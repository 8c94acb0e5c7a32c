"""Orders the chunks of a document so that for any N the first N differ from each other.

Similarities to a baseline enter, positions leave. The chunks are ranked by their similarity to the baseline; then every
k-th is taken, k times over. Each stripe so spans the whole range from near to far. The baseline is the chunk whose
heading introduces the document, or the one for looking things up; only headings decide that.
"""

from __future__ import annotations

import re
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


_CONCEPTUAL = re.compile(r"overview|introduction|intro|about|concepts")
"""The whole heading. “Permissions overview” or “Overview of the device flow” introduces a part, not the document."""
_TECHNICAL = re.compile(
    r"(?:\S+ )?(?:quick|api|command|cli|command[- ]line|configuration|options?|language|syntax|full|complete)"
    r" reference(?: (?:guide|card|table|sheet))?|reference|(?:.{1,40} )?cheat[ -]?sheets?"
)
_ORNAMENT = re.compile(r"^[\W\d_]+|[\W_]+$")


def conceptual_chunk(headings: Sequence[Sequence[str]]) -> int:
    """The chunk in which an overview or introduction begins; the first one when no heading says so."""
    found = _first(headings, _CONCEPTUAL)
    return 0 if found is None else found


def technical_chunk(headings: Sequence[Sequence[str]]) -> int | None:
    """The chunk in which a quick reference, an API reference or a cheat sheet begins; None when there is none."""
    return _first(headings, _TECHNICAL)


def _first(headings: Sequence[Sequence[str]], wanted: re.Pattern[str]) -> int | None:
    for position, titles in enumerate(headings):
        if any(wanted.fullmatch(_ORNAMENT.sub("", title.casefold())) for title in titles):
            return position
    return None
