"""One wikilink: ``[[note]]``, ``[[note#heading|alias]]``, ``![[embed]]``, ``[[note^block]]``.

Bytes and a position enter, the link leaves. Whether the note exists is not known here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WIKILINK = re.compile(rb"(!?)\[\[([^\[\]\r\n]+)\]\]")
_WIKILINK_TEXT = re.compile(r"!?\[\[([^\[\]\r\n]+)\]\]\Z")


_LONGEST_COMMENT = 1_000


class Wikilink(NamedTuple):
    """What stands between the brackets."""

    end: int
    """Where it ends in the bytes it was read from."""
    is_embed: bool
    target: str
    """Everything before the alias."""
    text: str
    """The alias, or the target where there is none."""


def wikilink(body: bytes, start: int) -> Wikilink | None:
    """The wikilink that begins at `start`, if one does: not behind a backslash and not in a comment between ``%%``."""
    found = _WIKILINK.match(body, start)
    if found is None or body[start - 1 : start] == b"\\" or _is_comment(body, start):
        return None
    target, text = _split(found[2].decode("utf-8", "replace"))
    return Wikilink(found.end(), bool(found[1]), target, text) if target else None


def marks(body: bytes, start: int, end: int, text: str) -> tuple[tuple[int, int], ...]:
    """Where a wikilink shows nothing: its brackets, and the target where it has another name."""
    shown = body.rfind(text.encode(), start, end)
    return ((start, shown), (shown + len(text.encode()), end)) if shown > 0 else ()


def wikilink_in_text(text: str) -> tuple[str, str] | None:
    """Target and alias where the whole text is one wikilink, as in the frontmatter of a vault."""
    found = _WIKILINK_TEXT.match(text)
    target, alias = _split(found[1]) if found else ("", "")
    return (target, alias) if target else None


def _is_comment(body: bytes, position: int) -> bool:
    """Whether an odd number of ``%%`` stands before the position on its line."""
    first = max(0, position - _LONGEST_COMMENT)
    if body.find(b"%%", first, position) < 0:
        return False
    return body.count(b"%%", max(first, body.rfind(b"\n", first, position)), position) % 2 == 1


def _split(inside: str) -> tuple[str, str]:
    # In a table the bar must be escaped, so the target may end with the backslash that did it.
    target, bar, alias = inside.partition("|")
    target = target.removesuffix("\\").strip() if bar else target.strip()
    return target, alias.strip() or target
