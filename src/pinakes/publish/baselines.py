"""Which chunk says what a document is all about, and which one is for looking things up?

The headings that begin in each chunk enter, positions leave. Only headings are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_CONCEPTUAL = re.compile(
    r"(?:an? |the )?(?:overview|introduction|intro)(?: (?:of|to)\b.*)?|.{1,40} (?:overview|introduction)"
)
_TECHNICAL = re.compile(
    r"(?:\S+ )?(?:quick|api|command|cli|command[- ]line|configuration|options?|language|syntax|full|complete)"
    r" reference(?: (?:guide|card|table|sheet))?|reference|(?:.{1,40} )?cheat[ -]?sheets?"
)
_ORNAMENT = re.compile(r"^[\W\d_]+|[\W_]+$")


def conceptual(headings: Sequence[Sequence[str]]) -> int:
    """The chunk in which an overview or introduction begins; the first one when no heading says so."""
    found = _first(headings, _CONCEPTUAL)
    return 0 if found is None else found


def technical(headings: Sequence[Sequence[str]]) -> int | None:
    """The chunk in which a quick reference, an API reference or a cheat sheet begins; None when there is none."""
    return _first(headings, _TECHNICAL)


def _first(headings: Sequence[Sequence[str]], wanted: re.Pattern[str]) -> int | None:
    for position, titles in enumerate(headings):
        if any(wanted.fullmatch(_ORNAMENT.sub("", title.casefold())) for title in titles):
            return position
    return None
