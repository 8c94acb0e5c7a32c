"""HTML from plain functions: whatever is not marked as markup is escaped.

Text enters, markup leaves. It knows no tags and no pages.
"""

from __future__ import annotations

import re
from html import escape

_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What HTML cannot hold, what UTF-8 cannot, and what turns the text around it the other way."""
_EMPTY = frozenset(("br", "hr", "img", "input", "link", "meta"))


class Markup(str):
    """Text that is HTML already; nothing else may be put into a page as it is."""

    __slots__ = ()


MarkupPart = Markup | str | int | None
Attribute = str | int | bool | None


def text(words: str) -> Markup:
    """Words as HTML that shows them; signs that cannot be shown are spelled out."""
    return Markup(escape(visible(words)))


def visible(words: str) -> str:
    """Words without signs that cannot be shown: each is spelled out."""
    return _UNSEEN.sub(_spelled, words)


def join(*parts: MarkupPart) -> Markup:
    """Parts one after another; None leaves nothing."""
    return Markup("".join(part if isinstance(part, Markup) else text(str(part)) for part in parts if part is not None))


def tag(name: str, /, *inside: MarkupPart, **attributes: Attribute) -> Markup:
    """An element. `class_` and others lose a trailing underscore, `data_x` becomes ``data-x``; True is a bare
    attribute, False and None leave it out."""
    written = "".join(
        f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{text(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    opening = f"<{name}{written}>"
    return Markup(opening if name in _EMPTY else f"{opening}{join(*inside)}</{name}>")


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # a byte of a file name that is not UTF-8
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
