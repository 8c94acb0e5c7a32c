"""One pass over the lines of a manual page.

Lines of roff enter; the text that a reader sees and where its sections, code and tables begin leave.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from pinakes.parse.manual.escapes import arguments, plain, request_of, without_comment
from pinakes.parse.manual.mdoc import INLINE, inline
from pinakes.parse.marks import note_code, note_table
from pinakes.parse.structure import Contents

_WIDTH = 100
_STEP = 4
_DEEPEST = 40
_BULLETS = frozenset(("•", "-", "*", "o", "+", "·", "○", "□", "–", "—"))
_SPACED = frozenset(("B", "I", "SM", "SB"))
_JOINED = frozenset(("BR", "BI", "IB", "IR", "RB", "RI"))
_PARAGRAPHS = frozenset(("PP", "LP", "P", "Pp", "sp", "HP", "br", "ti"))
_LITERAL = frozenset(("nf", "EX", "DS", "Vb"))
_FILLED = frozenset(("fi", "EE", "DE", "Ve", "Ed"))
_TO_END = {"de": "..", "de1": "..", "am": "..", "ig": "..", "EQ": ".EN", "PS": ".PE"}
"""Requests whose lines are not for readers, up to the one that ends them."""


class ManualReader:
    """Reads one page."""

    def __init__(self) -> None:
        self.found = Contents()
        self.title = ""
        self.description = ""
        self._out: list[bytes] = []
        self._size = 0
        self._words: list[str] = []
        self._tags: list[str] = []
        self._wants_tag = False
        self._indents: list[int] = []
        self._lists: list[str] = []
        self._literal: list[str] | None = None
        self._rows: list[str] | None = None
        self._skips_to = ""
        self._called = ""
        self._section = ""

    def text(self) -> bytes:
        """All that was made so far."""
        return b"".join(self._out)

    def read(self, lines: Sequence[str]) -> None:
        """Read all lines of the page."""
        for line in lines:
            self._step(line)
        self._end_literal()
        self._end_table()
        self._flush()

    def _step(self, written: str) -> None:
        if self._skips_to:
            if written.rstrip() == self._skips_to:
                self._skips_to = ""
            return
        line = without_comment(written)
        request = request_of(line)
        if self._rows is not None:
            if request and request[0] == "TE":
                self._end_table()
            else:
                self._rows.append(line)
        elif request is None:
            self._say(plain(line), is_blank=not written.strip())
        elif request[0]:
            self._request(*request)

    def _request(self, name: str, behind: str) -> None:
        if name in _TO_END:
            self._skips_to = _TO_END[name]
        elif name in ("if", "ie", "el"):
            self._conditional(name, behind)
        elif name in ("SH", "Sh", "SS", "Ss"):
            self._heading(2 if name in ("SS", "Ss") else 1, " ".join(arguments(behind)))
        elif name in ("TH", "Dt"):
            self._name(arguments(behind))
        elif name in _LITERAL or name == "Bd":
            self._begin_literal(is_code=name != "Bd" or "-filled" not in behind)
        elif name in _FILLED:
            self._end_literal()
        elif name == "TS":
            self._flush()
            self._rows = []
        else:
            self._layout(name, behind)

    def _layout(self, name: str, behind: str) -> None:
        if name in _PARAGRAPHS:
            self._paragraph(name)
        elif name in ("TP", "IP", "TQ", "It"):
            self._item(name, arguments(behind))
        elif name in ("RS", "RE"):
            self._flush()
            self._tags.clear()
            self._indents[-1:] = [] if name == "RE" else [*self._indents[-1:], _STEP]
        elif name in ("Bl", "El"):
            self._list(name, behind)
        elif name in ("UR", "MT", "Dl", "D1", "so") or name in _SPACED:
            self._say(" ".join(arguments(behind)))
        elif name in _JOINED or name == "SY":
            self._say("".join(arguments(behind)))
        elif name == "OP":
            self._say(f"[{' '.join(arguments(behind))}]")
        elif name in INLINE:
            self._inline(name, arguments(behind))
        elif name[:1] == "%":
            self._say(" ".join(arguments(behind)))

    def _conditional(self, name: str, behind: str) -> None:
        """What a terminal shows of ``.if n text``; what printers do is passed over."""
        condition, _, rest = behind.partition(" ")
        if rest.lstrip().startswith("\\{") and "\\}" not in rest:
            self._skips_to = ".\\}"
        elif condition == "n" and name != "el" and not rest.lstrip().startswith("\\{"):
            self._step(rest.lstrip())

    def _name(self, given: Sequence[str]) -> None:
        if given and not self.title:
            name = given[0].lower() if given[0].isupper() else given[0]
            self.title = f"{name}({given[1]})" if len(given) > 1 else name

    def _heading(self, level: int, title: str) -> None:
        self._end_literal()
        self._flush()
        self._tags.clear()
        self._indents.clear()
        self._lists.clear()
        title = " ".join(title.split())
        if title:
            self._section = title.casefold() if level == 1 else self._section
            self.found.headings.append((self._size, level, [title]))
            self._emit(title + "\n\n")

    def _paragraph(self, name: str) -> None:
        if self._literal is not None:
            self._literal.append("")
            return
        self._flush()
        if name not in ("br", "sp", "ti") and not self._lists:
            self._tags.clear()

    def _item(self, name: str, given: Sequence[str]) -> None:
        self._end_literal()
        if name == "TQ":
            self._wants_tag = True
            return
        self._flush()
        self._tags.clear()
        if name == "TP":
            self._wants_tag = True
        elif name == "It" and given:
            self._tags.append(inline("No", [word for word in given if word not in ("Xo", "Xc")], self._called))
        elif name == "It":
            self._tags.append("•")
        else:
            self._tags.append(given[0] if given else "")

    def _list(self, name: str, behind: str) -> None:
        self._flush()
        self._tags.clear()
        if name == "Bl":
            if self._lists:
                self._indents.append(_STEP)
            self._lists.append(behind)
        elif self._lists:
            self._lists.pop()
            if self._lists and self._indents:
                self._indents.pop()

    def _inline(self, name: str, given: Sequence[str]) -> None:
        if name == "Nm":
            self._called = self._called or (given[0] if given else "")
            if self._section == "synopsis":
                self._flush()
        said = inline(name, given, self._called)
        self._say(said)
        if name == "Nd":
            self.description = said.removeprefix("– ")

    def _say(self, text: str, *, is_blank: bool = False) -> None:
        if self._literal is not None:
            self._literal.append(text)
        elif is_blank:
            self._flush()
        elif self._wants_tag:
            self._wants_tag = False
            self._tags.append(" ".join(text.split()))
        elif text.strip():
            self._words.append(text)

    def _begin_literal(self, *, is_code: bool) -> None:
        self._end_literal()
        self._flush()
        if is_code:
            self._literal = []

    def _end_literal(self) -> None:
        lines, self._literal = self._literal, None
        if lines is None or not any(map(str.strip, lines)):
            return
        begin = self._size
        pad = " " * self._indent
        self._emit("".join(f"{pad}{line}".rstrip() + "\n" for line in lines).strip("\n") + "\n")
        note_code(self.found, begin, self._size, "")
        self._emit("\n")

    def _end_table(self) -> None:
        rows, self._rows = self._rows, None
        if rows is None:
            return
        head = next((at for at, row in enumerate(rows) if row.rstrip().endswith(".")), len(rows))
        shown = [_cells(row) for row in rows[head + 1 :] if row.strip("_= \t") and row[:1] not in (".", "'")]
        if shown:
            note_table(self.found)
            self._emit("".join(f"| {' | '.join(cells)} |\n" for cells in shown) + "\n")

    @property
    def _indent(self) -> int:
        return min(sum(self._indents), _DEEPEST)

    def _flush(self) -> None:
        """Write the paragraph down that was said so far."""
        words, self._words = self._words, []
        tags = [tag for tag in self._tags if tag]
        if not words and not (tags and not self._wants_tag and self._has_unsaid_tag()):
            return
        pad, inner = " " * self._indent, " " * (self._indent + _STEP)
        text = " ".join(" ".join(words).split())
        if not self.description and self._section == "name" and " - " in text:
            self.description = text.partition(" - ")[2]
        if tags and all(tag in _BULLETS for tag in tags):
            made = _filled(text, f"{pad}- ", f"{pad}  ")
        elif self._tags:
            body = _filled(text, inner, inner)
            made = "\n".join([*(pad + tag for tag in tags), *([body] if text else [])])
            self._tags = [""]  # what follows stands below the same tag
        else:
            made = _filled(text, pad, pad)
        self._emit(made + "\n\n")

    def _has_unsaid_tag(self) -> bool:
        return any(tag not in _BULLETS for tag in self._tags if tag)

    def _emit(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        self._out.append(data)
        self._size += len(data)


def _filled(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _cells(row: str) -> list[str]:
    return [" ".join(plain(cell).replace("T{", "").replace("T}", "").split()) for cell in row.split("\t")]
