"""A shard of a published index of words, unpacked: the reverse of `pinakes.publish.packing`.

Text enters, terms with their chunks leave.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Sequence

TermPlaces = Sequence[tuple[int, int]]
"""The chunks that hold a term, and how often it stands in each."""

_ROW = re.compile("([A-Z])([^A-Z]*)")


def unfolded(written: str) -> list[str]:
    """Terms that are front-coded: a capital says how many characters are those of the term before."""
    names: list[str] = []
    before = ""
    for shared, rest in _ROW.findall(written):
        before = before[: ord(shared) - ord("A")] + rest
        names.append(before)
    return names


class UnpackedShard:
    """Some of the terms."""

    def __init__(self, written: str, packed: str, chunks: int) -> None:
        bits = _Bits(b64decode(packed))
        self._held: dict[str, TermPlaces] = {}
        for name in unfolded(written):
            count = bits.gamma()
            k = max(0, (chunks // count).bit_length() - 1)
            chunk, rows = -1, []
            for _ in range(count):
                chunk += bits.rice(k) + 1
                rows.append((chunk, bits.gamma()))
            self._held[name] = rows

    def of(self, term: str) -> TermPlaces | None:
        """Where a term stands; None when it stands nowhere."""
        return self._held.get(term)


class _Bits:
    """A row of bits that is read from its beginning."""

    def __init__(self, data: bytes) -> None:
        self._text = f"{int.from_bytes(data, 'big'):0{8 * len(data)}b}" if data else ""
        self._at = 0

    def rice(self, k: int) -> int:
        return (self._ones() << k) | self._number(k)

    def gamma(self) -> int:
        more = self._ones()
        return (1 << more) | self._number(more)

    def _ones(self) -> int:
        end = self._text.index("0", self._at)
        found = end - self._at
        self._at = end + 1
        return found

    def _number(self, count: int) -> int:
        if not count:
            return 0
        found = int(self._text[self._at : self._at + count], 2)
        self._at += count
        return found
