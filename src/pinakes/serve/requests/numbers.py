"""Numbers as doors are sent them: digits in an address or on the command line, or a number of JSON."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"([+-]?[0-9]{1,300})(?:\.0+)?|[+-]?[0-9]{0,300}\.?[0-9]{1,300}(?:[eE][+-]?[0-9]{1,3})?")


def number_of(value: object, *, is_text: bool) -> int | float | None:
    """A number that is one, and finite; JSON knows one kind of number, and 5.0 is as whole as 5."""
    if is_text and isinstance(value, str):
        found = _NUMBER.fullmatch(value)
        value = None if found is None else int(found[1]) if found[1] else float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None
