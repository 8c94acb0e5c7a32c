"""Terms and where they stand, as small as a script can carry them.

Counts of terms by chunk enter, shards leave: terms front-coded as text, their chunks as bits in base64. The form is
described where it is read, at the head of `static/search.js`.
"""

from __future__ import annotations

from array import array
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from math import log2
from typing import NamedTuple

SHARD_BYTES = 18_000
"""Of a shard's bits and terms: small ones, because a question of three words loads three of them."""
LENGTH_STEPS = 24
"""Steps of a chunk's length for each time that it doubles."""
MOST_TIMES = 255
"""How often a term counts in a chunk at most."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MOST_SHARED = 25
_LAST_OF_PLANE = "\uffff"

Postings = Mapping[str, "array[int]"]
"""For each term the numbers of its chunks, rising, each followed by how often it stands there."""


class Shard(NamedTuple):
    """Some of the terms, in their order."""

    first: str
    terms: str
    bits: str


def shards(postings: Postings, chunks: int) -> Iterator[Shard]:
    """Every term, in the order in which JavaScript compares texts."""
    names: list[str] = []
    bits: list[str] = []
    size = 0
    for term in sorted(postings, key=lambda text: text.encode("utf-16-be")):
        code = _code(postings[term], chunks)
        names.append(term)
        bits.append(code)
        size += len(code) // 8 + len(term) // 2
        if size >= SHARD_BYTES:
            yield _shard(names, bits)
            names, bits, size = [], [], 0
    if names:
        yield _shard(names, bits)


def packed_lengths(lengths: Sequence[int]) -> str:
    """The lengths of chunks, each in a byte."""
    return b64encode(bytes(min(255, round(LENGTH_STEPS * log2(1 + length))) for length in lengths)).decode()


def vocabulary(postings: Postings) -> tuple[str, str]:
    """The words among the terms, front-coded, and how many chunks have each, as a digit of base 36: for spelling."""
    names = sorted((name for name in postings if name.isalpha()), key=lambda text: text.encode("utf-16-be"))
    counts = "".join(_DIGITS[min(35, round(2 * log2(len(postings[name]) // 2)))] for name in names)
    return _front_coded(names), counts


def _shard(names: Sequence[str], bits: Sequence[str]) -> Shard:
    written = "".join(bits)
    filled = written + "0" * (-len(written) % 8)
    data = int(filled or "0", 2).to_bytes(len(filled) // 8, "big")
    return Shard(names[0], _front_coded(names), b64encode(data).decode())


def _front_coded(names: Sequence[str]) -> str:
    made = []
    before = ""
    for name in names:
        shared = 0
        # Characters beyond the first plane are two units in JavaScript; nothing is shared from the first of them on.
        for one, other in zip(name[:_MOST_SHARED], before, strict=False):
            if one != other or one > _LAST_OF_PLANE:
                break
            shared += 1
        made.append(chr(ord("A") + shared) + name[shared:])
        before = name
    return "".join(made)


def _code(places: array[int], chunks: int) -> str:
    count = len(places) // 2
    k = rice_k(count, chunks)
    above, mask = 1 << k, (1 << k) - 1
    made = [_gamma(count)]
    before = -1
    for chunk, times in zip(places[::2], places[1::2], strict=True):
        step = chunk - before - 1
        before = chunk
        # The last k bits with all their zeros: written with a one before them, which is cut off with Python's `0b`.
        made.append(f"{'1' * (step >> k)}0{bin(above | step & mask)[3:]}{_GAMMAS[times]}")
    return "".join(made)


def rice_k(count: int, chunks: int) -> int:
    """Bits of a step that are written as they are: as many as the mean step has, less one."""
    return max(0, (chunks // count).bit_length() - 1)


def _gamma(number: int) -> str:
    more = number.bit_length() - 1
    return "1" * more + "0" + format(number, "b")[1:]


_GAMMAS = ("", *(_gamma(number) for number in range(1, MOST_TIMES + 1)))
