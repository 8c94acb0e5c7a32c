"""The text that is embedded for a chunk: where it stands, a blank line, what it says.

A document and one of its chunks enter, a text and its digest leave. A change to what is said here is a change of
`layout.FORMAT`, so that all of it is embedded anew.
"""

from __future__ import annotations

import hashlib

from pinakes.prose import chunk_text
from pinakes.records import Chunk, Document, repeated_title

DIGEST_BYTES = 16
_STEP = " › "


def embedded_text(document: Document, chunk: Chunk) -> str:
    """`title › heading path`, a blank line, then the chunk's own words.

    A first heading that repeats the title is said once: most pages open with it. A drawing says its labels; its source
    is markup.
    """
    trail, page = document.trail(chunk.section), repeated_title(document.title)
    where = trail if trail and _same(trail[0], page) else (page, *trail)
    return f"{_STEP.join(title for title in where if title)}\n\n{chunk_text(document, chunk)}"


def digest(text: str) -> bytes:
    """Equal texts have equal digests, in every process."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def _same(heading: str, title: str) -> bool:
    return heading.split() == title.split()
