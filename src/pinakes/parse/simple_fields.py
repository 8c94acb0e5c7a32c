"""The plainest YAML, read fast.

The text of a block enters; its fields leave, or None when the block is anything but keys with scalars, and lists and
mappings of those. Most frontmatter is no more than that (all but 66 of 18,000 files), and the YAML library takes four
times as long for it: 27 µs for a block instead of 7. On every block it accepts, this reader must agree with
`fields.parsed_fields`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias


@dataclass(frozen=True, slots=True, repr=False)
class Plain:
    """A scalar that is more than its text: a number, a truth value or nothing."""

    text: str
    """As written; this is the scalar wherever text is wanted."""
    meaning: str | float | None
    """What it stands for otherwise."""

    def __repr__(self) -> str:
        # A list that is used as a key is called by what is written in it.
        return repr(self.text)


Field: TypeAlias = "str | int | float | Plain | list[Field] | dict[str, Field] | None"

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_ONLY_TEXT = frozenset(map(chr, range(0x21, 0x7F))).difference("0123456789.", *_WORDS)
"""What ends with one of these is no number and none of the words."""
_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})\Z")
_FLOAT = re.compile(r"[-+]?(?:\d{1,40}\.\d{0,40}|\.\d{1,40}|\d{1,40}(?=[eE]))(?:[eE][-+]?\d{1,3})?\Z")

_UNUSUAL = r"\x00-\x1f\x7f-\x9f"
"""Line ends, and what YAML forbids or reads in its own way."""
_UNUSUAL_BEYOND = re.compile("[\u2028-\u202f\ud800-\udfff\ufeff\ufffe\uffff]")
"""The same among all other signs; looked for on its own, because patterns are faster without it."""
# Runs are possessive: a line that does not fit is given up in linear time.
_SCALAR = (
    rf"""'[^'{_UNUSUAL}]*+(?:''[^'{_UNUSUAL}]*+)*'|"[^"\\{_UNUSUAL}]*+"|"""
    rf"(?:[A-Za-z0-9_/.(<]|[^\x00-\x9f]|[:-](?=[^ {_UNUSUAL}]))"
    rf"[^:#{_UNUSUAL}]*+(?:(?::(?![ \n])|(?<! )#)[^:#{_UNUSUAL}]*+)*"
)
_FLOW = r"\[[\w ,./()+-]*+\]"
_FOLDED = rf"[|>]-(?:\n ++[^ {_UNUSUAL}](?:[^{_UNUSUAL}]*+(?<! ))?)+(?=\n(?:[^ \n]|\Z))"
_KEY = r"[A-Za-z_][A-Za-z0-9_-]{0,99}+"
_COMMENT = rf"#[^{_UNUSUAL}]*+"
_END = rf"(?: *+(?<= ){_COMMENT})? *\n"
_FIELD = re.compile(
    rf"^(?:({_KEY}):(?: ++(?:({_SCALAR})|({_FLOW}|{_FOLDED})))?{_END}((?:[ -].*+\n)*)|(?:{_COMMENT})?\n)", re.MULTILINE
)
"""A key, its scalar or what is longer than that, and all lines below it that belong to it; or a comment."""
_TAME = rf"- [A-Za-z0-9_/.(<][^:#{_UNUSUAL}]*+\n"
_TAME_LIST = re.compile(rf"( *+){_TAME}(?:\1{_TAME})*\Z")
"""A list without quotes, comments and colons; it can be cut without looking at each line."""
_ITEM = re.compile(rf"^( *+)- ++({_SCALAR}){_END}", re.MULTILINE)
_PAIR = re.compile(rf"^( ++)({_KEY}): ++({_SCALAR}){_END}", re.MULTILINE)
_INDENT = itemgetter(0)


def simple_fields(block: str) -> dict[str, Field] | None:
    """The fields of a simple block; None when it is not simple."""
    if block[-1:] != "\n":
        block += "\n"
    if not block.isascii() and _UNUSUAL_BEYOND.search(block):
        return None
    fields: dict[str, Field] = {}
    unread = block.count("\n")
    # All fields by one call, and all lines below a field by another: the fewer steps, the faster.
    for key, text, longer, below in _FIELD.findall(block):
        unread -= 1
        if text and not below:
            fields[key] = _scalar(text)
        elif below:
            held = _below(below)
            if text or longer or not held:
                return None
            unread -= len(held)
            fields[key] = held
        elif key:
            unread -= longer.count("\n")
            fields[key] = value = _longer(longer)
            if value is None:
                return None
    return fields if not unread else None


def _scalar(text: str) -> str | Plain:
    first = text[0]
    if first == "'":
        return text[1:-1].replace("''", "'")
    if first == '"':
        return text[1:-1]
    return text if text[-1] in _ONLY_TEXT else unquoted(text.rstrip(" "))


def _below(lines: str) -> list[Field] | dict[str, Field] | None:
    """The list or the mapping on these lines, without the lines that do not fit; None when they do not go together."""
    tame = _TAME_LIST.match(lines)
    if tame is not None:
        mark = f"{tame[1]}- "
        parts = lines[len(mark) : -1].split(f"\n{mark}")
        return [part if part[-1] in _ONLY_TEXT else unquoted(part.rstrip(" ")) for part in parts]
    if lines.lstrip(" ")[0] == "-":
        items = _ITEM.findall(lines)
        return [_scalar(item) for _, item in items] if len(set(map(_INDENT, items))) == 1 else None
    pairs = _PAIR.findall(lines)
    return {key: _scalar(text) for _, key, text in pairs} if len(set(map(_INDENT, pairs))) == 1 else None


def _longer(text: str) -> Field:
    """Nothing, a list on one line such as ``[a, b]``, or a text on the lines below; None when it is not simple."""
    if not text:
        return unquoted(text)
    if text[0] == "[":
        items = [item.strip(" ") for item in text[1:-1].split(",")] if text[1:-1].strip(" ") else []
        return [unquoted(item) for item in items] if all(item and item[0].isalnum() for item in items) else None
    style, *lines = text.split("\n")
    depth = len(lines[0]) - len(lines[0].lstrip(" "))
    if any(line[:depth].strip(" ") or line[depth] == " " for line in lines):
        return None
    return (" " if style == ">-" else "\n").join([line[depth:] for line in lines])


def unquoted(text: str) -> str | Plain:
    """A scalar that was written without quotes."""
    if text in _WORDS:
        return Plain(text, _WORDS[text])
    if text[-1].isdigit() or text[-1] == ".":
        if _INTEGER.match(text):
            return Plain(text, int(text))
        if _FLOAT.match(text):
            return number(float(text), text)
    return text


def number(value: float, text: str) -> Plain:
    """A number that JSON can hold: one that is not finite becomes text."""
    return Plain(text, value if math.isfinite(value) else str(value))
