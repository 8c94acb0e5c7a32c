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
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any

from pinakes.records import Connections, Edge, Event, Failure, Hit, Passage, Ref, Report, Span, Status
from pinakes.render.text import UNSEEN

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""What `json` can write."""


_Writer = Callable[[Any], Json]


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
    if shape := _SHAPES.get(kind):
        return lambda record: wire(shape(record))
    if is_dataclass(kind):
        names = tuple(field.name for field in fields(kind))
        return lambda record: {name: _field(name, getattr(record, name)) for name in names}
    raise TypeError(f"A {kind.__name__} cannot be put on a wire; give it a method `plain`.")


def dumps(data: Json, *, indent: int | None = None) -> str:
    """Plain data as JSON text: one line, or indented for people.

    Letters stand as they are, but what steers a terminal or hides in text is escaped: JSON gets printed, too.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return UNSEEN.sub(lambda found: "\n" if found[0] == "\n" else _escaped(found[0]), text)


def _edge(edge: Edge) -> Mapping[str, object]:
    """Flat: who asks for links wants one object per link. `to` is null for a loose end."""
    return {
        "from": edge.origin,
        "line": edge.link.line + 1,
        "text": edge.link.text,
        "target": edge.link.target,
        "form": edge.link.form,
        "relation": edge.link.relation,
        "outcome": edge.outcome,
        "to": edge.to,
        "candidates": edge.candidates,
    }


def _connections(connections: Connections) -> Mapping[str, object]:
    outgoing, incoming = connections.with_context()
    return {
        "ref": connections.ref,
        "outgoing": [{**_edge(edge), "around": around} for edge, around in outgoing],
        "incoming": [{**_edge(edge), "around": around} for edge, around in incoming],
    }


def _passage(passage: Passage) -> Mapping[str, object]:
    return {
        "ref": passage.ref,
        "path": passage.ref.path,
        "title": passage.title,
        "trail": passage.trail,
        "kind": passage.kind,
        "lines": passage.lines.outside(),
        "span": passage.span,
        "digest": passage.digest,
        "text": passage.text,
    }


_HIT = tuple(field.name for field in fields(Hit))


def _hit(hit: Hit) -> Mapping[str, object]:
    shape = {name: getattr(hit, name) for name in _HIT}
    return {"ref": hit.ref, "path": hit.ref.path, **shape, "lines": hit.lines.outside(), "match": hit.match}


def _report(report: Report) -> Mapping[str, object]:
    return {
        "put": report.put,
        "moved": [{"from": old, "to": new} for old, new in report.moved],
        "dropped": report.dropped,
        "unchanged": report.unchanged,
        "failed": report.failed,
        "warnings": _warnings(report.warnings),
        "seconds": round(report.seconds, 3),
    }


def _status(status: Status) -> Mapping[str, object]:
    shape = {field.name: getattr(status, field.name) for field in fields(status)}
    return {**shape, "warnings": _warnings(status.warnings)}


def _warnings(warnings: Sequence[tuple[Ref, str]]) -> list[dict[str, object]]:
    return [{"ref": ref, "warning": warning} for ref, warning in warnings]


def _failure(failure: Failure) -> Mapping[str, object]:
    """The version stays inside: it means nothing to anyone else."""
    return {
        "ref": failure.ref,
        "path": failure.ref.path,
        "reason": failure.reason,
        "next_step": failure.next_step,
    }


def _event(event: Event) -> Mapping[str, object]:
    """The total is null while it is not known."""
    return {"phase": event.phase, "done": event.done, "total": event.total or None, "path": event.path}


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

_SHAPES: Mapping[type, Callable[..., Mapping[str, object]]] = {
    Connections: _connections,
    Edge: _edge,
    Event: _event,
    Failure: _failure,
    Hit: _hit,
    Passage: _passage,
    Report: _report,
    Status: _status,
}
"""Records whose fields are not what a reader wants to see one by one."""
