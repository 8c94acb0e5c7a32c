"""The only JSON shape: ``--json``, HTTP and MCP share it.

Records enter, plain data leaves, in a fixed order of keys. The rules, for every record:

- an address is its printed form: ``docs:guide/auth.md#tokens``
- a field called `lines` reads as people count, from 1 with both ends in: ``"12-30"``; `line` likewise counts from 1
- any other stretch is bytes of the source: ``[120, 480]``
- bytes never appear, and half characters from undecodable file names are spelled out, so the output is always UTF-8

Records of rooms above this one say their own shape by a method `plain`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from enum import Enum
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, NamedTuple, NewType

from msgspec import Struct

from pinakes.records import (
    Connections,
    Edge,
    Event,
    Failure,
    Hit,
    LibraryHit,
    LinkForm,
    Passage,
    Ref,
    Relation,
    Report,
    Results,
    Span,
    Status,
)
from pinakes.records.edits import RefusedEdit
from pinakes.records.memory import Memory
from pinakes.records.search import Match
from pinakes.render.excerpt import excerpt
from pinakes.render.text import UNSEEN, is_plain
from pinakes.tokens import count_tokens

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""What `json` can write."""


_Writer = Callable[[Any], Json]
Count = NewType("Count", int)
"""A number that is never negative."""


class WireField(NamedTuple):
    """One field of a record on the wire."""

    read: Callable[[Any], object]
    """The value, given the record."""
    hint: object = None
    """The type of the value, a list of one type, or an object by the types of its keys; None for the type that the
    record's own field of this name has."""


def wire(record: object) -> Json:
    """Any of our records as plain data; raises TypeError for what has no place on a wire, such as bytes."""
    kind: Any = type(record)  # mypy does not believe that a type can be hashed
    return _writer(kind)(record)


def object_of(record: object) -> dict[str, Json]:
    """A record that becomes an object on the wire."""
    data = wire(record)
    assert isinstance(data, dict)
    return data


@cache
def _writer(kind: Any) -> _Writer:
    """How records of a type are written, worked out once: an answer is made of hundreds of them."""
    for known, write in _WRITERS:
        if issubclass(kind, known):
            return write
    if callable(getattr(kind, "plain", None)):
        return lambda record: wire(record.plain())
    if issubclass(kind, Struct):
        shape = tuple((name, field.read) for name, field in wire_fields(kind).items())
        return lambda record: {name: _field(name, read(record)) for name, read in shape}
    raise TypeError(f"A {kind.__name__} cannot be put on a wire; give it a method `plain`.")


def wire_fields(kind: Any) -> Mapping[str, WireField]:
    """The fields of a record on the wire, in order: its own, but for the few records in the table below."""
    return _SHAPES.get(kind) or _shape(_names(kind))


def dumps(data: Json, *, indent: int | None = None) -> str:
    """Plain data as JSON text: one line, or indented for people.

    Letters stand as they are, but what steers a terminal or hides in text is escaped: JSON gets printed, too.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    if is_plain(text):
        return text
    return UNSEEN.sub(lambda found: "\n" if found[0] == "\n" else _escaped(found[0]), text)


def _field(name: str, value: object) -> Json:
    if name == "lines" and isinstance(value, Span):
        return value.outside()
    if name == "line" and isinstance(value, int):
        return value + 1
    return wire(value)


def _escaped(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else json.dumps(letter)[1:-1]


def _text(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _no_bytes(data: object) -> Json:
    raise TypeError("Bytes cannot be put on a wire; decode them or leave them out.")


_WRITERS: tuple[tuple[type | tuple[type, ...], _Writer], ...] = (
    (Enum, lambda record: wire(record.value)),
    ((NoneType, bool, int, float), lambda record: record),
    (str, _text),
    (Ref, lambda record: _text(str(record))),
    (Span, lambda record: [record.start, record.end]),
    ((bytes, bytearray, memoryview), _no_bytes),
    (Mapping, lambda record: {_text(str(key)): wire(held) for key, held in record.items()}),
    (Set, lambda record: [wire(held) for held in sorted(record)]),
    (Sequence, lambda record: [wire(held) for held in record]),
)
"""The first that fits; what is none of these is a record."""


def _names(kind: Any) -> str:
    return " ".join(kind.__struct_fields__)


def _shape(names: str, **written: WireField) -> Mapping[str, WireField]:
    """A shape from the names of its fields: those `written`, and for every other name the record's own field."""
    return {name: written.get(name) or WireField(attrgetter(name)) for name in names.split()}


