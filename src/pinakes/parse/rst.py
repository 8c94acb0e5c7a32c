"""reStructuredText files: headings in the order of their own ornaments, literal blocks, directives, references.

The bytes of a body enter; what stands where is noted down. Substitutions, most roles and what directives would do are
not looked at.
"""

from __future__ import annotations

import re

from pinakes.parse.marks import Rows, indent_of, indented_end, note_bare_links, note_code, note_table, quieted, rows_of
from pinakes.parse.plain import parse_with
from pinakes.parse.structure import Contents
from pinakes.records import Document, LinkForm, Raw

_ORNAMENT = re.compile(rb"([!-/:-@\[-`{-~])\1+[ \t]*\Z")
_NOT_A_TITLE = re.compile(rb"\.\. |\.\.\Z|[-*+][ \t]|:[^:\s][^:]*:(?:[ \t]|\Z)|\|[ \t]|>>> |__ |\+-|\s")
_DIRECTIVE = re.compile(rb"[ \t]*\.\.[ \t]+([\w:+.-]+)::[ \t]*(.*)")
_TARGET = re.compile(rb"\.\.[ \t]+_(?:`([^`]{1,300})`|([^:`]{1,300})):(?:[ \t]+(\S.*)|[ \t]*\Z)")
_GRID = re.compile(rb"[ \t]*\+[-=][-=+]*+(?<=\+)[ \t]*\Z")
_SIMPLE = re.compile(rb"[ \t]*=+(?:[ \t]+=+)+[ \t]*\Z")
_CODE = frozenset((b"code-block", b"code", b"sourcecode", b"parsed-literal", b"prompt", b"highlight-block"))
_CODE_CALLED = {b"doctest": b"pycon", b"testcode": b"python", b"testoutput": b"text", b"productionlist": b"ebnf"}
"""Directives of code whose argument is no language, and what they hold."""
_DIAGRAMS = frozenset((b"graphviz", b"digraph", b"mermaid", b"uml", b"plantuml"))
_TABLES = frozenset((b"list-table", b"csv-table", b"table"))
_FILES = frozenset((b"include", b"literalinclude", b"image", b"figure"))
_TOCTREE_ENTRY = re.compile(rb"(?:([^<>]{1,300}?)[ \t]*<([^<>\s]{1,300})>|([^\s:*?<>]{1,300}))\Z")
_LONGEST_ENTRY = 700
_MADE_BY_SPHINX = frozenset((b"self", b"genindex", b"modindex", b"py-modindex", b"search"))
"""Entries that name no file."""
_LITERAL = re.compile(rb"``(?!\s)[^\r\n]{1,500}?``")
_EMBEDDED = re.compile(rb"(?<!:)`([^`<>]{0,500})<([^`<>]{1,1000})>`__?")
_ROLE = re.compile(rb":(doc|ref|numref|download):`([^`<>]{1,500})(?:<([^`<>]{1,500})>)?`")
_PHRASE = re.compile(rb"(?<![:`\w])`([^`<>]{1,300})`_(?![\w_])")
_REFERENCE = re.compile(rb"[A-Za-z0-9](?:[A-Za-z0-9]|[-_.+:](?=[A-Za-z0-9]))*(_(?![\w_`]))?")
_DOCTEST = re.compile(rb"[ \t]*>>>(?:[ \t]|\Z)")
_TITLED = re.compile(r"([^<>]{1,300}?)\s*<[^<>]{1,300}>\Z")
_ESCAPE = re.compile(r"\\(?:\s|(\S))")
_TITLE_MARKS = re.compile(r"(?::[\w:+.-]{1,40}:)?`+([^`]*)`+_{0,2}|\*\*(\S[^*]*)\*\*|\*(\S[^*]*)\*")


def parse_rst(raw: Raw) -> Document:
    """Read a file in reStructuredText."""
    return parse_with(_read_rst, raw)


def _read_rst(body: bytes, found: Contents) -> str:
    """Note down what a reStructuredText file holds."""
    rows = rows_of(body)
    reading = _RstReader(rows, found)
    row = 0
    while row < len(rows.texts):
        row = reading.step(row)
    silent = quieted(body, reading.quiet)
    silent = quieted(silent, [literal.span() for literal in _LITERAL.finditer(silent)])
    _note_links(found, silent, reading.targets)
    note_bare_links(found, silent)
    return ""


