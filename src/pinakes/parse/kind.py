"""What a document is for, by where it lies and how its headings run.

In come a path and sections, out comes a `Kind`; no text is read. Names decide before headings, and the file's own name
before its folders, the nearest folder first. Only whole names count, less a number before or behind: a page about api
keys is no reference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pinakes.records import Kind, Section

_NAMES = {
    **dict.fromkeys(("adr", "adrs", "decision", "decisions"), Kind.DECISION),
    **dict.fromkeys(("spec", "specs", "rfc", "rfcs", "design"), Kind.SPEC),
    **dict.fromkeys(("guide", "guides", "tutorial", "tutorials", "howto", "getting-started"), Kind.GUIDE),
    **dict.fromkeys(("reference", "api", "endpoints"), Kind.REFERENCE),
    **dict.fromkeys(("notes", "meeting", "meetings", "minutes", "journal"), Kind.NOTES),
}
_PARTING = re.compile(r"[\s._-]+")
_NUMBERING = "0123456789 ._-"
_NUMBERED = re.compile(r"\d+(?:\.\d+)*[.)]?\s+\S")
_STEP = re.compile(r"step\s+\d+\b")
_OF_DECISIONS = ("status", "context", "decision")
_FEWEST = 3
"""Headings it takes to see a habit in them."""


def kind_of(path: str, sections: Sequence[Section]) -> Kind:
    """The document's kind; `Kind.UNKNOWN` where neither its path nor its headings say.

    >>> kind_of("docs/adr/0007-use-sqlite.md", ())
    Kind.DECISION
    """
    *folders, name = path.lower().split("/")
    if name.startswith("readme"):
        return Kind.README
    for segment in (name.rpartition(".")[0] or name, *reversed(folders)):
        if (kind := _NAMES.get(_unnumbered(segment))) is not None:
            return kind
    return _by_headings([title for section in sections if (title := section.title.strip())])


def _unnumbered(segment: str) -> str:
    """The words of a name without the numbers around them, as in ``0007-decision``, ``rfc12`` and ``notes 2024-05``."""
    words = segment.strip(_NUMBERING)
    return _PARTING.sub("-", words) if words.endswith("started") else words  # no other name has two words


def _by_headings(titles: Sequence[str]) -> Kind:
    lowered = list(map(str.lower, titles))
    first_words = {_PARTING.split(title, 1)[0] for title in lowered if title.startswith(_OF_DECISIONS)}
    if len(first_words.intersection(_OF_DECISIONS)) == len(_OF_DECISIONS):
        return Kind.DECISION
    if sum([title.startswith("step") and _STEP.match(title) is not None for title in lowered]) >= 2:
        return Kind.GUIDE
    numbered = sum([title[0].isdecimal() and _NUMBERED.match(title) is not None for title in titles])
    if numbered >= _FEWEST and numbered * 2 > len(titles):
        return Kind.SPEC
    if len(set(lowered)) < len(lowered):
        repeated = sum([count for count in Counter(lowered).values() if count > 1])
        if repeated > _FEWEST and repeated * 2 > len(titles):
            return Kind.REFERENCE
    return Kind.UNKNOWN
