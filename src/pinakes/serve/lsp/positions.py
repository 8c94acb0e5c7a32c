"""Where a byte of a text is, as an editor counts: a line and a column in units of UTF-8, UTF-16 or UTF-32.

UTF-8 text enters with byte positions or those of an editor, the other kind leaves. Only ``\\n``, ``\\r\\n`` and ``\\r``
end a line, as the protocol says. A position that no text has becomes the nearest one before it.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from itertools import accumulate

from lsprotocol.types import Position, Range

from pinakes.records import Span

UTF_8, UTF_16, UTF_32 = "utf-8", "utf-16", "utf-32"
_WIDTHS = {UTF_16: ("utf-16-le", 2), UTF_32: ("utf-32-le", 4)}


class TextPositions:
    """The lines of one text that does not change."""

    __slots__ = ("_encoding", "_last", "_starts", "text")

    def __init__(self, text: bytes, encoding: str, *, is_file: bool = False) -> None:
        """The text of a file may begin with a byte order mark, which editors take away."""
        self.text = text
        self._encoding = encoding
        self._starts = list(accumulate(map(len, text.splitlines(keepends=True)), initial=0))
        if len(self._starts) > 1 and not text.endswith((b"\n", b"\r")):
            self._starts.pop()  # only a line end begins a further line
        if is_file and text.startswith(codecs.BOM_UTF8):
            self._starts[0] = len(codecs.BOM_UTF8)
        self._last = -1, 0, 0
        """Line, byte and column of the last position asked for: many in one long line are counted once."""

    def __len__(self) -> int:
        """How many lines there are; an empty one after the last line end counts."""
        return len(self._starts)

    def line_at(self, offset: int) -> int:
        """The number of the line, from 0, that holds a byte."""
        return max(bisect_right(self._starts, offset) - 1, 0)

    def line(self, number: int) -> Span:
        """The bytes of a line without its end."""
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        while end > start and self.text[end - 1] in b"\r\n":
            end -= 1
        return Span(start, end)

    def position(self, offset: int) -> Position:
        """Of the letter that holds the byte at `offset`, or of the end of the line when that byte belongs to it."""
        number = self.line_at(offset)
        line = self.line(number)
        offset = min(max(offset, line.start), line.end)
        while line.start < offset < line.end and self.text[offset] & 0xC0 == 0x80:  # within a letter
            offset -= 1
        known, byte, column = self._last
        if known != number or byte > offset:
            byte, column = line.start, 0
        column += self._units(self.text[byte:offset])
        self._last = number, offset, column
        return Position(number, column)

    def range(self, span: Span) -> Range:
        """Of a stretch of bytes."""
        return Range(self.position(span.start), self.position(span.end))

    def line_range(self, number: int) -> Range:
        """Of a whole line without its end; the last line's for a number that is too large."""
        return self.range(self.line(min(max(number, 0), len(self) - 1)))

    def offset(self, position: Position) -> int:
        """The byte at a position. One behind the end of a line means the end, one within a letter its beginning."""
        if position.line >= len(self):
            return len(self.text)
        line = self.line(position.line)
        column = position.character
        text = self.text[line.start : line.end]
        if self._encoding == UTF_8:
            cut = len(text[:column].decode(errors="ignore").encode())
        elif text[: column + 1].isascii():
            cut = min(column, len(text))
        else:
            codec, width = _WIDTHS[self._encoding]
            wide = text.decode(errors="replace").encode(codec)
            cut = len(wide[: column * width].decode(codec, "ignore").encode())
        return line.start + cut

    def _units(self, text: bytes) -> int:
        if self._encoding == UTF_8 or text.isascii():
            return len(text)
        codec, width = _WIDTHS[self._encoding]
        return len(text.decode(errors="replace").encode(codec)) // width
