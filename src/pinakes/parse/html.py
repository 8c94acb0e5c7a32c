"""Links and anchors inside HTML and JSX tags, and where tables end.

A stretch of bytes that is HTML enters; where its tags point and which ids they carry leaves. It is no HTML parser: it
reads tags one after another, in linear time, and knows nothing of how they nest.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Literal, NamedTuple

from pinakes.records import BlockKind

_TAG = re.compile(
    rb"<(?:!--(?:.*?-->|.*)|(?i:(script|style|textarea)\b(?:.*?</\1|.*))|([A-Za-z][\w.:-]*)(?=[\s/]))", re.DOTALL
)
_ATTRIBUTE = re.compile(rb"""[\s"'/]([A-Za-z_:@][\w:.@-]*)\s*=\s*("[^"]*"|'[^']*'|\{[^{}<>]*\}|[^\s"'=<>`]+)|>""")
_UNSEEN = re.compile(
    rb"<!--(?:.*?-->|.*)|<(?i:(script|style|svg)\b(?:.*?</\1\s*>|.*))"
    # A quoted value may hold the signs of a tag; a quote alone means nothing.
    rb"|<[/!?a-zA-Z](?:(?:[^<>\"']++|\"[^\"]{0,2000}\"|'[^']{0,2000}'){0,200}+>|[^<>]*>)",
    re.DOTALL,
)
_CODE = re.compile(
    # It stops at the first sign that could open another of its kind: a run of openings costs no more than text.
    rb"<(code|pre|kbd|samp)\b[^<>]{0,400}>([^<]{0,4000}+(?:<(?!/?\1\b)[^<]{0,1000}+){0,200})</\1\s*>",
    re.IGNORECASE,
)
_NEXT_TAG = re.compile(rb"<[A-Za-z/!]")
_ANY_TAG = re.compile(r"<[^<>]*>")
_SOURCES = frozenset(("img", "source", "video", "audio", "embed", "iframe"))
_CSS_ADDRESS = re.compile(
    r"""\burl\(\s*(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'()]{1,2000}))\s*\)""", re.IGNORECASE
)
_CANDIDATE = re.compile(r"[^\s,]\S*")
_LONGEST_TEXT = 500
_TABLE = re.compile(rb"<table(?=[\s>])", re.IGNORECASE)
_TABLE_END = re.compile(rb"</table\s*>", re.IGNORECASE)


class TagAttribute(NamedTuple):
    """One thing a tag says: an id it carries or a place it points to."""

    start: int
    """Where the tag begins."""
    end: int
    """Where the tag ends."""
    what: Literal["anchor", "link", "image"]
    """An image, a film, a sound or another page is shown on the page itself."""
    value: str
    text: str
    """What a reader sees: the words inside a link, the alternative text of an image."""


def attributes(body: bytes, start: int, end: int) -> Iterator[TagAttribute]:
    """Every id, link and image between `start` and `end`, in order."""
    for found in _TAG.finditer(body, start, end):
        if found[2] is None:
            if found[1] is not None and found[1].lower() == b"style":
                for address in _css_addresses(found[0].decode("utf-8", "replace")):
                    yield TagAttribute(found.start(), found.end(), "image", address, "")
            continue
        name = found[2].decode("ascii")
        limit = _NEXT_TAG.search(body, found.end(), end)
        close, pairs = _pairs(body, found.end(), limit.start() if limit else end)
        for key, value in pairs.items():
            if key == "id" or (key == "name" and name in "aA"):
                yield TagAttribute(found.start(), close, "anchor", value, "")
            elif key == "style":
                for address in _css_addresses(value):
                    yield TagAttribute(found.start(), close, "image", address, "")
            elif _points(name, key):
                text = pairs.get("alt", "") if key != "href" else _words(body, close, found[2])
                for target in _candidates(value) if key == "srcset" else (value,):
                    yield TagAttribute(found.start(), close, "link" if key == "href" else "image", target, text)


def visible_stretches(body: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What a block of HTML shows: its text outside of tags, comments, scripts and drawings."""
    for found in _UNSEEN.finditer(body, start, end):
        if found.start() > start:
            yield start, found.start()
        start = found.end()
    if start < end:
        yield start, end


def code_stretches(body: bytes) -> list[tuple[int, int]]:
    """What stands in elements of code."""
    return [found.span(2) for found in _CODE.finditer(body)]


def extend_tables(body: bytes, blocks: list[int], code: Sequence[tuple[int, int]]) -> None:
    """Let a block of HTML in which a table begins go on to the end of the table, over blank lines too. `blocks` holds
    the start, the end and the kind of each block, by turns; `code` is where blocks of code are."""
    reached = 0
    for place in range(0, len(blocks), 3):
        start, end, kind = blocks[place : place + 3]
        if kind == BlockKind.HTML and start >= reached and (opening := _TABLE.search(body, start, end)):
            closing = _table_end(body, opening.end(), code)
            blocks[place + 1] = max(end, closing)
            reached = closing or len(body)


def _table_end(body: bytes, start: int, code: Sequence[tuple[int, int]]) -> int:
    """Where a table ends whose first tag ends at `start`; 0 where nothing closes it. A tag that a block of code shows
    closes nothing."""
    for closing in _TABLE_END.finditer(body, start):
        before = bisect_right(code, (closing.start(), len(body)))
        if not before or closing.start() >= code[before - 1][1]:
            return closing.end()
    return 0


def _pairs(body: bytes, start: int, end: int) -> tuple[int, dict[str, str]]:
    pairs: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(body, start, end):
        if found[1] is None:
            return found.end(), pairs
        value = found[2].decode("utf-8", "replace")
        if value[0] in "\"'":
            value = value[1:-1]
        elif value[0] == "{" and value[1:2] != "{":
            value = value[1:-1].strip()
            if value[:1] not in ("'", '"', "`") or value[-1:] != value[:1]:
                continue
            value = value[1:-1]
        pairs.setdefault(found[1].decode("ascii").lower(), unescape(value) if "&" in value else value)
    return end, pairs


def _points(name: str, key: str) -> bool:
    is_component = name[0].isupper() and name.lower() != name.upper() and name.upper() != name
    lowered = name.lower()
    if key == "href":
        return lowered in ("a", "area") or is_component
    if key == "src":
        return lowered in _SOURCES or is_component
    return (key == "srcset" and lowered in ("img", "source")) or (key == "data" and lowered == "object")


def _css_addresses(style: str) -> list[str]:
    """Where the rules of a style load pictures from; pictures that stand in the rules themselves lead nowhere."""
    found = [address for addresses in _CSS_ADDRESS.findall(style) for address in addresses if address]
    return [address for address in found if not address.startswith(("data:", "#"))]


def _candidates(value: str) -> list[str]:
    """The addresses of a `srcset`: each runs to white space, and a comma ends it only as its last sign."""
    found = []
    reached = 0
    while (candidate := _CANDIDATE.search(value, reached)) is not None:
        address = candidate[0].rstrip(",")
        found.append(address)
        comma = candidate.end() if address != candidate[0] else value.find(",", candidate.end())
        if comma < 0:
            break
        reached = comma
    return found


def _words(body: bytes, start: int, name: bytes) -> str:
    """What stands between a tag that ends at `start` and the one that closes it, as plain text."""
    window = body[start : start + _LONGEST_TEXT]
    stop = window.lower().find(b"</" + name.lower())
    if stop < 0 or body[start - 2 : start] == b"/>":
        return ""
    return unescape(" ".join(_ANY_TAG.sub("", window[:stop].decode("utf-8", "replace")).split()))
