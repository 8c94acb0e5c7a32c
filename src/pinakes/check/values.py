"""What is a value, and do two of them disagree?

Single words enter: numbers with or without a unit, versions, switches. Dates and years are no values.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"(?P<before>[~≈<>=≥≤^$€£]*v?)(?P<digits>[+−-]?\d{1,12}(?:[.,_:]\d{1,12})*(?:\.x)?(?:-?(?:alpha|beta|rc|dev)[.-]?\d{0,4})?)"
    r"(?P<unit>%|[a-zµ]{1,4}(?:/s)?|m\d{1,2}s)?(?P<after>\+?)"
)
_DATE = re.compile(r"(?:19|20)\d\d|\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}:\d\d(?::\d\d)?")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_SWITCHES = frozenset((
    "true", "false", "on", "off", "yes", "no", "enabled", "disabled", "none", "null", "always", "never"))  # fmt: skip


def is_number(word: str) -> bool:
    """Whether a word in lower case is a number, an amount or a version."""
    return word[-1:].isascii() and _NUMBER.fullmatch(word) is not None and not _DATE.fullmatch(word)


def is_switch(word: str) -> bool:
    """Whether a word in lower case is what a setting may be switched to."""
    return word in _SWITCHES


def disagree(one: str, other: str) -> bool:
    """Whether two values cannot both be right. A version may be given in part, and a unit may be left out."""
    first, second = (_NUMBER.fullmatch(value.lower()) for value in (one, other))
    if first is None or second is None:
        return one.lower() != other.lower()
    if first["unit"] and second["unit"] and first["unit"] != second["unit"]:
        return True
    if _GROUPED.fullmatch(first["digits"]) and first["digits"].replace(",", ".") == second["digits"].replace(",", "."):
        return False  # ten thousand is 10,000 here and 10.000 there
    return not _same(_plain(first["digits"]), _plain(second["digits"]))


def _plain(digits: str) -> str:
    """Without the marks that group digits and the noughts that add nothing."""
    digits = re.sub(r"[,_](?=\d{3}(?!\d))", "", digits).replace("−", "-").removeprefix("+").removesuffix(".x")
    return re.sub(r"(?:\.0+)+$", "", digits)


def _same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long == short or long.startswith(short + ".")
