"""YAML and TOML blocks become plain fields.

The text of a block enters; strings, lists and mappings leave. YAML is read from the parser's events instead of its
constructors: no tag makes an object, no number or date is guessed, nesting needs no recursion, and what aliases stand
for is counted each time they are used, so a few lines cannot unfold into gigabytes. What fields mean is not known here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TYPE_CHECKING, TypeAlias

from pinakes.toml_file import BadToml, parse_toml

if TYPE_CHECKING:
    from yaml.events import Event

LARGEST = 256_000
"""A block with more bytes than this is not read."""
_DEEPEST = 40
_MOST = 20_000
"""How many values a block may hold, aliases unfolded."""
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
TAG = "!"
"""The key of a mapping's tag, where tags are kept."""
_LONGEST_WORD = len("false")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})\Z")
_FLOAT = re.compile(r"[-+]?(?:\d{1,40}\.\d{0,40}|\.\d{1,40}|\d{1,40}(?=[eE]))(?:[eE][-+]?\d{1,3})?\Z")


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


class BadFields(ValueError):
    """A block that is not a set of fields, or one that must not be read."""


def yaml_fields(block: str, *, keeps_tags: bool = False, most: int = _MOST) -> dict[str, Field]:
    """The fields of a YAML block, at most so many values; raises `BadFields`.

    Tags are refused, or kept as text and not followed: in front of a scalar, and in a mapping under the key `TAG`.
    """
    import yaml

    try:
        root = _built(getattr(yaml, "CSafeLoader", yaml.SafeLoader)(block).get_event, keeps_tags=keeps_tags, most=most)
    except yaml.MarkedYAMLError as problem:
        line = f" on its line {problem.problem_mark.line + 1}" if problem.problem_mark else ""
        raise BadFields(f"{problem.problem or problem.context}{line}") from problem
    except yaml.YAMLError as problem:
        raise BadFields(str(problem)) from problem
    if isinstance(root, dict):
        return root
    if root is None or root in ("", Plain("", None)):
        return {}
    raise BadFields("it holds no fields")


def _built(next_event: Callable[[], Event | None], *, keeps_tags: bool, most: int) -> Field:
    """What the events of the first YAML document stand for."""
    import yaml

    values: list[Field] = []  # of the innermost list or mapping that is open; keys and values of a mapping by turns
    outer: list[tuple[list[Field], str | None, int]] = []
    anchors: dict[str, tuple[Field, int]] = {}
    count = 0
    for event in iter(next_event, None):
        if isinstance(event, yaml.ScalarEvent):
            tag = _tag(event.tag, keeps_tags=keeps_tags)
            count += 1
            values.append(_unquoted(event.value) if event.implicit[0] else tag + event.value)
            if event.anchor:
                anchors[event.anchor] = (values[-1], 1)
        elif isinstance(event, yaml.CollectionStartEvent):
            tag = _tag(event.tag, keeps_tags=keeps_tags)
            if len(outer) >= _DEEPEST:
                raise BadFields(f"it is nested deeper than {_DEEPEST} levels")
            outer.append((values, event.anchor, count))
            count += 1
            values = [TAG, tag] if tag and isinstance(event, yaml.MappingStartEvent) else []
        elif isinstance(event, yaml.CollectionEndEvent):
            value: Field = _mapping(values) if isinstance(event, yaml.MappingEndEvent) else values
            values, anchor, before = outer.pop()
            values.append(value)
            if anchor:
                anchors[anchor] = (value, count - before)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise BadFields(f"*{event.anchor} stands for nothing")
            value, held = anchors[event.anchor]
            values.append(value)
            count += held
        elif isinstance(event, yaml.DocumentEndEvent):
            break
        if count > most:
            raise BadFields(f"it holds more than {most} values")
    return values[0] if values else None


def _tag(tag: str | None, *, keeps_tags: bool) -> str:
    if tag is None or tag == "!":
        return ""
    if not keeps_tags:
        raise BadFields(f"it uses the tag {tag}, and tags are not followed")
    return tag


def _mapping(values: list[Field]) -> dict[str, Field]:
    """Keys and values by turns as a mapping."""
    made: dict[str, Field] = {}
    for key, value in zip(values[::2], values[1::2], strict=True):
        if isinstance(key, Plain):
            key = key.text
        if key == "<<" and isinstance(value, dict):
            made = {**value, **made}
        else:
            made[key if isinstance(key, str) else repr(key)] = value
    return made


def toml_fields(block: str) -> dict[str, Field]:
    """The fields of a TOML block; raises `BadFields`."""
    try:
        table = parse_toml(block.replace("\r\n", "\n").replace("\r", "\n"))
        return {key: _untimed(value) for key, value in table.items()}
    except (BadToml, RecursionError) as problem:
        raise BadFields(str(problem)) from problem


def _untimed(value: object) -> Field:
    if isinstance(value, dict):
        return {str(key): _untimed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_untimed(inner) for inner in value]
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    if isinstance(value, float):
        return _number(value, str(value))
    if isinstance(value, int) and value.bit_length() > 63:
        return Plain(str(value), hex(value))
    return value if isinstance(value, (str, int)) else str(value)


def _unquoted(text: str) -> str | Plain:
    """A scalar that was written without quotes."""
    if len(text) <= _LONGEST_WORD and text in _WORDS:
        return Plain(text, _WORDS[text])
    if text[-1].isdigit() or text[-1] == ".":
        if _INTEGER.match(text):
            return Plain(text, int(text))
        if _FLOAT.match(text):
            return _number(float(text), text)
    return text


def _number(value: float, text: str) -> Plain:
    """A number that JSON can hold: one that is not finite becomes text."""
    return Plain(text, value if math.isfinite(value) else str(value))
