"""How a document is built: its blocks, and what of its source is markup and not text.

A page of documentation has a block for every hundred bytes and as many marks. As objects they would outweigh the text,
so a `Structure` holds them as packed numbers: bytes that travel between processes and into a store as they are. `pack`
and `unpack` describe the format; what is unpacked is remembered for the few documents that were asked for last.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import accumulate
from operator import add, sub
from typing import NamedTuple

from msgspec import Struct

from pinakes.records.address import Span


class BlockKind(IntEnum):
    """What a block is. The numbers are stored: new ones are added at the end."""

    PARAGRAPH = 0
    HEADING = 1
    ITEM = 2
    """Of a list, with all it holds."""
    QUOTE = 3
    TABLE = 4
    CODE = 5
    HTML = 6
    FOOTNOTE = 7


class Block(NamedTuple):
    """A stretch of `Document.source` that the notation treats as one."""

    kind: BlockKind
    span: Span


class Structure(Struct, frozen=True):
    """The blocks and marks of a document, packed; positions are bytes of `Document.source`."""

    blocks: bytes = b""
    """Start after the start of the block before, length and kind of each block, in reading order; a block that holds
    others comes before them."""
    hidden: bytes = b""
    """Start and end of every stretch that a reader of the page does not see: marks, destinations of links, comments,
    frontmatter, and the blank lines between blocks."""
    verbatim: bytes = b""
    """Start and end of every visible stretch inside a paragraph that is no prose: code and formulas."""


def pack(numbers: Sequence[int]) -> bytes:
    """Numbers of 0 and above, in two bytes each where all of them fit and else in four; the first byte says which."""
    try:
        return b"H" + struct.pack(f"<{len(numbers)}H", *numbers) if numbers else b""
    except struct.error:
        return b"I" + struct.pack(f"<{len(numbers)}I", *numbers)


def unpack(packed: bytes) -> Sequence[int]:
    """The numbers that `pack` was given; raises ValueError for bytes it never made."""
    if not packed:
        return ()
    numbers = array("H" if packed[:1] == b"H" else "I")
    numbers.frombytes(packed[1:])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def pack_blocks(blocks: Sequence[int], offset: int) -> bytes:
    """Start, end and kind of each block by turns, ordered by start, each moved by `offset`."""
    starts, ends = blocks[::3], blocks[1::3]
    flat = list(blocks)
    flat[::3] = map(sub, starts, [-offset, *starts])
    flat[1::3] = map(sub, ends, starts)
    return pack(flat)


def pack_spans(edges: Sequence[int], offset: int) -> bytes:
    """Starts and ends by turns, rising, each moved by `offset`."""
    return pack([*map(sub, edges, [-offset, *edges])])


@lru_cache(maxsize=16)
def block_table(packed: bytes) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """The starts, the ends and the kinds of the blocks that `pack_blocks` was given, at their places in the source."""
    numbers = unpack(packed)
    starts = list(accumulate(numbers[::3]))
    return starts, list(map(add, starts, numbers[1::3])), numbers[2::3]


@lru_cache(maxsize=16)
def unpacked_blocks(packed: bytes) -> tuple[Block, ...]:
    """What `pack_blocks` was given, at its place in the source."""
    starts, ends, kinds = block_table(packed)
    return tuple(map(Block, map(tuple(BlockKind).__getitem__, kinds), map(Span, starts, ends)))


@lru_cache(maxsize=32)
def unpacked_spans(packed: bytes) -> tuple[Sequence[int], Sequence[int]]:
    """The starts and the ends of the spans that `pack_spans` was given, at their places in the source."""
    edges = array("I", accumulate(unpack(packed)))
    return edges[::2], edges[1::2]
