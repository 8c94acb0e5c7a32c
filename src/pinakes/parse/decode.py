"""Any bytes become UTF-8 text, and its lines are numbered.

Bytes as found enter; UTF-8 bytes leave, with the place where the text starts and what had to be changed. Clean UTF-8 is
handed back as it is, so that every span of the parsed document is also a span of the file; other character sets are
recognised and converted. Only ``\\n``, ``\\r\\n`` and
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
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAIL = b"\x1b$"
"""What begins Japanese in ASCII."""


class Decoded(Struct, frozen=True):
    """Text that can be parsed."""

    source: bytes
    """Valid UTF-8 without NUL; a byte order mark of the file stays."""
    text: str
    """`source` from `start` on, as characters."""
    start: int
    """Where the text begins in `source`: after the byte order mark, if there is one."""
    warnings: tuple[str, ...] = ()


def decode(data: bytes, stated: str = "") -> Decoded:
    """Read bytes as UTF-8, or in the character set that their mark, they themselves or `stated` name, or that they turn
    out to be in; never fails."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _converted(data, stated)
    if text[:1] == "\ufeff":
        return _without_zeros(data, text[1:], len(codecs.BOM_UTF8), ())
    return _converted(data, stated) if "\x00" in text or _MAIL in data else Decoded(data, text, 0)


def _converted(data: bytes, stated: str) -> Decoded:
    """What is not clean UTF-8."""
    from pinakes.parse.charset import charset_of, name_of_charset

    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    mark, codec = next((wide for wide in _WIDE if data.startswith(wide[0])), (b"", ""))
    codec = codec or ("" if start else charset_of(data, stated))
    text = data[start + len(mark) :].decode(codec or "utf-8", "replace")
    warnings = []
    if codec:
        name = name_of_charset(codec)
        warnings.append(f"The file is {name}; it was read as text and its positions are those of the UTF-8 form.")
    if "\ufffd" in text and (not codec or "\ufffd".encode(codec, "ignore") not in data[start:]):
        warnings.append(f"Some bytes are not {name if codec else 'UTF-8'}; they were replaced by U+FFFD.")
    if codec or warnings:
        data = data[:start] + text.encode("utf-8", "replace")
        text = data[start:].decode()
    return _without_zeros(data, text, start, tuple(warnings))


def _without_zeros(data: bytes, text: str, start: int, warnings: tuple[str, ...]) -> Decoded:
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
        data = data[:start] + text.encode()
        warnings += ("The file holds NUL characters; they were replaced by U+FFFD.",)
    return Decoded(data, text, start, warnings)


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
