"""The JSON Schema of everything `wire` writes, made from the records and from the table in `wire` of those that differ.

Record types enter, JSON Schema (2020-12) leaves, closed: what is not named here never appears. Records of rooms above
this one, which say their own shape by a method `plain`, are written out below. Tests hold real answers against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from pinakes.records import (
    Connections,
    Diagnosis,
    Edge,
    Event,
    Failure,
    FileStatus,
    Passage,
    Ref,
    Report,
    Results,
    Span,
    Status,
)
from pinakes.records.added import AddedDocument, AddedText, Addition, Update
from pinakes.records.memory import Memory, MemoryList, Recollection, Trashed
from pinakes.records.moves import MoveResult
from pinakes.records.publish import Published, Tried
from pinakes.render.wire import Count, Json, wire_fields

JsonSchema = dict[str, Json]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT: JsonSchema = {"type": "string"}
COUNT: JsonSchema = {"type": "integer", "minimum": 0}
ADDRESS: JsonSchema = {"type": "string", "description": "An address: docs:path#anchor"}
LINES: JsonSchema = {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?$", "description": "From 1, both ends in: 12-30"}
LINE: JsonSchema = {"type": "integer", "minimum": 0, "description": "Counted from 1"}
BYTES: JsonSchema = {
    "type": "array",
    "items": COUNT,
    "minItems": 2,
    "maxItems": 2,
    "description": "Bytes of the source, the end left out",
}
ROOTS = (Results, Passage, Connections, Status, FileStatus, Report, Event, Failure, Diagnosis, MoveResult)
ADDED = (AddedDocument, AddedText, Addition, Update)
PUBLISHED = (Published, Tried)
REMEMBERED = (Memory, Recollection, MemoryList, Trashed)


def schemas(prefix: str = "#/$defs/") -> dict[str, Json]:
    """The shape of every record by its name; `prefix` is how they refer to each other."""
    maker = _Maker(prefix)
    for record in (*ROOTS, *ADDED, *REMEMBERED, *PUBLISHED):
        maker.record(record)
    for name, shape in _PLAIN.items():
        maker.made[name] = maker.with_full_references(shape)
    return {name: maker.made[name] for name in sorted(maker.made)}


def document() -> JsonSchema:
    """All shapes as one JSON Schema document."""
    return {"$schema": DIALECT, "title": "What Pinakes answers with", "$defs": schemas()}


def closed(properties: Mapping[str, Json], *, optional: Sequence[str] = (), about: str = "") -> JsonSchema:
    """An object with these properties and no others, all there but the optional ones."""
    shape: JsonSchema = {"description": about} if about else {}
    required: list[Json] = [name for name in properties if name not in optional]
    return shape | {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }


def many(items: Json) -> JsonSchema:
    """A list of these."""
    return {"type": "array", "items": items}


def maybe(shape: Json) -> JsonSchema:
    """This, or null."""
    return {"anyOf": [shape, {"type": "null"}]}


class _Maker:
    """Holds the shapes made so far, so that each record is described once."""

    def __init__(self, prefix: str) -> None:
        self.made: dict[str, Json] = {}
        self._prefix = prefix

    def record(self, kind: type) -> JsonSchema:
        name = kind.__name__
        if name not in self.made:
            self.made[name] = {}  # a place, so that records that hold each other end
            hints = get_type_hints(kind)
            fields = {
                name: self.field(name, hints[name] if field.hint is None else field.hint)
                for name, field in wire_fields(kind).items()
            }
            if kind is Edge:
                fields["around"] = TEXT  # links are always shown with their words
            self.made[name] = closed(fields, about=(kind.__doc__ or "").partition("\n")[0])
        return self.reference(name)

    def reference(self, name: str) -> JsonSchema:
        return {"$ref": f"{self._prefix}{name}"}

    def with_full_references(self, shape: Json) -> Json:
        """A written shape, with its references spelled for this document."""
        if isinstance(shape, list):
            return [self.with_full_references(part) for part in shape]
        if isinstance(shape, dict):
            if isinstance(name := shape.get("$ref"), str):
                return self.reference(name)
            return {key: self.with_full_references(part) for key, part in shape.items()}
        return shape

    def field(self, name: str, hint: object) -> JsonSchema:
        if name == "lines" and hint is Span:
            return LINES
        if name == "line" and hint is int:
            return LINE
        return self.value(hint)

    def value(self, hint: object) -> JsonSchema:
        if isinstance(hint, dict):
            return closed({name: self.field(name, one) for name, one in hint.items()})
        if isinstance(hint, list):
            return many(self.value(hint[0]))
        if hint in _SIMPLE:
            return _SIMPLE[hint]
        origin, held = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            others = [self.value(one) for one in held if one is not NoneType]
            return maybe(others[0]) if NoneType in held and len(others) == 1 else {"anyOf": list(others)}
        if origin is tuple and len(held) == 2 and held[1] is ...:
            return many(self.value(held[0]))
        if origin is Mapping and held[0] is str:
            return {"type": "object", "additionalProperties": self.value(held[1])}
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"type": "string", "enum": [one.value for one in hint]}
        if isinstance(hint, type) and issubclass(hint, Struct):
            return self.record(hint)
        raise TypeError(f"{hint} has no shape on the wire; give it one in pinakes.render.schema.")


_SIMPLE: Mapping[object, JsonSchema] = {
    str: TEXT,
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Ref: ADDRESS,
    Span: BYTES,
    Count: COUNT,
}


_SHOWN: JsonSchema = closed({"shown": COUNT, "total": COUNT})
_SECTION: dict[str, Json] = {
    "keywords": many(TEXT),
    "shapes": many(TEXT),
    "cited": COUNT,
    "references": many(ADDRESS),
    "summary": TEXT,
    "tokens": COUNT,
}
_ASKED_FOR = ("summary", "tokens")
_TIER: JsonSchema = {"type": "string", "enum": ["active", "L3", "L2", "L1", "L0"]}

_PLAIN: Mapping[str, JsonSchema] = {
    "Finding": closed(
        {
            "code": TEXT,
            "severity": {"type": "string", "enum": ["error", "warning", "notice"]},
            "ref": ADDRESS,
            "path": TEXT,
            "line": LINE,
            "message": TEXT,
            "suggestion": TEXT,
            "other": maybe(closed({"ref": ADDRESS, "path": TEXT, "line": LINE})),
        },
        about="One thing that is wrong.",
    ),
    "Context": closed(
        {
            "mode": {"type": "string", "enum": ["code", "docs"]},
            "tokens": COUNT,
            "cached_tokens": COUNT,
            "cache_target": COUNT,
            "blocks": many(closed({"key": TEXT, "tier": _TIER, "stands_in": _TIER, "number": COUNT, "tokens": COUNT})),
            "prompt": closed(
                {
                    "parts": many(closed({"name": TEXT, "text": TEXT, "is_cached": {"type": "boolean"}})),
                    "said": many(closed({"role": {"type": "string", "enum": ["user", "assistant"]}, "text": TEXT})),
                    "question": TEXT,
                }
            ),
        },
        about="What a model should see, and in which order.",
    ),
    "Map": closed(
        {
            "hash": TEXT,
            "tokens": COUNT,
            "budget_tokens": COUNT,
            "documents": _SHOWN,
            "sections": _SHOWN,
            "notes": many(TEXT),
            "gone": many(TEXT),
            "folders": many(closed({"path": TEXT, "documents": COUNT, "more_files": COUNT, "note": TEXT})),
            "blocks": many({"$ref": "MapBlock"}),
        },
        about="What is in here, in N tokens.",
    ),
    "MapBlock": closed(
        {
            "id": TEXT,
            "digest": TEXT,
            "structure": TEXT,
            "ref": ADDRESS,
            "path": TEXT,
            "title": TEXT,
            "kind": TEXT,
            "media": TEXT,
            "component": COUNT,
            "line_count": COUNT,
            "more_sections": COUNT,
            **_SECTION,
            "sections": many(
                closed({"anchor": TEXT, "title": TEXT, "level": COUNT, "lines": LINES, **_SECTION}, optional=_ASKED_FOR)
            ),
        },
        optional=_ASKED_FOR,
        about="A document of a map, with the sections that are shown.",
    ),
}
"""Shapes of records that stand above this room: contexts, maps and findings."""