class _RstReader:
    """One pass over the rows of one file."""

    __slots__ = ("found", "has_open_table", "quiet", "rows", "styles", "targets")

    def __init__(self, rows: Rows, found: Contents) -> None:
        self.rows = rows
        self.found = found
        self.quiet: list[tuple[int, int]] = []
        self.targets: dict[str, str] = {}
        """What named references lead to; anchors of this document with a ``#``."""
        self.styles: dict[tuple[bytes, bool], int] = {}
        """The level of each ornament, in the order in which they turn up."""
        self.has_open_table = False
        """A table was seen that never ends, so no later one does."""

    def step(self, row: int) -> int:
        """Look at a row; gives the row to look at next."""
        text = self.rows.texts[row]
        if not text.strip():
            return row + 1
        if b"::" in text and (directive := _DIRECTIVE.match(text)):
            return self._directive(row, directive[1].lower(), directive[2].strip())
        if text.startswith(b"..") and (target := _TARGET.match(text)):
            self._target(row, target)
            return row + 1
        if _SIMPLE.match(text):
            return self._simple_table(row)
        if _GRID.match(text):
            note_table(self.found)
            return row + 1
        if b">>>" in text and _DOCTEST.match(text):
            return self._doctest(row)
        return self._heading(row) or self._literal_block_after(row)

    def _doctest(self, row: int) -> int:
        """Past a session of Python, which runs to the next blank row."""
        end = row
        while not self.rows.blank(end):
            end += 1
        self._note_code(row, end, b"pycon")
        return end

    def _heading(self, row: int) -> int:
        """The row after the heading that begins here, or 0."""
        texts = self.rows.texts
        if row + 1 >= len(texts) or indent_of(texts[row]):
            return 0
        over = _ORNAMENT.match(texts[row])
        if over:
            under = _ORNAMENT.match(texts[row + 2]) if row + 2 < len(texts) else None
            if not under or under[1] != over[1] or self.rows.blank(row + 1):
                return 0
            return self._note_heading(row, texts[row + 1], under, after=row + 3)
        under = _ORNAMENT.match(texts[row + 1])
        is_first_of_block = row == 0 or self.rows.blank(row - 1) or texts[row - 1].startswith(b"..")
        if not under or not (is_first_of_block or self._follows_heading(row)) or _NOT_A_TITLE.match(texts[row]):
            return 0
        return self._note_heading(row, texts[row], under, after=row + 2)

    def _follows_heading(self, row: int) -> bool:
        headings = self.found.headings
        return (
            bool(headings) and headings[-1][0] >= self.rows.start(max(0, row - 3)) and _is_ornament(self.rows, row - 1)
        )

    def _note_heading(self, row: int, text: bytes, under: re.Match[bytes], after: int) -> int:
        title = text.decode("utf-8", "replace").strip()
        width = len(under[0].rstrip())
        if not title or (width < 4 and width < len(title)):
            return 0
        style = (under[1], after == row + 3)
        level = self.styles.setdefault(style, len(self.styles) + 1)
        title = _ESCAPE.sub(r"\1", _TITLE_MARKS.sub(_shown, title)).strip()
        self.found.headings.append((self.rows.start(row), level, [title]))
        return after

    def _directive(self, row: int, name: bytes, argument: bytes) -> int:
        if name in _TABLES:
            note_table(self.found)
        if name in _FILES and argument:
            at = self.rows.start(row) + self.rows.texts[row].rindex(argument)
            form = LinkForm.IMAGE if name in (b"image", b"figure") else LinkForm.LINK
            target = argument.decode("utf-8", "replace")
            self.found.links.append((at, at + len(argument), form, target, [target]))
            self.quiet.append((at, at + len(argument)))
        if name == b"toctree":
            return self._toctree(row)
        if name not in _CODE and name not in _DIAGRAMS and name not in _CODE_CALLED:
            return row + 1
        end = indented_end(self.rows, row + 1, indent_of(self.rows.texts[row]))
        end = max(end, row + 1)
        language = b"graphviz" if name == b"digraph" else name if name in _DIAGRAMS else argument.partition(b" ")[0]
        language = _CODE_CALLED.get(name, language)
        self._note_code(row, end, language)
        return end

    def _toctree(self, row: int) -> int:
        """Past a list of documents; each is a link."""
        end = max(indented_end(self.rows, row + 1, indent_of(self.rows.texts[row])), row + 1)
        for at in range(row + 1, end):
            words = self.rows.texts[at].strip()
            entry = _TOCTREE_ENTRY.match(words) if len(words) <= _LONGEST_ENTRY else None
            if entry and (entry[2] or entry[3]) not in _MADE_BY_SPHINX:
                start = self.rows.start(at) + self.rows.texts[at].index(words)
                stop = start + len(words)
                written = (entry[2] or entry[3]).decode("utf-8", "replace")
                text = (entry[1] or entry[3]).decode("utf-8", "replace").strip()
                self.found.links.append((start, stop, LinkForm.LINK, document_target(written), [text]))
                self.quiet.append((start, stop))
        return end

    def _literal_block_after(self, row: int) -> int:
        """Past a row of prose and the literal block that it announces by ending in ``::``, if it does."""
        if not self.rows.texts[row].rstrip().endswith(b"::") or not self.rows.blank(row + 1):
            return row + 1
        first = row + 1
        while first < len(self.rows.texts) and self.rows.blank(first):
            first += 1
        end = indented_end(self.rows, first, indent_of(self.rows.texts[row]))
        if end > first:
            self._note_code(first, end, b"")
        return max(end, first)

    def _note_code(self, first: int, end: int, language: bytes) -> None:
        span = (self.rows.start(first), self.rows.start(end))
        self.quiet.append(span)
        note_code(self.found, *span, language.decode("utf-8", "replace"))

    def _simple_table(self, row: int) -> int:
        """Past a table between rows of ``=``; it ends with the one that a blank row follows."""
        last = row + 1
        while not self.has_open_table and last < len(self.rows.texts):
            if self.rows.blank(last + 1) and _SIMPLE.match(self.rows.texts[last]):
                note_table(self.found, self.rows.start(row), self.rows.start(last + 1))
                return last + 1
            last += 1
        note_table(self.found)
        self.has_open_table = True
        return row + 1

    def _target(self, row: int, target: re.Match[bytes]) -> None:
        name = (target[1] or target[2]).decode("utf-8", "replace").strip()
        leads_to = (target[3] or b"").decode("utf-8", "replace").strip()
        at = self.rows.start(row)
        if leads_to:
            self.quiet.append((at, at + len(self.rows.texts[row])))
        else:
            self.found.anchors.append((at, at + len(self.rows.texts[row]), name))
        self.targets[_key(name)] = leads_to or f"#{name}"


