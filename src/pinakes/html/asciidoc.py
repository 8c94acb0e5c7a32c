"""AsciiDoc as Markdown, for the renderer: what most documents use, and everything else as it is written.

A document enters; a text in Markdown leaves that remembers its places. Attributes of the document stand for their
values; nothing is included, and no condition is looked at.
"""

from __future__ import annotations

import re

from pinakes.html.clean import OwnMarkup
from pinakes.html.traced_text import TracedText
from pinakes.html.translation import Translation, escaped
from pinakes.records import Document

_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:\s+(.*))?\Z")
_STYLE = re.compile(r"\[([^\]]*)\]\Z")
_LISTING = re.compile(r"(-{4,}|\.{4,}|\+{4,}|`{3,})([\w+#-]*)\Z")
_COMMENT = re.compile(r"/{4,}\Z")
_BLOCK = re.compile(r"(={4,}|\*{4,}|_{4,}|--)\Z")
_TABLE = re.compile(r"[|,:!]={3,}\Z")
_BULLET = re.compile(r"(\s*)(\*{1,5}|-|\.{1,5}|[0-9]{1,3}\.)\s+(?=\S)")
_TERM = re.compile(r"(\s*)(\S.*?)(:{2,4}|;;)(?:\s+(.*))?\Z")
_LABEL = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+")
_LABELS = frozenset(("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"))
_CONDITION = re.compile(r"(?:ifdef|ifndef|ifeval|endif)::")
_UNDERLINE = re.compile(r"(?:={4,}|-{4,}|~{4,}|\^{4,}|\+{4,})\Z")
_CALLOUT = re.compile(r"<([0-9.]+)>\s+")
_COLUMNS = re.compile(r"cols=\"?([^\"\]]*)")
_CELL = re.compile(r"(?:^|\s)(?:[0-9.+*]*[<^>]?[adehlmsv]?)?\|")
_INLINE = re.compile(
    r"`\+(?P<literal>.+?)\+`|`(?P<code>[^`]+)`|(?<!\w)\+(?P<plain>[^+\s][^+]*)\+(?!\w)|stem:\[(?P<math>[^\]]*)\]"
    r"|(?:kbd|btn|menu):\[?(?P<key>[^\[\]]*)\]?(?:\[(?P<keys>[^\]]*)\])?"
    r"|(?<![\w*])\*\*?(?P<strong>[^*\s](?:[^*]*[^*\s])?)\*\*?(?![\w*])|(?<![\w_])__?(?P<emphasis>[^_\s](?:[^_]*[^_\s])?)__?(?![\w_])"
    r"|\[\[[^\]]*\]\]|\[[.#][^\]]*\](?=#)|(?<!\w)\#(?P<mark>[^#\s][^#]*)\#(?!\w)|(?P<sign>[<\[\]*_])"
)


def asciidoc_as_markdown(document: Document, seal: OwnMarkup) -> TracedText:
    """The body of a document in Markdown."""
    writing = _Writing(document, seal)
    _AsciiDoc(writing).run()
    return writing.made


class _Writing(Translation):
    """A translation that knows the attributes of its document."""

    def __init__(self, document: Document, seal: OwnMarkup) -> None:
        super().__init__(document, seal, self._shown)
        self.attributes: dict[str, str] = {"nbsp": "\u00a0", "sp": " ", "empty": "", "plus": "+", "blank": ""}

    def _shown(self, words: str) -> str:
        if "{" in words:
            words = re.sub(r"\{([\w-]+)\}", lambda found: self.attributes.get(found[1], found[0]), words)
        return _INLINE.sub(_signs, words)


