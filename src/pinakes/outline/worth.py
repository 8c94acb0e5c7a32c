"""What the lines of a map are worth to somebody who looks for something.

Documents with their ranks enter, numbers leave. A file is worth what its sections are together, because a reader who
needs one of them has to find the file first. Ranks and lines count in powers of two, since every link moves every rank
a little.
The constants were found with `python -m benchmarks.map_reading`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from math import log, log2

from msgspec import Struct

from pinakes.cancelling import checked
from pinakes.outline.lines import title_place
from pinakes.outline.options import Detail
from pinakes.outline.shelf import FolderPlan, Shelf, Standing
from pinakes.records import Section

_RANK_POWER = 1.5
"""The power of a file's rank that counts."""
_ENTRANCE = re.compile(r"([^/]+/)?(readme|index|_index|overview|introduction|getting-started)\.\w+", re.IGNORECASE)
_ENTRANCE_FACTOR = 2.0
"""For what people read first, in the root or a folder there. Deeper ones are mostly lists of links."""
_DEPTH_FACTOR = 0.9
"""For every folder that a reader has to open first."""

FURTHER = 0.5
"""What the best file in a folder is worth beside one that needs no line of a folder first."""

_LINES = 2.0
"""The lines of a section count in powers of this."""

_TITLE = 0.5
_BY_TOKENS = ((8.0, 8.0, 0.02), (0.75, 4.0, 0.02), (0.0, 3.0, 0.004))
"""From so many tokens for each file on, what headings are worth, and the name of a folder beside the files in it: where
there are few, finding the file is all that a reader can hope for."""
_ADDS_NOTHING = 0.1
"""Of the worth of a title whose words the file's name has, too: it is easier to read."""
_DETAILS = {
    Detail.KEYWORDS: 0.4,
    Detail.MORE_LABELS: 0.2,
    Detail.ALL_KEYWORDS: 0.1,
    Detail.FACTS: 0.05,
    Detail.SUMMARY: 0.5,
    Detail.REFERENCES: 0.15,
}
"""Beside what a section is worth itself."""
_OF_SYMBOLS = {Detail.KEYWORDS: 0.8, Detail.ALL_KEYWORDS: 0.3, Detail.FACTS: 0.3}
"""A signature, in short and in full, and who uses it: what one needs to know of a symbol."""
_REPEATED = 3.0
"""Keywords are worth so much more where other sections have the same heading: only they tell which is which."""

_PRIVATE, _LOCAL = 0.25, 0.05
"""Of the worth of a symbol: of one that others should not use, and of one that they cannot."""

_WORDS = re.compile(r"\w+")


class Worth(Struct, frozen=True):
    """Of every line of every document."""

    shelf: Shelf
    standing: Standing
    of_headings: float
    of_folders: float
    """Of a folder's name, beside the files in it."""

    def sections(self, document: int) -> list[float]:
        """Of each section with all that is below it; the whole file's for the root. A section is worth its share of
        the file's lines: the more it says, the more often it is what somebody looks for. Lines count in powers of
        `_LINES`, so that an edit seldom shows elsewhere."""
        sections = self.shelf.file(document).outline.sections
        lines = [section.lines.length for section in sections]
        for place in range(1, len(sections)):
            lines[sections[place].parent] -= sections[place].lines.length
        found = [_LINES ** round(log(max(own, 1), _LINES)) for own in lines]
        if sections[-1].symbol is not None:
            found = [one * _openness(sections, place) for place, one in enumerate(found)]
        unit = self.standing.files[document] / sum(found)
        for place in range(len(sections) - 1, 0, -1):
            found[sections[place].parent] += found[place]
        return [unit * one for one in found]

    def heading(self, document: int, place: int, below: float) -> float:
        """Of the line of a section that is worth `below` with its children: less where others read the same."""
        outline = self.shelf.file(document).outline
        title = outline.sections[place].title
        if place == title_place(outline):
            return below * _TITLE * _new_words(title, outline.ref.path)
        return below * self.of_headings / (1 + log2(self.shelf.repeats(title)))

    def detail(self, document: int, place: int, detail: Detail, own: float) -> float:
        """Of something that is said of a section that is worth `own` without its children."""
        outline = self.shelf.file(document).outline
        if detail is Detail.TITLE:
            return own * _TITLE * _new_words(outline.title, outline.ref.path)
        if outline.sections[place].symbol is not None:
            return own * _OF_SYMBOLS.get(detail, _DETAILS[detail])
        is_repeated = detail is Detail.KEYWORDS and self.shelf.repeats(outline.sections[place].title) > 1
        return own * _DETAILS[detail] * (_REPEATED if is_repeated else 1.0)


