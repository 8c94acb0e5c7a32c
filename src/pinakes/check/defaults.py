"""Which defaults does a document give?

The blocks of a document enter, the defaults of named options leave: those of sentences (“`--timeout` … defaults
to 30”), of list items (“`--timeout`: … (default: 30)”) and of tables with a column for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from pinakes.check.statements import StatementText
from pinakes.check.values import is_number, is_switch
from pinakes.records import BlockKind


class Default(Struct, frozen=True):
    """An option and what it is when nobody sets it."""

    section: int
    line: int
    """From 1."""
    form: BlockKind
    name: str
    """As written, without what it takes: ``--timeout``."""
    value: str
    words: frozenset[str]
    """What is said about it, in lower case."""


_NAME = re.compile(
    r"`(?:-\w, ?)?(--[a-z][\w.-]*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z][\w-]*(?:\.[a-z][\w-]*)+)"
    r"(?:[= ][<\[]?[\w-]+[>\]]?)?`"
)
"""Flags, environment variables and dotted keys. Other names mean another thing on every page: `size`, `max_age`."""
_GIVEN = re.compile(
    r"\bdefault(?:s|ed)?(?:\s+value)?(?:\s*[:=]|\s+(?:to|is|of|it\s+is))?\s*[`\"“'(*_]*"
    r"(?P<value>[\w.,%~<>=+-]*\w%?)[`\"”')*_]*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_MARKS = "`*_\"' "


def defaults(stated: Iterable[StatementText]) -> Iterator[Default]:
    """The defaults that the blocks of a document give, in reading order."""
    header: tuple[str, ...] = ()
    last = -3
    for block in stated:
        if block.form is not BlockKind.TABLE:
            found = _stated_default(block)
        else:
            cells = tuple(cell.strip() for cell in block.text.strip().strip("|").split("|"))
            is_first, last = block.line > last + 2, block.line  # between the header and the rows stands a rule
            if is_first:
                header = cells
                continue
            found = _listed(block, cells, header)
        if found:
            yield found


def _stated_default(block: StatementText) -> Default | None:
    """From running text: the only option named before the word."""
    given = _GIVEN.search(block.text)
    if not given or not _is_value(given["value"]):
        return None
    names = set(_NAME.findall(block.text[: given.start()]))
    return _default(block, names.pop(), given["value"]) if len(names) == 1 else None


def _listed(block: StatementText, cells: tuple[str, ...], header: tuple[str, ...]) -> Default | None:
    """From a table's row, where the table has a column of defaults."""
    titles = [title.lower().strip(_MARKS) for title in header]
    column = next((at for at, title in enumerate(titles) if title.startswith("default")), len(cells))
    named = _NAME.findall(cells[0])
    if column >= len(cells) or len(named) != 1 or not _is_value(value := cells[column].strip(_MARKS)):
        return None
    return _default(block, named[0], value)


def _is_value(word: str) -> bool:
    return is_number(word.lower()) or is_switch(word.lower())


def _default(block: StatementText, name: str, value: str) -> Default:
    words = frozenset(word.lower() for word in _WORD.findall(block.text)) - frozenset(_WORD.findall(name.lower()))
    return Default(block.section, block.line + 1, block.form, name, value, words)
