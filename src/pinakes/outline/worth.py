"""What the lines of a map are worth to somebody who looks for something.

Outlines and ranks enter, numbers leave. A file is worth what its sections are together, because a reader who needs one
of them has to find the file first. Ranks and lines count in powers of two, since every link moves every rank a little.
The constants were found with `python -m benchmarks.map_reading`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, log2

from pinakes.cancelling import checked
from pinakes.outline.lines import title_place
from pinakes.outline.options import Detail
from pinakes.records import Outline

_RANK_POWER = 1.5
"""The power of a file's rank that counts."""
_ENTRANCE = re.compile(r"([^/]+/)?(readme|index|_index|overview|introduction|getting-started)\.\w+", re.IGNORECASE)
_ENTRANCE_FACTOR = 2.0
"""For what people read first, in the root or a folder there. Deeper ones are mostly lists of links."""
_DEPTH_FACTOR = 0.9
"""For every folder that a reader has to open first."""

_LINES = 2.0
"""The lines of a section count in powers of this."""

_TITLE = 0.8
_HEADING = 8.0
_ADDS_NOTHING = 0.1
"""Of the worth of a title whose words the file's name has, too: it is easier to read."""
_DETAILS = {
    Detail.KEYWORDS: 0.4,
    Detail.ALL_KEYWORDS: 0.1,
    Detail.FACTS: 0.1,
    Detail.SUMMARY: 0.5,
    Detail.REFERENCES: 0.15,
}
"""Beside what a section is worth itself."""
_REPEATED = 3.0
"""Keywords are worth so much more where other sections have the same heading: only they tell which is which."""

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Worth:
    """Of every line of every document."""

    outlines: Sequence[Outline]
    files: Sequence[float]
    """Of each document."""
    titles: Mapping[str, int]
    """How many sections have each heading."""

    def sections(self, document: int) -> list[float]:
        """Of each section with all that is below it; the whole file's for the root. A section is worth its share of
        the file's lines: the more it says, the more often it is what somebody looks for. Lines count in powers of
        `_LINES`, so that an edit seldom shows elsewhere."""
        sections = self.outlines[document].sections
        lines = [section.lines.length for section in sections]
        for place in range(1, len(sections)):
            lines[sections[place].parent] -= sections[place].lines.length
        found = [_LINES ** round(log(max(own, 1), _LINES)) for own in lines]
        unit = self.files[document] / sum(found)
        for place in range(len(sections) - 1, 0, -1):
            found[sections[place].parent] += found[place]
        return [unit * one for one in found]

    def heading(self, document: int, place: int, below: float) -> float:
        """Of the line of a section that is worth `below` with its children: less where others read the same."""
        outline = self.outlines[document]
        title = outline.sections[place].title
        if place == title_place(outline):
            return below * _TITLE * _new_words(title, outline.ref.path)
        return below * _HEADING / (1 + log2(self.titles[title.casefold()]))

    def detail(self, document: int, place: int, detail: Detail, own: float) -> float:
        """Of something that is said of a section that is worth `own` without its children."""
        outline = self.outlines[document]
        if detail is Detail.TITLE:
            return own * _TITLE * _new_words(outline.title, outline.ref.path)
        is_repeated = detail is Detail.KEYWORDS and self.titles[outline.sections[place].title.casefold()] > 1
        return own * _DETAILS[detail] * (_REPEATED if is_repeated else 1.0)


def worth_of(outlines: Sequence[Outline], ranks: Mapping[str, Sequence[float]]) -> Worth:
    """Documents without ranks are worth as much as an average one."""
    sums = [sum(ranks.get(outline.ref.path, ())) for outline in outlines]
    average = sum(sums) / max(sum(1 for one in sums if one), 1) or 1.0
    files = []
    titles: Counter[str] = Counter()
    for outline, rank in zip(checked(outlines), sums, strict=True):
        path = outline.ref.path
        value = 2 ** (round(2 * log2(rank / average)) / 2 * _RANK_POWER) if rank > 0 else 1.0 if not ranks else 0.01
        value *= _DEPTH_FACTOR ** min(path.count("/"), 8)
        files.append(value * _ENTRANCE_FACTOR if _ENTRANCE.fullmatch(path) else value)
        titles.update(section.title.casefold() for section in outline.sections[1:])
    return Worth(outlines, files, titles)


def _new_words(title: str, path: str) -> float:
    """Which share of a title's words the path does not say."""
    words = set(_WORDS.findall(title.casefold().replace("_", " ")))
    known = set(_WORDS.findall(path.casefold().replace("_", " ")))
    return max(len(words - known) / len(words), _ADDS_NOTHING) if words else _ADDS_NOTHING
