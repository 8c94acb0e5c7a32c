"""Responses that come to an end, or at least to the end of an event.

A response of a server enters; the client packages then read it through a stream that fails where an event, or the body
of a refusal, becomes too long. The packages gather these in memory without a limit of their own, and a server that
sends a line without an end would take all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 16_000_000
"""Of an event; an answer that comes in one piece is one."""
_MOST_COPIED = 4_000_000_000
"""Bytes: the packages copy an event once more with each of its lines."""
_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")


def bound(response: httpx2.Response) -> None:
    """Have whoever reads a response meet `httpx2.RemoteProtocolError` where it has no end."""
    import httpx2

    class BoundedBytes(httpx2.SyncByteStream):
        """The bytes of another stream."""

        def __init__(self, stream: httpx2.SyncByteStream, *, is_stream_of_events: bool) -> None:
            self._stream = stream
            self._ends = _ENDS if is_stream_of_events else ()

        def __iter__(self) -> Iterator[bytes]:
            size, lines, tail = 0, 0, b""
            for piece in self._stream:
                seen = tail + piece
                end = max((place + len(mark) for mark in self._ends if (place := seen.rfind(mark)) >= 0), default=0)
                if end > len(tail):
                    size, lines = len(seen) - end, seen.count(b"\n", end)
                else:
                    size, lines = size + len(piece), lines + piece.count(b"\n")
                tail = seen[-3:]
                if size > MOST_BYTES or size * lines > _MOST_COPIED:
                    raise httpx2.RemoteProtocolError("what the server sends has no end")
                yield piece

        def close(self) -> None:
            self._stream.close()

    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = BoundedBytes(response.stream, is_stream_of_events=response.is_success)
