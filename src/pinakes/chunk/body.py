"""A document's source as chunking sees it, with one kind of line end.

Bytes of equal length leave, so that every position stays true.
"""

from __future__ import annotations

import re

_LONE_CR = re.compile(rb"\r(?!\n)")


def with_line_feeds(source: bytes) -> bytes:
    """The source with a line feed at every line end; carriage returns remain before line feeds only."""
    return _LONE_CR.sub(b"\n", source) if b"\r" in source else source