def _shown(marked: re.Match[str]) -> str:
    """What a reader sees of a role or of emphasis: of ``~os.path`` its end, of ``text <target>`` the text."""
    text = (marked[1] or marked[2] or marked[3] or "").removeprefix("!")
    if marked[1] and (titled := _TITLED.match(text)):
        return titled[1]
    return text[1:].rpartition(".")[2] if marked[1] and text.startswith("~") else text


def _is_ornament(rows: Rows, row: int) -> bool:
    return 0 <= row < len(rows.texts) and _ORNAMENT.match(rows.texts[row]) is not None


def _key(name: str) -> str:
    """References ignore case and the width of spaces."""
    return " ".join(name.lower().split())


def _note_links(found: Contents, silent: bytes, targets: dict[str, str]) -> None:
    for link in _EMBEDDED.finditer(silent):
        target = "".join(link[2].decode("utf-8", "replace").split())
        if target.endswith("_"):
            target = targets.get(_key(link[2].decode("utf-8", "replace").strip(" `_")), "")
        if target:
            text = " ".join(link[1].decode("utf-8", "replace").split())
            found.links.append((link.start(), link.end(), LinkForm.LINK, target, [text or target]))
    for role in _ROLE.finditer(silent):
        text = " ".join(role[2].decode("utf-8", "replace").split())
        written = role[3].decode("utf-8", "replace").strip() if role[3] else text
        target = _role_target(role[1], written, targets)
        if target:
            found.links.append((role.start(), role.end(), LinkForm.LINK, target, [text or target]))
    if not targets:
        return
    for pattern in (_PHRASE, _REFERENCE):
        for reference in pattern.finditer(silent):
            if pattern is _REFERENCE and reference[1] is None:
                continue
            text = " ".join(reference[0].decode("utf-8", "replace").strip("`_").split())
            target = targets.get(_key(text), "")
            if target:
                found.links.append((reference.start(), reference.end(), LinkForm.LINK, target, [text]))


def _role_target(role: bytes, written: str, targets: dict[str, str]) -> str:
    if role in (b"ref", b"numref"):
        # Labels are known to all documents of a project. Those of others are found by their names.
        return targets.get(_key(written)) or _key(written)
    return written if role == b"download" else document_target(written)


def document_target(written: str) -> str:
    """The file that the name of a document means; web addresses and names with an ending stay what they are."""
    return written if "." in written.rpartition("/")[2] or "://" in written else f"{written}.rst"
