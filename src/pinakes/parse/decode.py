"""Any bytes become UTF-8 text, and its lines are numbered.

Bytes as found enter; UTF-8 bytes leave, with the place where the text starts and what had to be changed. Clean UTF-8 is
handed back as it is, so that every span of the parsed document is also a span of the file. Only ``\\n``, ``\\r\\n`` and
``\\r`` end a line: `str.splitlines` would also split at form feeds and U+2028 and shift every number after them. What
the text means is not known here.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from itertools import accumulate

from msgspec import Struct

_WIDE = (
    # The marks of UTF-32 first: the little-endian one begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


class Decoded(Struct, frozen=True):
    """Text that can be parsed."""

    source: bytes
    """Valid UTF-8 without NUL; a byte order mark of the file stays."""
    text: str
    """`source` from `start` on, as characters."""
    start: int
    """Where the text begins in `source`: after the byte order mark, if there is one."""
    warnings: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """Read bytes as UTF-8, or as UTF-16 or UTF-32 when they begin with the mark of one; never fails."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _mended(data)
    return _mended(data) if "\x00" in text or text[:1] == "\ufeff" else Decoded(data, text, 0)


def _mended(data: bytes) -> Decoded:
    warnings: list[str] = []
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    for mark, codec, name in () if start else _WIDE:
        if data.startswith(mark):
            data = data[len(mark) :].decode(codec, "replace").encode("utf-8", "replace")
            warnings.append(f"The file is {name}; it was read as text and its positions are those of the UTF-8 form.")
            break
    try:
        text = data[start:].decode("utf-8")
    except UnicodeDecodeError:
        text = data[start:].decode("utf-8", "replace")
        data = data[:start] + text.encode()
        warnings.append("Some bytes are not UTF-8; they were replaced by U+FFFD.")
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
        data = data[:start] + text.encode()
        warnings.append("The file holds NUL characters; they were replaced by U+FFFD.")
    return Decoded(data, text, start, tuple(warnings))


class Lines:
    """The lines of one text, found once; line numbers count from 0."""

    __slots__ = ("_size", "starts")

    def __init__(self, source: bytes) -> None:
        self._size = len(source)
        self.starts = _line_starts(source)
        """Where each line begins. A text that ends with a line end has no further, empty line."""

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, position: int) -> int:
        """The number of the line that holds the byte at `position`."""
        return bisect_right(self.starts, position) - 1

    def until(self, position: int) -> int:
        """The number of lines that begin before `position`: the end, exclusive, of a span of lines."""
        return bisect_right(self.starts, position - 1) if position > 0 else 0

    def end(self, line: int) -> int:
        """Where the line stops, its line end included."""
        return self.starts[line + 1] if line + 1 < len(self.starts) else self._size


def _line_starts(source: bytes) -> list[int]:
    # Unlike that of text, the splitlines of bytes knows exactly the three line ends above.
    starts = list(accumulate(map(len, source.splitlines(keepends=True)), initial=0))
    if len(starts) > 1:
        starts.pop()
    return starts
