"""When was a document written? By what it says about itself, never by its file's time."""

from __future__ import annotations

import re

_YEAR = re.compile(r"[0-9]{4}(?![0-9])")


def date_of(modified: str, created: str) -> str:
    """When it was modified, else created, by its own words; what is no date there is passed over."""
    return next((date for date in (modified, created) if _YEAR.match(date)), "")


def is_within(date: str, after: str, before: str) -> bool:
    """From `after` on and up to, not including, `before`, each as exact as it is written: a year, a month, a day."""
    return bool(date) and after <= date and (not before or date < before)
