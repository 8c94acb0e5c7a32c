"""What the signs of a map mean: one line, naming only the signs that are used."""

from __future__ import annotations

import re
from collections.abc import Collection

from pinakes.outline.options import MapDetail

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


def legend(signs: Collection[str]) -> str:
    """The meanings of `signs`."""
    meanings = [meaning for sign, meaning in _SIGNS if sign in signs]
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


def possible_signs(detail: MapDetail, *, has_sizes: bool) -> set[str]:
    """The signs that a map of this detail can hold."""
    signs = {"[", "ln", "←", "…", "@"}
    signs |= {"("} if detail.keywords else set()
    signs |= {"→", "links:"} if detail.references else set()
    signs |= {">"} if detail.summaries else set()
    return signs | ({"tok"} if has_sizes else set())


def signs_used(text: str, possible: Collection[str], *, has_aliases: bool) -> set[str]:
    """Those of the possible signs that stand in a map's text. One too many, held by a heading, does no harm."""
    used = {sign for sign, mark in _MARKS.items() if sign in possible and mark.search(text)}
    return used | {"@"} if has_aliases else used
