"""YAML and TOML blocks become plain fields.

The text of a block enters; strings, lists and mappings leave. YAML is read from the parser's events instead of its
constructors: no tag makes an object, no number or date is guessed, nesting needs no recursion, and what aliases stand
for is counted each time they are used, so a few lines cannot unfold into gigabytes. What fields mean is not known here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
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


def yaml_fields(block: str) -> dict[str, Field]:
    """The fields of a YAML block; raises `BadFields`."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = _built(yaml.parse(block, Loader=loader))
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


def _built(events: Iterable[Event]) -> Field:
    """What the events of the first YAML document stand for."""
    import yaml

    stack = [_Open(None, None)]
    anchors: dict[str, tuple[Field, int]] = {}
    for event in events:
        if isinstance(event, yaml.ScalarEvent):
            _refuse_tag(event.tag)
            scalar = _unquoted(event.value) if event.implicit[0] else event.value
            stack[-1].add(scalar, 1)
            if event.anchor:
                anchors[event.anchor] = (scalar, 1)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise BadFields(f"*{event.anchor} stands for nothing")
            stack[-1].add(*anchors[event.anchor])
        elif isinstance(event, yaml.CollectionStartEvent):
            _refuse_tag(event.tag)
            if len(stack) > _DEEPEST:
                raise BadFields(f"it is nested deeper than {_DEEPEST} levels")
            stack.append(_Open({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor))
        elif isinstance(event, yaml.CollectionEndEvent):
            done = stack.pop()
            stack[-1].add(done.value, done.count)
            if done.anchor:
                anchors[done.anchor] = (done.value, done.count)
        elif isinstance(event, yaml.DocumentEndEvent):
            break
    return stack[0].value


def _refuse_tag(tag: str | None) -> None:
    if tag is not None and tag != "!":
        raise BadFields(f"it uses the tag {tag}, and tags are not followed")


class _Open:
    """A list or mapping that is being filled; with neither, the root."""

    __slots__ = ("anchor", "count", "key", "value")

    def __init__(self, value: Field, anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.count = 1
        self.key: str | None = None

    def add(self, value: Field, count: int) -> None:
        """Take the next value, which holds `count` values in all."""
        self.count += count
        if self.count > _MOST:
            raise BadFields(f"it holds more than {_MOST} values")
        if isinstance(self.value, list):
            self.value.append(value)
        elif not isinstance(self.value, dict):
            self.value = value
        elif self.key is None:
            written = value.text if isinstance(value, Plain) else value
            self.key = written if isinstance(written, str) else repr(written)
        else:
            if self.key == "<<" and isinstance(value, dict):
                self.value = {**value, **self.value}
            else:
                self.value[self.key] = value
            self.key = None


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
    if text in _WORDS:
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
