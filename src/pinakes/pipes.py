"""Messages between us and a process of ours, through bare file descriptors.

Bytes enter at one end and leave at the other as they were. Python's buffered writers were seen to lose bytes when the
whole process group was stopped and continued in the middle of a message, and a loop over `os.write` was not.
"""

from __future__ import annotations

import os

_HEAD = 8


def send(pipe: int, data: bytes) -> None:
    """Write one message; raises `BrokenPipeError` when nobody is left to read it."""
    for part in (len(data).to_bytes(_HEAD, "big"), data):
        left = memoryview(part)
        while left:
            left = left[os.write(pipe, left) :]


def receive(pipe: int, most: int | None = None) -> bytes:
    """The next message, or nothing when the other side is gone, or wants to say more than `most` bytes."""
    head = _take(pipe, _HEAD)
    size = int.from_bytes(head, "big")
    return _take(pipe, size) if head and (most is None or size <= most) else b""


def _take(pipe: int, size: int) -> bytes:
    """Exactly `size` bytes, or nothing when there are fewer."""
    data = bytearray()
    while len(data) < size:
        try:
            part = os.read(pipe, min(size - len(data), 1 << 20))
        except OSError:
            return b""  # closed while waiting
        if not part:
            return b""
        data += part
    return bytes(data)
