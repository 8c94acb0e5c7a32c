"""Which line does a byte stand on?

UTF-8 bytes enter; line starts and line numbers leave. Only ``\\n``, ``\\r\\n`` and ``\\r`` end a line: `str.splitlines`
would also split at form feeds and U+2028 and shift every number after them.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


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
