"""reStructuredText as Markdown, for the renderer: what most documents use, and everything else as it is written.

A document enters; a text in Markdown leaves that remembers its places. Nothing is carried out: no file is included, no
role is run, no name is looked up.
"""

from __future__ import annotations

import re

from pinakes.html.clean import OwnMarkup
from pinakes.html.traced_text import TracedText
from pinakes.html.translation import Translation, escaped
from pinakes.records import Document

_DIRECTIVE = re.compile(r"(\s*)\.\.\s+([\w:+.-]+)::\s*(.*)\Z")
_EXPLICIT = re.compile(r"\s*\.\.(?:\s|\Z)")
_SUBSTITUTION = re.compile(r"\s*\.\.\s+\|")
_FOOTNOTE = re.compile(r"(\s*)\.\.\s+\[([#*\w.-]+)\]\s+(.*)\Z")
_OPTION = re.compile(r"\s+:[\w-]+:")
_FIELD = re.compile(r"(\s*):([^:`]{1,80}):(?:\s+(.*))?\Z")
_SIMPLE = re.compile(r"\s*=+(?:\s+=+)+\s*\Z")
_GRID = re.compile(r"\s*\+[-=][-=+]*\+\s*\Z")
_ITEM = re.compile(r"(\s*)(?:([-*+•])|(?:\(?(?:[0-9]{1,9}|#|[a-zA-Z])[.)]))\s+(?=\S)")
_ORNAMENT = re.compile(r"([!-/:-@\[-`{-~])\1{3,}\Z")
_CODE = frozenset(("code-block", "code", "sourcecode", "parsed-literal", "prompt", "highlight-block", "ipython"))
_DIAGRAMS = frozenset(("mermaid", "graphviz", "digraph", "uml", "plantuml"))
_BOXES = frozenset(
    """note tip hint warning caution attention danger error important seealso admonition todo
    versionadded versionchanged deprecated topic sidebar""".split()  # noqa: SIM905
)
_TITLED = frozenset(("admonition", "topic", "sidebar"))
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since",
}
_SILENT = frozenset(
    """contents index highlight currentmodule module default-role meta only tags sectionauthor codeauthor role
    automodule autoclass autofunction rubric-none title""".split()  # noqa: SIM905
)
_LINKED = frozenset(("image", "figure", "include", "literalinclude"))
_INLINE = re.compile(
    r"``(?P<code>.+?)``|:math:`(?P<math>[^`]+)`|:[\w:+.-]+:`(?P<role>[^`]+)`|`(?P<phrase>[^`]+)`_{0,2}"
    r"|(?P<strong>\*\*[^*\n]+\*\*)|(?P<emphasis>\*[^*\s][^*\n]*\*)|\[(?P<note>[#*\w.-]+)\]_"
    r"|(?P<reference>\b\w[\w.-]*[^\W_])_\b(?!\w)|\|(?P<substitution>[^|\s][^|\n]*)\|_{0,2}|\\(?P<escape>.)|(?P<sign>[<_*\[\]])"
)
_TOO_DEEP = 20


def rst_as_markdown(document: Document, seal: OwnMarkup) -> TracedText:
    """The body of a document in Markdown."""
    writing = Translation(document, seal, _inline)
    _Rst(writing).block(0, len(writing.rows), 0, "")
    return writing.made


def _inline(words: str) -> str:
    return _INLINE.sub(_signs, words)


def _signs(found: re.Match[str]) -> str:
    kind = found.lastgroup
    words = found[kind] if kind else ""
    if kind == "code":
        return f"`` {words} ``" if "`" in words else f"`{words}`"
    if kind == "math":
        return f"${words}$"
    if kind == "role":
        shown = words.partition("<")[0].strip() or words.strip("<>")
        return f"`{shown.lstrip('~!').rpartition('.')[2] if words.startswith('~') else shown.lstrip('~!')}`"
    if kind == "phrase":
        return f"*{escaped(words.partition(' <')[0])}*"
    if kind == "note":
        return f"\\[{words}\\]"
    if kind in ("reference", "substitution"):
        return escaped(words)
    if kind == "escape":
        return escaped(words) if words.strip() else ""
    if kind == "sign":
        return f"\\{words}"
    return found[0]


