"""Messages of the protocol among bytes: a head that says how long the body is, and the body.

Bytes enter as they come, bodies leave. Whatever stands between messages is skipped: the next head that names a length
is where reading goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

LONGEST = 64_000_000
"""Bytes of one message; a longer one is refused without being kept."""
_LONGEST_HEAD = 65_536
_LENGTH = re.compile(rb"(?i:content-length)[ \t]*:[ \t]*(\d{1,15})[ \t]*(?:\r\n|\Z)")
_END = b"\r\n\r\n"


def bodies(read: Callable[[], bytes]) -> Iterator[bytes | None]:
    """The body of every message until `read` gives nothing more; None for one that has no length or is too long."""
    waiting = bytearray()
    while True:
        end = waiting.find(_END)
        if end < 0:
            if len(waiting) > _LONGEST_HEAD:  # no head is so long: only its last bytes may belong to one
                del waiting[: -len(_END)]
                yield None
            if not (chunk := read()):
                return
            waiting += chunk
            continue
        lengths = _LENGTH.findall(bytes(waiting[:end]))
        del waiting[: end + len(_END)]
        if not lengths:
            yield None
            continue
        length = int(lengths[-1])
        if length > LONGEST:
            yield None
            if not _skip(waiting, length, read):
                return
            continue
        while len(waiting) < length:
            if not (chunk := read()):
                return
            waiting += chunk
        yield bytes(waiting[:length])
        del waiting[:length]


def _skip(waiting: bytearray, length: int, read: Callable[[], bytes]) -> bool:
    """Forget so many bytes, those that are still to come included; returns whether they came."""
    while len(waiting) < length:
        length -= len(waiting)
        waiting.clear()
        if not (chunk := read()):
            return False
        waiting += chunk
    del waiting[:length]
    return True
