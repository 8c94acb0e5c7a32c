"""Records become the bytes of a JSON file, and record types become the schema those bytes agree with.

One rule for both: a field that is None is left out, `links` and `embedded` get an underscore before them, keys are
sorted, and what is between two runs the same is the same to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from pinakes.publish.alike import DECIMALS
from pinakes.records.publish import (
    DocumentIndex,
    EmbeddingIndex,
    FileIndex,
    KeywordIndex,
    PromptIndex,
    RelationIndex,
    RootIndex,
    TopicIndex,
)
from pinakes.render import Json
from pinakes.render.schema import DIALECT, JsonSchema, closed, many

_UNDERSCORED = {"links": "_links", "embedded": "_embedded"}
_SIMPLE: Mapping[object, JsonSchema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number", "minimum": -1, "maximum": 1},
}
_ROOTS = (
    RootIndex,
    TopicIndex,
    DocumentIndex,
    KeywordIndex,
    RelationIndex,
    EmbeddingIndex,
    PromptIndex,
    FileIndex,
)
"""What a file may hold."""
_HEX: JsonSchema = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
_SPECIAL: Mapping[str, JsonSchema] = {
    "Item.lines": {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?$"},
    "Item.code_ratio": {"type": "number", "minimum": 0, "maximum": 1},
    "Item.tokens": {"type": "integer", "minimum": 0},
    "Rated.score": {"type": "integer", "minimum": 1, "maximum": 10},
    "Prompt.digest": _HEX,
    "Prompt.simhash": _HEX,
    "Asked.digest": _HEX,
    "Asked.simhash": _HEX,
    "Target.href": {"type": "string", "format": "uri-reference"},
    "Item.href": {"type": "string", "format": "uri-reference"},
    "Chunks.source": {"type": "string", "format": "uri-reference"},
    "Chunks.index": {"type": "string", "format": "uri-reference"},
    "CopiedFile.href": {"type": "string", "format": "uri-reference"},
}


def plain(record: object) -> Json:
    """A record as plain data."""
    match record:
        case str():
            return record if record.isascii() else record.encode("utf-8", "backslashreplace").decode()
        case None | bool() | int():
            return record
        case float():
            return round(record, DECIMALS)
        case Mapping():
            return {str(key): plain(held) for key, held in record.items()}
        case tuple() | list():
            return [plain(held) for held in record]
    named = _fields(type(record))  # type: ignore[arg-type]  # mypy does not see that classes can be hashed
    return {called: plain(held) for name, called in named if (held := getattr(record, name)) is not None}


@cache
def _fields(kind: type) -> tuple[tuple[str, str], ...]:
    """The fields of a record type and what they are called in a file."""
    if not issubclass(kind, Struct):
        raise TypeError(f"A {kind.__name__} cannot be published.")
    return tuple((name, _UNDERSCORED.get(name, name)) for name in kind.__struct_fields__)


def as_json(data: Json) -> bytes:
    """Plain data as the bytes of a file: sorted keys, one line, a line feed at the end."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return f"{text}\n".encode()


def schema() -> JsonSchema:
    """The JSON Schema of every JSON file in a published folder: root, topics, prompts, files."""
    made: dict[str, Json] = {}
    roots: list[Json] = [_record(kind, made) for kind in _ROOTS]
    return {
        "$schema": DIALECT,
        "title": "What pinakes publish writes",
        "anyOf": roots,
        "$defs": {name: made[name] for name in sorted(made)},
    }


def schema_bytes() -> bytes:
    """The schema as a file for people."""
    return (json.dumps(schema(), ensure_ascii=False, indent=2) + "\n").encode()


def _record(kind: type, made: dict[str, Json]) -> JsonSchema:
    name = kind.__name__
    if name not in made:
        made[name] = {}  # a place, so that records that hold each other end
        shapes: dict[str, Json] = {}
        optional = []
        for field, hint in get_type_hints(kind).items():
            called = _UNDERSCORED.get(field, field)
            shapes[called] = _SPECIAL.get(f"{name}.{field}") or _value(hint, made)
            if NoneType in get_args(hint):
                optional.append(called)
        made[name] = closed(shapes, optional=optional, about=(kind.__doc__ or "").partition("\n")[0])
    return {"$ref": f"#/$defs/{name}"}


def _value(hint: object, made: dict[str, Json]) -> JsonSchema:
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, held = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        others = [_value(one, made) for one in held if one is not NoneType]
        return others[0] if len(others) == 1 else {"anyOf": list(others)}
    if origin is tuple:
        return many(_value(held[0], made))
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _value(held[1], made)}
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _record(hint, made)
    raise TypeError(f"{hint} has no shape; give it one in pinakes.publish.shape.")
