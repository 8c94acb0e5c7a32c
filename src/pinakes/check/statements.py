"""What does a document state in figures?

A document enters, its statements leave: sentences, list items and table rows that hold a value (a number, a version,
a switch), each cut into its words and the values between them. Code blocks are left out, because an example may hold
any number; years and dates, list markers, web addresses, the targets of links and numbers that name a thing (step 3)
are no values. Whether two statements contradict each other is not known here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from msgspec import Struct

from pinakes.check.values import is_number, is_switch
from pinakes.prose import leaves, sentences
from pinakes.records import BlockKind, Document, Span

VALUE = "\0"
"""Stands in a statement's words where a value was."""


class Statement(Struct, frozen=True):
    """A sentence, list item or table row with values in it."""

    section: int
    """Position of the section it stands in."""
    line: int
    """From 1."""
    form: BlockKind
    """A paragraph for a sentence, an item, or a table for a row of one."""
    words: tuple[str, ...]
    """In lower case, without marks at their edges; `VALUE` where a value stood."""
    values: tuple[str, ...]
    """As written, in the order of their places."""
    shown: tuple[str, ...]
    """The words as written, one for each of `words`."""


class StatementText(Struct, frozen=True):
    """A paragraph, a list item or a table row."""

    section: int
    line: int
    """Of its first line, from 0."""
    text: str
    form: BlockKind


_DIGIT = re.compile(r"[0-9]")
_UNSEEN = re.compile(
    r"!\[[^\[\]\n]*\]\([^()\n]*\)"  # images
    r"|(?<=\])\([^()\n]*\)|(?<=\])\[[^\[\]\n]*\]|\[\^[^\[\]\n]*\]"  # the targets of links, whose texts stay; footnotes
    r"|https?://\S+"
    r"|<!--(?:[^<]|<(?!!--))*?-->"
    r"|</?(?P<tag>[a-zA-Z][a-zA-Z0-9]*)[^<>\n]*>"
    r"|^\[[^\[\]\n]+\]:.*$",  # definitions of links
    re.MULTILINE,
)
"""No repetition runs past what could open the next one, so that no text takes longer than its length."""
_CELLS = frozenset(("tr", "td", "th", "li", "dt", "dd"))
_ITEM = re.compile(r"(?:>\s*)*(?:[-*+•:]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_NO_STATEMENT = re.compile(r"#{1,6}\s|[|:+=~\s-]*$|[^\n]*\n\s*(?:={2,}|-{2,}|~{2,})$|(?s:.*)\{%-?\s*(?:if|els)")
"""Headings, rules, and text of which a template shows one reader this value and another reader that."""
_MOST_WORDS = 80
"""More are no sentence."""
_EDGES = "*_\"'“”‘’()[]{},;:!?`|\\"
_COUNTED = frozenset((
    "step", "steps", "figure", "fig", "table", "example", "chapter", "section", "part", "line", "lines", "page",
    "issue", "pr", "level", "row", "column", "item", "test", "case", "option", "note", "appendix", "phase", "exercise",
    "lesson", "question", "answer", "rule", "id", "no", "number", "bug", "cve", "rfc", "iso", "pep", "es", "ecmascript",
    "http", "utf", "sha", "md", "base", "index", "point", "tier", "task", "guideline", "criterion", "january",
    "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"))  # fmt: skip
"""Words that name the number behind them: another number makes another subject."""
_NOTE = re.compile(r"\\?\[\d+\\?\]")
_SET_TO = frozenset(("to", "is", "=", "be", "default", "defaults"))


def statements(stated: Iterable[StatementText]) -> Iterator[Statement]:
    """What the blocks of a document state, in reading order."""
    for block in stated:
        cut = sentences(block.text) if block.form is not BlockKind.TABLE else ((0, block.text),)
        lines = reached = 0
        for start, sentence in cut:
            lines += block.text.count("\n", reached, start)
            reached = start
            if _may_hold_value(sentence) and (made := _statement(sentence, block, lines)):
                yield made


def blocks(document: Document) -> Iterator[StatementText]:
    """What of its text may state a value, in reading order; of tables every row, since the first names the columns."""
    starts = [section.lines.start for section in document.sections]
    for line, written in _pieces(document):
        if not ("|" in written or _may_hold_value(written)):
            continue
        text = _UNSEEN.sub(_instead, written).strip()
        is_row = text.startswith("|") or text.count("|") > written.count("|")
        if not (is_row or _may_hold_value(text)) or _NO_STATEMENT.match(text):
            continue
        form = BlockKind.TABLE if is_row else BlockKind.ITEM if _ITEM.match(text) else BlockKind.PARAGRAPH
        yield StatementText(max(bisect_right(starts, line) - 1, 0), line, text, form)


def _may_hold_value(text: str) -> bool:
    return _DIGIT.search(text) is not None or "efault" in text  # a search that ignores case takes thrice as long


def _pieces(document: Document) -> Iterator[tuple[int, str]]:
    """Its paragraphs, list items, HTML and single table rows as they are written, each with its first line, from 0."""
    line = reached = 0
    for kind, span in leaves(document, Span(document.body, len(document.source))):
        if kind in (BlockKind.HEADING, BlockKind.CODE):
            continue
        line += document.source.count(b"\n", reached, span.start)
        reached = span.start
        text = document.text(span)
        rows = text.split("\n") if kind is BlockKind.TABLE else (text,)
        yield from ((line + number, row) for number, row in enumerate(rows))


def _instead(found: re.Match[str]) -> str:
    """What is left of what readers do not see: that a cell or an item began, and the lines of a comment."""
    return "|" if (found["tag"] or "").lower() in _CELLS else "\n" * found[0].count("\n")


def _statement(sentence: str, block: StatementText, lines: int) -> Statement | None:
    words: list[str] = []
    values: list[str] = []
    shown: list[str] = []
    marker = _ITEM.match(sentence)
    for raw in sentence[marker.end() if marker else 0 :].split():
        bare = raw.strip(_EDGES).rstrip(".").rstrip(_EDGES)
        word = bare.lower()
        if not word:
            continue
        before = words[-1] if words else ""
        is_value = (is_number(word) and before not in _COUNTED and not _NOTE.match(raw)) or (
            is_switch(word) and (raw.strip("*_.,;:|").startswith("`") or before in _SET_TO)
        )
        words.append(VALUE if is_value else word)
        shown.append(raw)
        if is_value:
            values.append(bare)
    if not values or len(words) > _MOST_WORDS:
        return None
    return Statement(block.section, block.line + lines + 1, block.form, tuple(words), tuple(values), tuple(shown))
