"""What the signs of a map mean: one line, naming only the signs that are used."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SIGNS = (
    ("[", "[kind or contents]"),
    ("(", "(keywords)"),
    ("ln", "~Nln lines"),
    ("tok", "~Ntok tokens"),
    ("←", "←N sections elsewhere link here"),
    ("→", "→ links to (no slash: same folder, else from the root)"),
    ("links:", "links: other documents linked"),
    (">", "> first sentence"),
    ("…", "… left out"),
    ("@", "@name/ a folder, see below"),
)
_ALL = tuple(sign for sign, _ in _SIGNS)


def legend(signs: Iterable[str] = _ALL) -> str:
    """The meanings of `signs`, by default of all there are."""
    used = set(signs)
    meanings = [meaning for sign, meaning in _SIGNS if sign in used]
    return f"legend: {'; '.join(meanings)}" if meanings else ""


_MARKS = {
    "[": re.compile(r" \["),
    "(": re.compile(r" \("),
    "ln": re.compile(r" ~\d+ln"),
    "tok": re.compile(r" ~\d+tok"),
    "←": re.compile(" ←"),
    "→": re.compile("  → "),
    "links:": re.compile("^  links: ", re.MULTILINE),
    ">": re.compile("^ +> ", re.MULTILINE),
    "…": re.compile("… "),
}


def signs_used(text: str, *, has_aliases: bool) -> set[str]:
    """The signs that stand in a map's text. Seeing one too many, because a heading holds it, does no harm."""
    return {sign for sign, mark in _MARKS.items() if mark.search(text)} | ({"@"} if has_aliases else set())
