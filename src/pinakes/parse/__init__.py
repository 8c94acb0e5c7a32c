"""What does it say?

Bytes as found enter, a `Document` leaves: sections, anchors, links, code, metadata. No content makes a parser fail.
Where the bytes come from, where links lead and what a document is about are settled in other rooms.
"""

from __future__ import annotations

from functools import cache

from pinakes.ports import Parser
from pinakes.records import Document, Media, Raw

__all__ = ["parse"]


def parse(raw: Raw) -> Document:
    """Read a document of any known media; an asset is read as plain text."""
    return _parser(raw.stamp.media)(raw)


@cache
def _parser(media: Media) -> Parser:
    # Imported here: a run that meets no drawing should not pay for an XML parser.
    if media is Media.MARKDOWN:
        from pinakes.parse.markdown import parse_markdown

        return parse_markdown
    if media is Media.SVG:
        from pinakes.parse.svg import parse_svg

        return parse_svg
    if media is Media.COMMIT:
        from pinakes.parse.commit import parse_commit

        return parse_commit
    from pinakes.parse.plain import parse_plain

    return parse_plain
