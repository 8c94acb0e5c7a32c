"""What does it say?

Bytes as found enter, a `Document` leaves: sections, anchors, links, code, metadata. No content makes a parser fail.
Where the bytes come from, where links lead and what a document is about are settled in other rooms.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from pinakes.ports import Parser
from pinakes.records import Document, Media, Raw

__all__ = ["parse"]


def parse(raw: Raw) -> Document:
    """Read a document with the parser of its format; an asset is read as plain text."""
    return _parser(raw.stamp.media)(raw)


@cache
def _parser(media: Media) -> Parser:
    # Imported here: a run that meets no drawing should not pay for an XML parser.
    module, _, name = media.parser.partition(":")
    parser: Parser = getattr(import_module(module), name)
    return parser