def _signs(found: re.Match[str]) -> str:
    kind = found.lastgroup
    words = found[kind] if kind else ""
    if kind in ("code", "literal"):
        return f"`{words}`"
    if kind == "math":
        return f"${words}$"
    if kind in ("key", "keys"):
        return f"`{words}`"
    if kind == "strong":
        return f"**{escaped(words)}**" if "`" not in words else f"**{words}**"
    if kind in ("emphasis", "mark"):
        return f"*{escaped(words)}*" if "`" not in words else f"*{words}*"
    if kind == "plain":
        return escaped(words)
    return f"\\{words}" if kind == "sign" else ""


class _AsciiDoc:
    """One pass over the rows; what stands before a block is kept until the block begins."""

    def __init__(self, writing: _Writing) -> None:
        self.writing = writing
        self.style = ""
        """What stands between brackets above a block."""
        self.closings: list[tuple[str, str]] = []
        """Delimiters of the blocks that are open, and what closes each."""
        self.pad = ""
        """What holds a block in the item of a list."""
        self.depths: list[str] = []
        """The marks of the lists that are open."""
        self.shift = 0 if any(level == 1 for level, _ in writing.headings.values()) else -1

    def run(self) -> None:
        row = 0
        while row < len(self.writing.rows):
            row = self._step(row)
        while self.closings:
            self.writing.line(self.closings.pop()[1], len(self.writing.rows) - 1)

    def _step(self, row: int) -> int:  # noqa: C901 - a list of what a row can be
        writing, text = self.writing, self.writing.text(row)
        bare = text.strip()
        if not bare:
            writing.line("", row)
            if writing.text(row + 1).strip() not in ("+", "") and not _BULLET.match(writing.text(row + 1)):
                self.pad = ""
            return row + 1
        if row in writing.headings:
            self._leave_lists()
            writing.heading(row)
            return row + (2 if _UNDERLINE.match(writing.text(row + 1)) and not text.startswith("=") else 1)
        if found := _ATTRIBUTE.match(text):
            writing.attributes[found[1].strip("!")] = found[2] or ""
            return row + 1
        if _COMMENT.match(bare):
            return self._until(row, bare) + 1
        if (text.startswith("//") and not text.startswith("///")) or _CONDITION.match(text):
            return row + 1
        if found := _STYLE.match(text):
            self.style = found[1] if not found[1].startswith("[") else self.style
            return row + 1
        if found := _LISTING.match(bare):
            return self._listing(row, bare, found[2])
        if _TABLE.match(bare):
            return self._table(row, bare)
        if found := _BLOCK.match(bare):
            self._delimiter(row, bare)
            return row + 1
        if text.startswith(".") and not text.startswith((". ", "..")) and len(text) > 1:
            writing.words(row, 1, f"\n{self.pad}**", "**\n")
            return row + 1
        if bare == "+":
            writing.line("", row)
            self.pad = "    " * len(self.depths)
            return row + 1
        return self._words(row, text)

    def _words(self, row: int, text: str) -> int:
        writing = self.writing
        if writing.is_inside_link(row):
            return row + 1
        if (label := _LABEL.match(text)) or self.style.partition(",")[0].strip() in _LABELS:
            name = label[1] if label else self.style.partition(",")[0].strip()
            self.style = ""
            closing = writing.boxed(row, name.lower(), name.capitalize(), self.pad)
            writing.words(row, label.end() if label else 0, self.pad)
            row += 1
            while writing.text(row).strip():
                writing.words(row, 0, self.pad)
                row += 1
            writing.line(closing, row - 1)
            return row
        if found := _BULLET.match(text):
            self._item(row, found)
        elif found := _CALLOUT.match(text):
            writing.words(row, found.end(), f"{self.pad}{found[1].replace('.', '1')}. ")
        elif (found := _TERM.match(text)) and "://" not in found[0]:
            writing.line(f"\n{self.pad}**{writing.inline(found[2])}**\\", row)
            if found[4]:
                writing.words(row, found.start(4), self.pad)
        else:
            breaks = text.endswith(" +")
            pad = (
                self.pad
                if self.pad
                else "  " * len(self.depths)
                if writing.text(row - 1).strip() and self.depths
                else ""
            )
            if not pad and row and not writing.text(row - 1).strip():
                self._leave_lists()
            writing.words(row, len(text) - len(text.lstrip()), pad)
            if breaks:
                writing.line(pad, row)
        self.style = ""
        return row + 1

    def _item(self, row: int, found: re.Match[str]) -> None:
        mark = "1." if found[2][0].isdigit() else found[2]
        if mark in self.depths:
            del self.depths[self.depths.index(mark) + 1 :]
        else:
            self.depths.append(mark)
        inner = "    " * (len(self.depths) - 1)
        is_counted = mark[0] == "." or mark == "1."
        self.pad = ""
        self.writing.words(row, found.end(), f"{inner}{'1.  ' if is_counted else '-   '}")

    def _leave_lists(self) -> None:
        self.depths.clear()
        self.pad = ""

    def _until(self, row: int, delimiter: str) -> int:
        """The row that ends what a delimiter began, or the last."""
        last = row + 1
        while last < len(self.writing.rows) and self.writing.text(last).strip() != delimiter:
            last += 1
        return last

    def _listing(self, row: int, bare: str, language: str) -> int:
        closing = bare[: len(bare) - len(language)] if language else bare
        last = self._until(row, closing)
        given = [part.strip() for part in self.style.split(",")]
        if bare[0] == "+" or given[0].startswith(("stem", "latexmath")):
            language = "math" if given[0].startswith(("stem", "latexmath")) else "html"
        elif len(given) > 1 and given[0].partition("%")[0] in ("source", ""):
            language = given[1]
        elif given[0] in ("mermaid", "plantuml", "graphviz", "ditaa"):
            language = given[0]
        self.style = ""
        self.writing.code(range(row + 1, last), language, self.pad)
        return last + 1

    def _delimiter(self, row: int, bare: str) -> None:
        """Open or close a block that holds others."""
        if self.closings and self.closings[-1][0] == bare:
            self.writing.line(self.closings.pop()[1], row)
            return
        name = self.style.partition(",")[0].strip()
        self.style = ""
        closing = ""
        if name in _LABELS:
            closing = self.writing.boxed(row, name.lower(), name.capitalize(), self.pad)
        elif bare[0] in "=*_":
            closing = self.writing.boxed(row, "note", {"=": "Example", "*": "Aside", "_": "Quote"}[bare[0]], self.pad)
        self.closings.append((bare, closing))

    def _table(self, row: int, bare: str) -> int:
        last = self._until(row, bare)
        style, self.style = self.style, ""
        lines = [self.writing.text(one) for one in range(row + 1, last)]
        cells = [_cells_of(line) for line in lines]
        found = _COLUMNS.search(style)
        first = next((len(one) for one in cells if one), 1)
        width = _column_count(found[1]) if found else first
        flat: list[str] = []
        for line, one in zip(lines, cells, strict=True):
            if one:
                flat += one
            elif flat and line.strip():
                flat[-1] = f"{flat[-1]} {line.strip()}".strip()
        width = max(width, 1)
        rows = [flat[at : at + width] for at in range(0, len(flat), width)]
        has_head = "header" in style or (len(lines) > 1 and bool(lines[0].strip()) and not lines[1].strip())
        head = rows.pop(0) if rows and has_head else [""] * width
        if rows or has_head:
            self.writing.table(row, head, rows, self.pad)
        return last + 1


def _cells_of(line: str) -> list[str]:
    found = list(_CELL.finditer(line))
    ends = [*(one.start() for one in found[1:]), len(line)]
    return [line[one.end() : stop].strip() for one, stop in zip(found, ends[: len(found)], strict=True)]


def _column_count(columns: str) -> int:
    count = 0
    for part in re.split(r"[,;]", columns):
        times = re.match(r"\s*([0-9]+)\*", part)
        count += int(times[1]) if times else 1
    return count
