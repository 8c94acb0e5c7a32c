"""Which files are documents, by their names alone. Contents are never looked at."""

from __future__ import annotations

from pinakes.records import Media

_ENDINGS = {
    "md": Media.MARKDOWN,
    "markdown": Media.MARKDOWN,
    "mdx": Media.MARKDOWN,
    "svg": Media.SVG,
    "txt": Media.TEXT,
    "rst": Media.RST,
    "adoc": Media.ASCIIDOC,
    "asciidoc": Media.ASCIIDOC,
    "org": Media.ORG,
}
_BARE = {"readme", "license", "changelog"}


def media_of(name: str) -> Media:
    """What a file is by its name; hidden files and unknown endings are assets."""
    _, dot, ending = name.rpartition(".")
    if not dot:
        return Media.TEXT if name.lower() in _BARE else Media.ASSET
    media = _ENDINGS.get(ending) or _ENDINGS.get(ending.lower())
    return media if media is not None and name[0] != "." else Media.ASSET
