"""Jupyter notebooks become documents: what stands in their cells, in their order.

The JSON of a notebook enters, a `Document` leaves. Markdown cells are taken as they are, code cells as code in the
language of the notebook; of their output only the text of errors is taken. Pictures and results are passed over without
being read into memory. ``cell=3`` and the anchors that Jupyter makes lead to a section besides its own anchor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import UNSET, DecodeError, Struct, UnsetType, ValidationError
from msgspec import Raw as RawJson
from msgspec.json import Decoder

from pinakes.parse.converted import closed, converted, fenced, with_aliases
from pinakes.parse.decode import decode
from pinakes.records import Document, Raw
from pinakes.records.made_text import MadeText

_MOST_ERROR = 4_000
"""Characters of one error; its end says what happened."""
_TERMINAL = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}\Z")
_MAGIC = re.compile(r"\s*%%(bash|sh|html|javascript|js|latex|markdown|perl|ruby|sql|svg)\b")
_HEADING = re.compile(r"(?m)^ {0,3}#")
"""Where a section may begin."""


class _Notebook(Struct, frozen=True):
    cells: list[RawJson] | UnsetType = UNSET
    worksheets: list[RawJson] | UnsetType = UNSET
    """Where notebooks before version 4 keep their cells."""
    metadata: RawJson = RawJson(b"{}")


class _Named(Struct, frozen=True):
    name: str = ""
    language: str = ""


class _Facts(Struct, frozen=True):
    language_info: _Named = _Named()
    kernelspec: _Named = _Named()


class _Cell(Struct, frozen=True):
    cell_type: str = ""
    source: str | list[str] = ""
    input: str | list[str] = ""
    level: int = 1
    outputs: list[RawJson] = []


class _Output(Struct, frozen=True):
    output_type: str = ""
    ename: str = ""
    evalue: str = ""
    traceback: list[str] = []


_NOTEBOOK, _FACTS, _CELL, _OUTPUT = Decoder(_Notebook), Decoder(_Facts), Decoder(_Cell), Decoder(_Output)
_BROKEN = (DecodeError, ValidationError, RecursionError)


def parse_notebook(raw: Raw) -> Document:
    """Read a notebook. One that is none has no text and says so."""
    decoded = decode(raw.data)
    try:
        notebook = _NOTEBOOK.decode(decoded.source[decoded.start :])
        cells = _cells(notebook)
    except _BROKEN as error:
        why = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        return converted(raw, MadeText("", warnings=(f"The file is no notebook: {why}.", *decoded.warnings)))
    language, lines, places, unread = _language(notebook), 0, [], 0
    pieces: list[str] = []
    for number, data in enumerate(cells, 1):
        try:
            text = _text(_CELL.decode(data), language)
        except _BROKEN:
            unread += 1
            continue
        if not text.strip():
            continue
        # A cell belongs to the section that its own first heading begins.
        heading = _HEADING.search(text)
        at = text.count("\n", 0, heading.start()) if heading and not text[: heading.start()].strip() else 0
        places.append((lines + at, f"cell={number}"))
        pieces.append(text)
        lines += text.count("\n") + 2
    warnings = (f"{unread} of its cells could not be read.",) if unread else ()
    document = converted(raw, MadeText("\n\n".join(pieces), tuple(places), warnings + decoded.warnings))
    return with_aliases(document, _jupyter_anchors(document))


def _cells(notebook: _Notebook) -> Sequence[RawJson]:
    if notebook.cells is not UNSET:
        return notebook.cells
    if notebook.worksheets is UNSET:
        raise ValidationError("it has no cells")
    sheets = [_NOTEBOOK.decode(sheet).cells for sheet in notebook.worksheets]
    return [cell for sheet in sheets if sheet is not UNSET for cell in sheet]


def _language(notebook: _Notebook) -> str:
    try:
        facts = _FACTS.decode(notebook.metadata)
    except _BROKEN:
        return ""
    name = (facts.language_info.name or facts.kernelspec.language).lower()
    return name if _LANGUAGE.match(name) else ""


def _text(cell: _Cell, language: str) -> str:
    source = cell.source or cell.input
    # Every line end as one sign, because lines are counted here and by others.
    text = (source if isinstance(source, str) else "".join(source)).replace("\r\n", "\n").replace("\r", "\n")
    text = text.strip("\n")
    if cell.cell_type == "markdown":
        return closed(text)
    if cell.cell_type == "heading":
        return f"{'#' * min(max(cell.level, 1), 6)} {' '.join(text.split())}"
    if cell.cell_type != "code":
        is_frontmatter = text.startswith("---\n") and text.rstrip().endswith("\n---")
        return text if is_frontmatter or not text.strip() else fenced(text)
    magic = _MAGIC.match(text)
    parts = [fenced(text, magic[1] if magic else language)] if text.strip() else []
    return "\n\n".join([*parts, *_errors(cell.outputs)])


def _errors(outputs: Sequence[RawJson]) -> list[str]:
    found = []
    for data in outputs:
        try:
            output = _OUTPUT.decode(data)
        except _BROKEN:
            continue
        if output.output_type in ("error", "pyerr"):
            said = "\n".join(output.traceback) or f"{output.ename}: {output.evalue}"
            said = _CONTROL.sub("", _TERMINAL.sub("", said[-4 * _MOST_ERROR :]).replace("\r", "\n"))[-_MOST_ERROR:]
            found.append(fenced(said.strip("\n"), "text"))
    return found


def _jupyter_anchors(document: Document) -> dict[int, list[str]]:
    """Jupyter keeps upper case and punctuation, and makes each blank a hyphen."""
    return {
        position: [section.title.replace(" ", "-")]
        for position, section in enumerate(document.sections)
        if section.title and section.title.replace(" ", "-") != section.anchor
    }