def worth_of(shelf: Shelf, budget_tokens: int) -> Worth:
    """Documents without ranks are worth as much as an average one."""
    ranks, plan = shelf.ranks(), shelf.plan
    standing = plan.standing
    if standing is None or standing.ranks is not ranks:
        plan.standing = standing = _standing(plan, ranks)
    tokens_each = budget_tokens / max(len(shelf.paths), 1)
    headings, folders = next(worths for least, *worths in _BY_TOKENS if tokens_each >= least)
    return Worth(shelf, standing, headings, folders)


def leading(shelf: Shelf) -> list[str]:
    """The paths of all documents, what is worth most first; among equals in the order of the map."""
    files = worth_of(shelf, 0).standing.files
    return [shelf.paths[document] for document in sorted(range(len(files)), key=lambda document: -files[document])]


def _standing(plan: FolderPlan, ranks: Sequence[float]) -> Standing:
    files = _files(plan.paths, ranks)
    value, best = dict.fromkeys(plan.folders, 0.0), dict.fromkeys(plan.folders, 0.0)
    for folder, documents in plan.documents.items():
        for document in documents:
            value[folder] += files[document]
        best[folder] = max(files[document] for document in documents)
    for one in reversed(list(plan.folders.values())):
        if one.path:
            value[one.above] += value[one.path]
            best[one.above] = max(best[one.above], best[one.path] * FURTHER)
    return Standing(ranks, files, value, best)


def _files(paths: Sequence[str], known: Sequence[float]) -> Sequence[float]:
    ranks = known or [0.0] * len(paths)
    average = sum(ranks) / max(sum(1 for one in ranks if one), 1) or 1.0
    unknown = 0.01 if known else 1.0
    files = []
    for path, rank in zip(checked(paths), ranks, strict=True):
        depth = path.count("/")
        value = _of_rank(round(2 * log2(rank / average))) if rank > 0 else unknown
        value *= _DEPTH_FACTOR ** min(depth, 8)
        files.append(value * _ENTRANCE_FACTOR if depth < 2 and _ENTRANCE.fullmatch(path) else value)
    return files


@cache
def _of_rank(half_powers: int) -> float:
    """Few of these differ, and there may be twenty thousand documents."""
    value: float = 2 ** (half_powers / 2 * _RANK_POWER)
    return value


def _openness(sections: Sequence[Section], place: int) -> float:
    """How much more than others a symbol counts that others may use; what is inside a function, nobody else can."""
    symbol, above = sections[place].symbol, sections[max(sections[place].parent, 0)].symbol
    if symbol is None:
        return 1.0
    is_local = above is not None and above.parameters is not None
    return _LOCAL if is_local else 1.0 if symbol.is_public else _PRIVATE


def _new_words(title: str, path: str) -> float:
    """Which share of a title's words the path does not say."""
    words = set(_WORDS.findall(title.casefold().replace("_", " ")))
    known = set(_WORDS.findall(path.casefold().replace("_", " ")))
    return max(len(words - known) / len(words), _ADDS_NOTHING) if words else _ADDS_NOTHING
