"""Org files: headlines, drawers, blocks, tables, comments; links are read beside this.

The bytes of a body enter; what stands where is noted down, and the title of ``#+TITLE:`` leaves. Nothing is carried
out: no macro, no include, no block of code. A star at the start of a line of code is code, although org wants a comma
before it: who writes such a file in another editor forgets that.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from pinakes.parse.marks import Rows, note_code, note_table, rows_of
from pinakes.parse.org_links import file_target, note_org_links, shown
from pinakes.parse.plain import parse_with
from pinakes.parse.structure import Contents
from pinakes.records import Document, LinkForm, Raw

_HEADLINE = re.compile(rb"(\*+)[ \t]+(.*)")
_KEYWORD = re.compile(rb"#\+([A-Za-z_]+)(?:\[[^\]\r\n]{0,300}\])?:[ \t]*(.*)")
_BEGIN = re.compile(rb"#\+begin_(\S+)(?:[ \t]+([^\s]+))?", re.IGNORECASE)
_END = re.compile(rb"[ \t]*#\+end_(\S+)[ \t]*\Z", re.IGNORECASE)
_DYNAMIC = re.compile(rb"#\+(?:begin|end):?(?:[ \t]|\Z)", re.IGNORECASE)
_COMMENT = re.compile(rb"#(?:[ \t]|\Z)")
_FIXED = re.compile(rb"[ \t]*:(?:[ \t]|\Z)")
_DRAWER = re.compile(rb":([\w\x80-\xff-]+):[ \t]*\Z")
_DRAWER_END = re.compile(rb"[ \t]*:END:[ \t]*\Z", re.IGNORECASE)
_PROPERTY = re.compile(rb"[ \t]*:(CUSTOM_ID|ID):[ \t]+(\S.*)", re.IGNORECASE)
_TABLE_ROW = re.compile(rb"[ \t]*\|")
_CLOCK = re.compile(rb"CLOCK:[ \t]")
_VERBATIM = frozenset((b"src", b"example", b"export", b"comment"))
_CODE = frozenset((b"src", b"example"))
_NOT_SHOWN = frozenset((b"properties", b"logbook"))
"""Drawers whose lines no reader of the page sees."""
_SAID = frozenset((b"TITLE", b"SUBTITLE", b"AUTHOR", b"DATE", b"DESCRIPTION", b"KEYWORDS", b"CAPTION"))
"""Keywords whose values a reader sees."""
_NAMES = frozenset((b"NAME", b"LABEL", b"TBLNAME", b"SRCNAME", b"RESNAME"))
TODO_WORDS = frozenset(
    ("TODO", "DONE", "NEXT", "WAIT", "WAITING", "HOLD", "STARTED", "CANCELLED", "CANCELED", "SOMEDAY")
)
_PRIORITY = re.compile(r"\[#[A-Za-z0-9]{1,2}\]\s*")
_TAGS = re.compile(r"(?:\A|\s):([\w@#%]+(?::[\w@#%]+)*):\s*\Z")
_INCLUDED = re.compile(rb'"([^"\r\n]{1,1000})"|(\S{1,1000})')


def parse_org(raw: Raw) -> Document:
    """Read a file in org."""
    return parse_with(_read_org, raw)


def _read_org(body: bytes, found: Contents) -> str:
    """Note down what an org file holds; gives its title if it names one."""
    reader = _OrgReader(body, found)
    row = 0
    while row < len(reader.rows.texts):
        row = reader.read(row)
    note_org_links(found, body, reader.quiet, reader.abbreviations)
    return " ".join(" ".join(reader.title).split())


class _OrgReader:
    """Goes over the rows of a body once."""

    def __init__(self, body: bytes, found: Contents) -> None:
        self.found = found
        self.rows = rows_of(body)
        self.quiet: list[tuple[int, int]] = []
        self.title: list[str] = []
        self.abbreviations: dict[str, str] = {}
        self._todo = set(TODO_WORDS)
        self._block_ends = _block_ends(self.rows)
        texts = self.rows.texts
        self._drawer_ends = [row for row, text in enumerate(texts) if b":" in text and _DRAWER_END.match(text)]
        self._headlines = [row for row, text in enumerate(texts) if text[:1] == b"*" and _HEADLINE.match(text)]
        self._headline = 0
        """Where the section that is being read begins."""

    def read(self, row: int) -> int:
        """Note down what begins in a row; gives the row to go on with."""
        text = self.rows.texts[row]
        bare = text.lstrip(b" \t")
        if text.startswith(b"*") and (headline := _HEADLINE.match(text)):
            self._headline = self.rows.start(row)
            title = self._title(headline[2])
            self.found.headings.append((self._headline, len(headline[1]), [title]))
        elif bare.startswith(b"#"):
            return self._hash(row, bare)
        elif bare.startswith(b":"):
            return self._colon(row, bare)
        elif bare.startswith(b"|"):
            note_table(self.found)
            return self._run(row, _TABLE_ROW)
        elif bare.startswith(b"CLOCK:") and _CLOCK.match(bare):
            self._hide(row, row + 1)
        return row + 1

    def _hash(self, row: int, bare: bytes) -> int:
        """A block, a keyword or a comment."""
        if begin := _BEGIN.match(bare):
            return self._block(row, begin[1].lower(), begin[2] or b"")
        if keyword := _KEYWORD.match(bare):
            self._keyword(row, keyword[1].upper(), keyword[2])
        elif _COMMENT.match(bare) or _END.match(bare) or _DYNAMIC.match(bare):
            self._hide(row, row + 1)
        return row + 1

    def _block(self, row: int, kind: bytes, language: bytes) -> int:
        known = self._block_ends.get(kind, [])
        position = bisect_right(known, row)
        if position == len(known):
            return row + 1
        if kind not in _VERBATIM:
            self._hide(row, row + 1)
            return row + 1
        end = known[position] + 1
        if kind in _CODE:
            self._note_code(
                row, end, language if kind == b"src" and not language.startswith((b"-", b"+", b":")) else b""
            )
        else:
            self._hide(row, end)
        return end

    def _keyword(self, row: int, name: bytes, value: bytes) -> None:
        text = value.decode("utf-8", "replace").strip()
        if name == b"TITLE":
            self.title.append(shown(text))
        elif name == b"FILETAGS":
            self.found.tags.update(tag for tag in re.split(r"[:\s]+", text) if tag)
        elif name in (b"TODO", b"SEQ_TODO", b"TYP_TODO"):
            self._todo.update(word.partition("(")[0] for word in text.replace("|", " ").split())
        elif name == b"LINK":
            short, _, address = text.partition(" ")
            self.abbreviations[short.strip('"')] = address.strip()
        elif name in _NAMES and text:
            self._anchor(row, text)
        elif name == b"INCLUDE":
            self._include(row, value)
        if name not in _SAID:
            self._hide(row, row + 1)

    def _include(self, row: int, value: bytes) -> None:
        if written := _INCLUDED.match(value):
            at = self.rows.start(row) + self.rows.texts[row].rindex(written[0])
            target = (written[1] or written[2]).decode("utf-8", "replace")
            target = file_target(target)
            self.found.links.append((at, at + len(written[0]), LinkForm.LINK, target, [target]))

    def _colon(self, row: int, bare: bytes) -> int:
        """Rows that are shown as they stand, or a drawer."""
        if _FIXED.match(bare):
            end = self._run(row, _FIXED)
            self._note_code(row, end, b"")
            return end
        if _DRAWER_END.match(bare):
            self._hide(row, row + 1)
        elif drawer := _DRAWER.match(bare):
            return self._drawer(row, drawer[1].lower())
        return row + 1

    def _drawer(self, row: int, name: bytes) -> int:
        position = bisect_right(self._drawer_ends, row)
        if position == len(self._drawer_ends):
            return row + 1
        end = self._drawer_ends[position]
        next_headline = bisect_right(self._headlines, row)
        if next_headline < len(self._headlines) and self._headlines[next_headline] < end:
            return row + 1
        if name not in _NOT_SHOWN:
            self._hide(row, row + 1)
            return row + 1
        for inside in range(row + 1, end):
            if name == b"properties" and (found := _PROPERTY.match(self.rows.texts[inside])):
                self._anchor(inside, found[2].decode("utf-8", "replace").strip())
        self._hide(row, end + 1)
        return end + 1

    def _anchor(self, row: int, name: str) -> None:
        """A name of the section that is being read; of the document where no headline stands above."""
        at = self._headline if self.found.headings else self.rows.start(row)
        self.found.anchors.append((at, at if self.found.headings else at + len(self.rows.texts[row]), name))

    def _run(self, row: int, like: re.Pattern[bytes]) -> int:
        """The row after the last of those that are like the first."""
        end = row + 1
        while end < len(self.rows.texts) and like.match(self.rows.texts[end]):
            end += 1
        return end

    def _note_code(self, row: int, end: int, language: bytes) -> None:
        span = (self.rows.start(row), self.rows.start(end))
        self.quiet.append(span)
        note_code(self.found, *span, language.decode("utf-8", "replace"))

    def _hide(self, row: int, end: int) -> None:
        span = (self.rows.start(row), self.rows.start(end))
        self.quiet.append(span)
        self.found.hidden.append(span)

    def _title(self, text: bytes) -> str:
        whole = title = text.decode("utf-8", "replace").strip()
        tags = _TAGS.search(title)
        if tags:
            self.found.tags.update(tags[1].split(":"))
            title = title[: tags.start()].rstrip()
        first, _, rest = title.partition(" ")
        if first in self._todo:
            title = rest.lstrip()
        title = _PRIORITY.sub("", title, count=1) if title.startswith("[#") else title
        first, _, rest = title.partition(" ")
        if first == "COMMENT":
            title = rest
        return shown(title) or whole


def _block_ends(rows: Rows) -> dict[bytes, list[int]]:
    """For each kind of block the rows that end one, so that a block which never ends is known at once."""
    ends: dict[bytes, list[int]] = {}
    for row, text in enumerate(rows.texts):
        if b"#+" in text and (end := _END.match(text)):
            ends.setdefault(end[1].lower(), []).append(row)
    return ends
