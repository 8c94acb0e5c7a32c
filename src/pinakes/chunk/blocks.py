"""A section's own text as blocks: what stays together as long as it can.

Text and the places of its code enter, `Unit`s leave, in order, with nothing but white space between them. Blank lines
end a block, except inside code, tables and preformatted markup. The notations are told apart only where they write
tables differently; nothing is parsed again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pinakes.chunk.borders import BLANK_LINES, BLANKS, PROSE, ROWS, cut, trimmed
from pinakes.records import Tables

Stretch = tuple[int, int]
"""From the first to behind the last character."""


class Unit(NamedTuple):
    """A stretch of text that is not cut while it fits."""

    start: int
    end: int
    is_whole: bool = False
    """Code or a table: cut between rows only."""
    belongs: bool = False
    """It continues the block before it: the rest of a list item, the body of a directive, an example after a colon."""


_HEADING = re.compile(r"(?:([!-/:-@\[-`{-~])\1+[ \t\r]*\n)?[^\n]*+(?:\n[ \t>]*([!-/:-@\[-`{-~])\2*[ \t\r]*(?=\n|\Z))?")
"""One line, with an ornament below it, or above and below."""
_BLANK = re.compile(r"\n(?:[ \t\r\x0b\x0c>]*+\n)++")
_DELIMITER_ROW = re.compile(r"\n[ \t>]*+[-:| \t]++\r?(?=\n|\Z)")
_ROWS_BEGIN = re.compile(r"[ \t>]*+(?:\||\+[-=]|</?[a-zA-Z]|<!--)")
_MARKUP = re.compile(r"<([Tt][Aa][Bb][Ll][Ee]|[Pp][Rr][Ee])(?=[\s>])")
_DEEPEST_MARKUP = 200
"""How far from the start of its line a table may begin."""
_ASCIIDOC_TABLE = re.compile(r"^[|,:!]===[ \t\r]*$", re.MULTILINE)
_RST_RULE = re.compile(r"^[ \t]*+=++(?:[ \t]++=++)++[ \t\r]*$(?=(\n[ \t\r]*$)?+)", re.MULTILINE)
_LOWER = str.maketrans("TABLEPR", "tablepr")


def blocks(text: str, start: int, end: int, whole: Sequence[Stretch], *, has_heading: bool) -> list[Unit]:
    """The blocks between two places; `whole` are the stretches that blank lines do not end, ascending and disjoint."""
    found: list[Unit] = []
    heading_end = _HEADING.match(text, start, end).end() if has_heading else -1  # type: ignore[union-attr]
    reached = start
    for first, last in whole:
        if last > reached:
            _add_prose(found, text, reached, first, heading_end)
            belongs = _belongs(text, first, found) or (len(found) == 1 and found[0].end <= heading_end)
            found.append(Unit(first, last, is_whole=True, belongs=belongs))
            reached = last
    _add_prose(found, text, reached, end, heading_end)
    return found


def _add_prose(found: list[Unit], text: str, start: int, end: int, heading_end: int) -> None:
    start = BLANK_LINES.match(text, start, end).end()  # type: ignore[union-attr]  # it matches nothing as well
    for blank in _BLANK.finditer(text, start, end):
        stop = blank.start()
        if stop <= heading_end and blank.end() < end:
            continue  # a heading alone says nothing: the first paragraph is one block with it
        if ">" in blank[0]:
            stop += len(blank[0].rstrip())
        if text[stop - 1] in BLANKS:
            stop = trimmed(text, start, stop)
        found.append(Unit(start, stop, belongs=_belongs(text, start, found)))
        start = blank.end()
    stop = trimmed(text, start, end)
    if stop > start:
        found.append(Unit(start, stop, belongs=_belongs(text, start, found)))


def _belongs(text: str, start: int, before: Sequence[Unit]) -> bool:
    """Whether the block that starts here is indented, or announced by the colon before it."""
    return text[start] in " \t" or (len(before) > 0 and text[before[-1].end - 1] in ":：")


def parts(text: str, block: Unit, limit: int) -> Iterator[Unit]:
    """A block that is over the limit as blocks within it."""
    if block.is_whole:
        rows = block.start
    else:
        rows = _rows(text, block.start, block.end)
        for start, end in cut(text, block.start, trimmed(text, block.start, rows), limit, PROSE):
            yield Unit(start, end)
    for start, end in cut(text, rows, block.end, limit, ROWS):
        yield Unit(start, end, is_whole=True)


def _rows(text: str, start: int, end: int) -> int:
    """Where prose ends and rows of a table or of markup begin; the end of the block when they do not."""
    for rule in _DELIMITER_ROW.finditer(text, start, end):
        if "-" in rule[0] and "|" in rule[0]:
            header = text.rfind("\n", start, rule.start()) + 1
            return max(header, start)
    return start if _ROWS_BEGIN.match(text, start, end) else end


def whole_stretches(text: str, code: Sequence[Stretch], tables: Tables) -> list[Stretch]:
    """Code, and tables and preformatted markup that may hold blank lines, as whole lines; ascending and disjoint."""
    found: list[Stretch] = []
    for start, end in code:
        lines = _lines(text, start, end)
        if lines[1] > max(lines[0], found[-1][1] if found else 0):
            found.append(lines)
    if tables in _TABLES:
        # A table with code in its cells may be cut, between its blocks; the code may not.
        taken = tuple(found)
        found += [table for table in _TABLES[tables](text) if not _meets(table, taken)]
        found.sort()
    return found


def _meets(one: Stretch, others: Sequence[Stretch]) -> bool:
    before = bisect_left(others, (one[1], 0)) - 1
    return before >= 0 and others[before][1] > one[0]


def _lines(text: str, start: int, end: int) -> Stretch:
    """The lines that a stretch stands on, without the last line end."""
    first = text.rfind("\n", 0, start) + 1
    last = trimmed(text, start, end)
    line_end = text.find("\n", last)
    return first, trimmed(text, last, line_end if line_end >= 0 else len(text))


def _markup(text: str) -> Iterator[Stretch]:
    lowered = ""
    reached = 0
    for opening in _MARKUP.finditer(text):
        start = opening.start()
        before = text[max(reached, start - _DEEPEST_MARKUP) : start].rpartition("\n")[2]
        if start >= reached and not before.strip(" \t>"):
            # Only these letters: lower-casing others may change how many they are.
            lowered = lowered or text.translate(_LOWER)
            close = lowered.find(f"</{opening[1].lower()}>", start)
            if close < 0:
                return
            yield (stretch := _lines(text, start, close + len(opening[1]) + 3))
            reached = stretch[1]


def _asciidoc(text: str) -> Iterator[Stretch]:
    rules = [rule.span() for rule in _ASCIIDOC_TABLE.finditer(text)]
    for opening, closing in zip(rules[::2], rules[1::2], strict=False):
        yield opening[0], trimmed(text, opening[0], closing[1])


def _simple(text: str) -> Iterator[Stretch]:
    """Tables between rules of ``=``; the rule that a blank line follows is the last one."""
    opening = -1
    for rule in _RST_RULE.finditer(text):
        if opening < 0:
            opening = rule.start()
        elif rule[1] is not None or rule.end() == len(text):
            yield opening, trimmed(text, opening, rule.end())
            opening = -1


_TABLES: dict[Tables, Callable[[str], Iterator[Stretch]]] = {
    Tables.HTML: _markup,
    Tables.DELIMITED: _asciidoc,
    Tables.RULED: _simple,
}
