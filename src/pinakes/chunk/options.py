"""How long chunks may be, and the name under which chunks made like that are kept."""

from __future__ import annotations

import hashlib

from msgspec import Struct
from msgspec.structs import astuple

_RECIPE = "3"
"""Changes with every change to where texts are cut, so that older chunks are made again."""


class ChunkOptions(Struct, frozen=True):
    """How long chunks may be."""

    section_chars: int = 2000
    """The most characters of one hit; longer sections are split between blocks."""
    passage_chars: int = 600
    """Characters of a passage, which is compared by meaning; a chunk that fits in one has no passages."""
    plain_tokens: int = 768
    """Tokens of a chunk of plain text, which has no sections."""
    plain_overlap: float = 0.1
    """Share of such a chunk that repeats the end of the previous one, because plain text does not show where a
    thought ends."""


def fingerprint(options: ChunkOptions) -> str:
    """Equal fingerprints give equal chunks for equal documents."""
    return hashlib.blake2b(repr((_RECIPE, astuple(options))).encode(), digest_size=8).hexdigest()
