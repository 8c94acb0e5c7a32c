"""Files of values between commas or tabs become documents: what their columns are called and hold, and how they begin.

Bytes as found enter, a `Document` with one table leaves. A file of numbers is data, so no more of it than its first
rows becomes text; all of its rows are counted.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat

from pinakes.parse.converted import converted, in_cell, table
from pinakes.parse.decode import decode
from pinakes.records import Document, Raw
from pinakes.records.made_text import MadeText

_SHOWN_ROWS = 20
_SHOWN_COLUMNS = 40
_NAMED_COLUMNS = 200
_LOOKED_AT = 1_000
"""Rows that tell the type of a column."""
_WIDEST = 80
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_TYPES = (
    ("whole number", re.compile(r"[+-]?\d{1,30}\Z")),
    ("number", re.compile(r"[+-]?(?:\d{1,30}[.,]\d{0,30}|[.,]\d{1,30}|\d{1,30})(?:[eE][+-]?\d{1,5})?\Z")),
    ("date", re.compile(r"\d{4}-\d\d?-\d\d?\Z|\d\d?[./]\d\d?[./]\d{2,4}\Z")),
    ("time", re.compile(r"(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?\Z")),
    ("yes or no", re.compile(r"(?:true|false|yes|no)\Z", re.IGNORECASE)),
    ("address", re.compile(r"https?://\S{1,2000}\Z", re.IGNORECASE)),
)


def parse_cells(raw: Raw) -> Document:
    """Read a file of values."""
    decoded = decode(raw.data)
    made = _made(decoded.text, is_by_tabs=raw.stamp.ref.path.lower().endswith(".tsv"))
    return converted(raw, MadeText(made.text, warnings=(*made.warnings, *decoded.warnings)))


def _made(text: str, *, is_by_tabs: bool) -> MadeText:
    delimiter = "\t" if is_by_tabs else _delimiter(text)
    rows = _rows(text, delimiter)
    first: list[list[str]] = []
    count = 0
    warnings: tuple[str, ...] = ()
    try:
        first += islice(rows, _LOOKED_AT + 1)
        count = len(first) + sum(1 for _ in rows)
    except csv.Error as error:
        count = len(first)
        warnings = (f"Nothing behind row {count:,} could be read: {error}.",)
    if not first:
        return MadeText("", warnings=warnings)
    has_names = _has_names(first)
    width = max(map(len, first))
    named = min(width, _NAMED_COLUMNS)
    head = list(islice(chain(first[0] if has_names else (), repeat("")), named))
    names = [in_cell(name, _WIDEST) or f"column {number}" for number, name in enumerate(head, 1)]
    body = first[1:] if has_names else first
    types = [_type([row[at] for row in body if at < len(row)]) for at in range(named)]
    said = ", ".join(f"{name} ({kind})" if kind else name for name, kind in zip(names, types, strict=True))
    left = f" and {width - named:,} more" if width > named else ""
    values = count - has_names
    shown = body[:_SHOWN_ROWS]
    lines = [
        f"{values:,} {'row' if values == 1 else 'rows'} of {width:,} {'column' if width == 1 else 'columns'}, "
        f"separated by {_DELIMITERS[delimiter]}: {said}{left}."
    ]
    if width > _SHOWN_COLUMNS or values > len(shown):
        lines.append(f"The first {len(shown)} rows{_columns(width)}:")
    lines.append(table(names[:_SHOWN_COLUMNS], (_padded(row, min(width, _SHOWN_COLUMNS)) for row in shown)))
    return MadeText("\n\n".join(lines) + "\n", warnings=warnings)


def _columns(width: int) -> str:
    return f" of the first {_SHOWN_COLUMNS} columns" if width > _SHOWN_COLUMNS else ""


def _padded(row: Sequence[str], width: int) -> Iterator[str]:
    for at in range(width):
        yield in_cell(row[at], _WIDEST) if at < len(row) else ""


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """All rows that hold something. Raises `csv.Error` at a row that is too long to be one."""
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        if any(row):
            yield row


def _delimiter(text: str) -> str:
    """The sign that stands equally often in most of the first lines, and in each of them."""
    lines = [line for line in text[:20_000].splitlines()[:20] if line.strip()]
    best, most = ",", 0
    for sign in _DELIMITERS:
        (count, times), *_ = Counter(line.count(sign) for line in lines).most_common(1) or [(0, 0)]
        if count and times * (count + 1) > most:
            best, most = sign, times * (count + 1)
    return best


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: it has a word in each place and no value of another type."""
    head = rows[0][:_NAMED_COLUMNS]
    return (
        len(rows) > 1 and all(cell.strip() and _type([cell]) == "text" for cell in head) and len(set(head)) == len(head)
    )


def _type(values: Sequence[str]) -> str:
    """What all values of a column are that are not empty; nothing for a column without any."""
    said = [value.strip() for value in values if value.strip()]
    if not said:
        return ""
    return next((name for name, pattern in _TYPES if all(map(pattern.match, said))), "text")
