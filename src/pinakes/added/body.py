"""The body of a response, never more of it than allowed.

A response enters, its bytes leave, unpacked. The limit counts unpacked bytes, and no more than that is ever unpacked:
a small bomb and a large body end alike.
"""

from __future__ import annotations

import zlib
from http.client import HTTPResponse

from pinakes.errors import Refused, Unreachable

_PIECE = 1 << 16
_GZIP_OR_ZLIB, _BARE = 32 + zlib.MAX_WBITS, -zlib.MAX_WBITS


def read_body(response: HTTPResponse, name: str, most: int) -> bytes:
    """The whole body; raises `Refused` when it is too large or packed in a way nobody asked for, and `Unreachable`
    when it ends early."""
    packing = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip", "deflate"):
        raise Refused(f"{name} is compressed with {packing[:40]}.", "Pinakes can decompress only gzip and deflate.")
    if (response.length or 0) > most:
        raise _too_large(name, most)
    unpacker = None if packing == "identity" else _Unpacker(name, most)
    pieces, size, received = [], 0, 0
    while piece := response.read(_PIECE):
        received += len(piece)
        if unpacker:
            piece = unpacker.unpacked(piece, most + 1 - size)
        pieces.append(piece)
        size += len(piece)
        if size > most or received > most:
            raise _too_large(name, most)
    if response.length or (unpacker and received and not unpacker.is_whole):
        raise Unreachable(f"{name} ended before it was complete.", "Try again later.")
    return b"".join(pieces)


class _Unpacker:
    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self._engine = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._is_first = True

    @property
    def is_whole(self) -> bool:
        return self._engine.eof

    def unpacked(self, piece: bytes, most: int) -> bytes:
        """What a piece holds, `most` bytes of it at most; raises `Refused` when there is more."""
        if self._engine.eof:
            return b""  # what follows the end belongs to nobody
        try:
            data = self._engine.decompress(piece, most)
        except zlib.error:
            if not self._is_first:
                raise Unreachable(f"{self._name} is packed and damaged.", "Try again later.") from None
            # Servers that say deflate and mean it without its header are as old as the web.
            self._engine = zlib.decompressobj(_BARE)
            try:
                data = self._engine.decompress(piece, most)
            except zlib.error:
                raise Unreachable(f"{self._name} is packed and damaged.", "Try again later.") from None
        self._is_first = False
        if self._engine.unconsumed_tail:
            raise _too_large(self._name, self._most)
        return data


def _too_large(name: str, most: int) -> Refused:
    return Refused(f"{name} is larger than {most:,} bytes.", "Add the part that matters.")
