"""Text made of pieces of another, which remembers where each piece stood.

A renderer rewrites what the Markdown engine does not know (boxes, tabs, other formats) and still has to name the lines
of the file. Pieces enter with their places; a text leaves, and for each place in it the place before.
"""

from __future__ import annotations

from bisect import bisect_right


class TracedText:
    """A text that grows piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._length = 0

    @classmethod
    def unchanged(cls, body: bytes) -> TracedText:
        """A text that is as it was."""
        made = cls()
        made.add(body, 0)
        return made

    def add(self, piece: bytes, origin: int) -> None:
        """Append a piece that stood at `origin`, or stands for something there."""
        if piece:
            self._pieces.append(piece)
            self._starts.append(self._length)
            self._origins.append(origin)
            self._length += len(piece)

    @property
    def body(self) -> bytes:
        """The whole text."""
        return b"".join(self._pieces)

    def origin(self, position: int) -> int:
        """Where what stands at a position stood before."""
        piece = bisect_right(self._starts, position) - 1
        return self._origins[piece] + position - self._starts[piece] if piece >= 0 else position
