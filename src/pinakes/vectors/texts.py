"""The text that is embedded for a chunk: where it stands, a blank line, what it says.

A document and one of its chunks enter, a text and its digest leave.
"""

from __future__ import annotations

import hashlib

from pinakes.records import Chunk, Document, Media

DIGEST_BYTES = 16
_STEP = " › "


def embedded_text(document: Document, chunk: Chunk) -> str:
    """`title › heading path`, a blank line, then the chunk's own words.

    A first heading that repeats the title is said once: most pages open with it. A drawing says its labels; its source
    is markup.
    """
    trail = document.trail(chunk.section)
    where = trail if trail and _same(trail[0], document.title) else (document.title, *trail)
    is_drawing = document.stamp.media is Media.SVG
    said = "\n".join(document.sections[chunk.section].keywords) if is_drawing else document.text(chunk.span)
    return f"{_STEP.join(title for title in where if title)}\n\n{said}"


def digest(text: str) -> bytes:
    """Equal texts have equal digests, in every process."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def _same(heading: str, title: str) -> bool:
    return heading.split() == title.split()
