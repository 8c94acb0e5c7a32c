"""The plainest YAML, read fast.

The text of a block enters; its fields leave, or None when the block is anything but keys with one-line scalars, and lists
and mappings of those. Most frontmatter is no more than that, and the YAML library would take longer for it than the engine
takes for the whole document behind it. On every block it accepts, this reader must agree with `fields.parsed_fields`.
"""

from __future__ import annotations

import re
from typing import TypeAlias, Union

Field: TypeAlias = Union[str, int, float, None, list["Field"], dict[str, "Field"]]


class Plain(str):
    """A YAML scalar without quotes: text where text is wanted, otherwise maybe a number, a truth value or nothing."""

    __slots__ = ()


_UNUSUAL = re.compile("[^\n\x20-\x7e\xa0-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_PAIR = re.compile(r"([A-Za-z_][\w-]*):(?: +(.*))?\Z")
_ITEM = re.compile(r"- +(.*)\Z")
_PLAIN = re.compile(r"[A-Za-z0-9_/.(\xa0-\U0010ffff](?:[^:#]|:(?=[^\s:])|(?<=\S)#)*\Z")
_QUOTED = re.compile(r"""'([^']*)'\Z|"([^"\\]*)"\Z""")


def simple_fields(block: str) -> dict[str, Field] | None:
    """The fields of a simple block; None when it is not simple."""
    if _UNUSUAL.search(block):
        return None
    lines = [line for raw in block.split("\n") if (line := raw.rstrip(" ")) and line.lstrip(" ")[0] != "#"]
    fields: dict[str, Field] = {}
    position = 0
    while position < len(lines):
        found = _PAIR.match(lines[position])
        if found is None:
            return None
        position += 1
        inner = position
        while inner < len(lines) and lines[inner][0] in " -":
            inner += 1
        if found[2]:
            # A deeper line would continue the scalar.
            value: Field = _scalar(found[2]) if inner == position else None
        elif inner > position:
            value = _block(lines[position:inner])
        else:
            value = Plain("")
        if value is None:
            return None
        fields[found[1]] = value
        position = inner
    return fields


def _scalar(text: str) -> str | None:
    if _PLAIN.match(text):
        return Plain(text)
    quoted = _QUOTED.match(text)
    if quoted is None:
        return None
    return quoted[1] if quoted[1] is not None else quoted[2]


def _block(lines: list[str]) -> Field:
    """A list or a mapping of scalars, all at one depth; None for anything else."""
    depth = len(lines[0]) - len(lines[0].lstrip(" "))
    items: list[Field] = []
    pairs: dict[str, Field] = {}
    for line in lines:
        text = line[depth:]
        if line[:depth].strip(" ") or not text or text[0] == " ":
            return None
        item = _ITEM.match(text)
        pair = None if item else _PAIR.match(text)
        value = _scalar(item[1]) if item else _scalar(pair[2]) if pair and pair[2] else None
        # An item such as "- key: value" is a mapping inside the list.
        if value is None or (item and _PAIR.match(item[1])):
            return None
        if pair:
            pairs[pair[1]] = value
        else:
            items.append(value)
    if not items:
        return pairs if depth else None
    return None if pairs else items