class _Rst:
    """One pass over the rows; blocks inside of directives are passed over in their turn."""

    def __init__(self, writing: Translation) -> None:
        self.writing = writing

    def block(self, row: int, end: int, indent: int, pad: str, depth: int = 0) -> None:
        """Rows up to `end`, which stand at `indent` or deeper; each line written gets `pad`."""
        while row < end:
            row = self._step(row, end, indent, pad, depth)

    def _step(self, row: int, end: int, indent: int, pad: str, depth: int) -> int:
        writing, text = self.writing, self.writing.text(row)
        if not text.strip():
            writing.line("", row)
            return row + 1
        if row in writing.headings and indent == 0:
            writing.heading(row)
            return row + (3 if _ORNAMENT.match(text.strip()) else 2)
        if depth < _TOO_DEEP and (found := _DIRECTIVE.match(text)):
            return self._directive(row, found, pad, depth)
        if found := _FOOTNOTE.match(text):
            writing.line("", row)
            writing.words(row, found.start(3), f"{pad}[{found[2]}] ".replace("[", "\\["))
            return row + 1
        if _EXPLICIT.match(text):
            return self._indented_end(row + 1, end, _indent(text))
        if _SIMPLE.match(text):
            return self._simple_table(row, end, pad)
        if _GRID.match(text) or text.lstrip().startswith(">>> "):
            last = row
            while last < end and writing.text(last).strip():
                last += 1
            writing.code(range(row, last), "pycon" if text.lstrip().startswith(">>>") else "", pad)
            return last
        if text.strip() == "::":
            return self._literal(row + 1, end, _indent(text), pad)
        if _ORNAMENT.match(text.strip()):
            writing.line("\n---\n", row, "")
            return row + 1
        return self._words(row, end, indent, pad, depth)

    def _words(self, row: int, end: int, indent: int, pad: str, depth: int) -> int:
        """A row of prose, of a list, of a field, or the term of a definition."""
        writing, text = self.writing, self.writing.text(row)
        here = min(_indent(text), len(text))
        inner = " " * max(0, here - indent)
        if writing.is_inside_link(row):
            return row + 1
        announces = text.endswith("::") and not text.endswith(":::")
        if found := _FIELD.match(text):
            writing.line("", row)
            writing.made.add(f"{pad}{inner}- **{escaped(found[2])}** ".encode(), writing.starts[row])
            writing.words(row, found.start(3) if found[3] else len(text))
        elif text.lstrip().startswith("| "):
            goes_on = writing.text(row + 1).lstrip().startswith("| ")
            writing.words(row, here + 2, f"{pad}{inner}", "\\" if goes_on else "")
        elif found := _ITEM.match(text):
            mark = f"{found[2] if found[2] and found[2] != '•' else '-' if found[2] else '1.'} "
            writing.words(row, found.end(), f"{pad}{inner}{mark}")
        elif depth < _TOO_DEEP and self._is_term(row, here):
            writing.words(row, here, f"\n{pad}{inner}**", "**\\")
            stop = self._indented_end(row + 1, end, here)
            self.block(row + 1, stop, self._indent_of(row + 1, stop), f"{pad}{inner}", depth + 1)
            return stop
        else:
            writing.words(row, here, f"{pad}{inner}", less=int(announces))
        if announces:
            return self._literal(row + 1, end, here, f"{pad}{inner}{'  ' if _ITEM.match(text) else ''}")
        return row + 1

    def _is_term(self, row: int, here: int) -> bool:
        """Whether a row is the term of a definition: alone, and what follows at once stands deeper."""
        below = self.writing.text(row + 1)
        is_first = row == 0 or not self.writing.text(row - 1).strip() or _indent(self.writing.text(row - 1)) > here
        return bool(below.strip()) and _indent(below) > here and is_first

    def _directive(self, row: int, found: re.Match[str], pad: str, depth: int) -> int:
        writing = self.writing
        here, name, argument = len(found[1].expandtabs()), found[2].lower(), found[3].strip()
        end = self._indented_end(row + 1, len(writing.rows), here)
        first = row + 1
        while first < end and _OPTION.match(writing.text(first)):
            first += 1
        inner = self._indent_of(first, end)
        if name in _SILENT or _SUBSTITUTION.match(writing.text(row)):
            return end
        if name in _CODE | _DIAGRAMS:
            language = "dot" if name == "digraph" else name if name in _DIAGRAMS else argument.partition(" ")[0]
            writing.code(range(first, end), language or "text", pad)
        elif name == "math":
            self._formula(row, argument, range(first, end), pad)
        elif name == "toctree":
            for one in range(first, end):
                if writing.text(one).strip():
                    writing.words(one, _indent(writing.text(one)), f"{pad}- ")
        elif name == "raw":
            writing.code(range(first, end), argument, pad)
        else:
            closing = self._opened(row, name, found, pad)
            self.block(first, end, inner, pad, depth + 1)
            writing.line(closing, max(end - 1, row))
        return max(end, row + 1)

    def _opened(self, row: int, name: str, found: re.Match[str], pad: str) -> str:
        """Write what stands on the row of a directive that holds text; gives the line that closes it."""
        writing, argument = self.writing, found[3].strip()
        if name in _BOXES:
            closing = writing.boxed(row, name, _title_of(name, argument), pad)
            if argument and name not in _VERSIONS and name not in _TITLED:
                writing.words(row, found.start(3), pad)
            return closing
        writing.line("", row)
        if name in _LINKED:
            writing.words(row, found.start(3), pad)
        elif name == "rubric":
            writing.line(f"{pad}**{escaped(argument)}**\n", row)
        elif argument:
            writing.line(f"{pad}**`{argument.replace('`', '')}`**\n", row)
        return ""

    def _formula(self, row: int, argument: str, rows: range, pad: str) -> None:
        self.writing.line(f"\n{pad}```math", row)
        if argument:
            self.writing.line(argument, row, pad)
        for one in rows:
            self.writing.line(self.writing.text(one).strip(), one, pad)
        self.writing.line("```\n", row, pad)

    def _literal(self, row: int, end: int, here: int, pad: str) -> int:
        last = self._indented_end(row, end, here)
        self.writing.code(range(row, last), "text", pad)
        return max(last, row)

    def _simple_table(self, row: int, end: int, pad: str) -> int:
        writing = self.writing
        ruler = writing.text(row)
        columns = [found.span() for found in re.finditer(r"=+", ruler)]
        last = row + 1
        rulers: list[int] = []
        while last < end and (writing.text(last).strip() or not rulers):
            if _SIMPLE.match(writing.text(last)):
                rulers.append(last)
                if last + 1 >= end or not writing.text(last + 1).strip():
                    break
            last += 1
        if not rulers:
            writing.code(range(row, last), "", pad)
            return max(last, row + 1)
        bottom = rulers[-1]
        head = _table_rows(writing, columns, row + 1, rulers[0]) if len(rulers) > 1 else []
        rows = _table_rows(writing, columns, rulers[0] + 1 if head else row + 1, bottom)
        writing.table(row, head[0] if head else [""] * len(columns), [*head[1:], *rows], pad)
        return bottom + 1

    def _indented_end(self, row: int, end: int, indent: int) -> int:
        """The row after the last that stands deeper than `indent`."""
        last = row
        while row < end:
            text = self.writing.text(row)
            if text.strip():
                if _indent(text) <= indent:
                    break
                last = row + 1
            row += 1
        return last

    def _indent_of(self, row: int, end: int) -> int:
        found = [_indent(self.writing.text(one)) for one in range(row, end) if self.writing.text(one).strip()]
        return min(found, default=0)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _title_of(name: str, argument: str) -> str:
    if name in _VERSIONS:
        return f"{_VERSIONS[name]} {argument}"
    if name in _TITLED and argument:
        return argument
    return "See also" if name == "seealso" else name.capitalize()


def _table_rows(writing: Translation, columns: list[tuple[int, int]], row: int, end: int) -> list[list[str]]:
    """The cells of a simple table; a row without a first cell goes on with the row above."""
    rows: list[list[str]] = []
    for one in range(row, end):
        text = writing.text(one)
        if not text.strip() or set(text.strip()) <= set("- "):
            continue
        edges = [*(start for start, _ in columns[1:]), max(len(text), columns[-1][1])]
        cells = [text[start:stop].strip() for (start, _), stop in zip(columns, edges, strict=True)]
        if not cells[0] and rows:
            rows[-1] = [f"{before} {more}".strip() for before, more in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return rows