def _in_context(edges: Iterable[tuple[Edge, str]]) -> list[dict[str, Json]]:
    return [{**object_of(edge), "around": _text(around)} for edge, around in edges]


def _excerpt(hit: Hit) -> str:
    """What a person reads first of a hit."""
    shown = excerpt(hit).text
    return shown if len(shown) <= _EXCERPT else f"{shown[:_EXCERPT].rstrip()}…"


_EXCERPT = 400
"""Characters of a hit for those who show it."""
_PATH = WireField(lambda record: record.ref.path, str)
_WARNINGS = WireField(
    lambda record: [{"ref": ref, "warning": warning} for ref, warning in record.warnings],
    [{"ref": Ref, "warning": str}],
)

_HIT = (
    "ref path title trail kind lines span text excerpt tokens"
    " matches score votes digest modified also_in origin memories match"
)
_HIT_WRITTEN = {
    "path": _PATH,
    "excerpt": WireField(_excerpt, str),
    "tokens": WireField(lambda hit: hit.tokens or count_tokens(hit.text), Count),
    "match": WireField(attrgetter("match"), Match),
}

_SHAPES: Mapping[type, Mapping[str, WireField]] = {
    Connections: _shape(
        "ref outgoing incoming",
        outgoing=WireField(lambda found: _in_context(found.with_context()[0]), tuple[Edge, ...]),
        incoming=WireField(lambda found: _in_context(found.with_context()[1]), tuple[Edge, ...]),
    ),
    # Flat: who asks for links wants one object per link. `to` is null for a loose end.
    Edge: _shape(
        "from line text target form relation outcome to candidates",
        **{"from": WireField(attrgetter("origin"), Ref)},
        line=WireField(attrgetter("link.line"), int),
        text=WireField(attrgetter("link.text"), str),
        target=WireField(attrgetter("link.target"), str),
        form=WireField(attrgetter("link.form"), LinkForm),
        relation=WireField(attrgetter("link.relation"), Relation),
        candidates=WireField(attrgetter("candidates"), tuple[Ref, ...]),
    ),
    # The total is null while it is not known.
    Event: _shape(_names(Event), total=WireField(lambda event: event.total or None, Count | None)),
    # The version stays inside: it means nothing to anyone else.
    Failure: _shape("ref path reason next_step", path=_PATH),
    Hit: _shape(_HIT, **_HIT_WRITTEN),
    LibraryHit: _shape(f"library {_HIT}", **_HIT_WRITTEN),
    # What is from one of several libraries says which.
    Results: _shape(_names(Results), hits=WireField(attrgetter("hits"), tuple[Hit | LibraryHit, ...])),
    # What a memory saw when it was written stays inside: digests.
    Memory: _shape(f"id {_names(Memory)}".removesuffix(" seen"), id=WireField(attrgetter("id"), str)),
    Passage: _shape("ref path title trail kind lines span digest text", path=_PATH),
    # The block itself stands in the answer that it was read from.
    RefusedEdit: _shape("path reason nearest", path=WireField(attrgetter("block.path"), str)),
    Report: _shape(
        "put moved dropped unchanged failed warnings seconds",
        moved=WireField(
            lambda report: [{"from": old, "to": new} for old, new in report.moved], [{"from": Ref, "to": Ref}]
        ),
        unchanged=WireField(attrgetter("unchanged"), Count),
        warnings=_WARNINGS,
        seconds=WireField(lambda report: round(report.seconds, 3), float),
    ),
    Status: _shape(_names(Status), warnings=_WARNINGS),
}
"""Records whose fields are not what a reader wants to see one by one. The schema is made from the same table."""
