"""Values of a file that may hold anything: each is asked for as what it should be, and is empty if it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from pinakes.parse.fields import Plain

_NOTHING: Mapping[str, object] = {}


def mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else _NOTHING


def listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def said(value: object) -> str:
    """A scalar as it is written."""
    match value:
        case str():
            return value
        case Plain():
            return value.text.lower() if isinstance(value.meaning, bool) else value.text
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
    return ""


def pointer(*parts: str) -> str:
    """The JSON pointer of a place."""
    return "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in parts)


def pointed(root: Mapping[str, object], value: object) -> object:
    """What a reference into the same file names, one step far; every other value as it is."""
    path = value if isinstance(value, str) else said(mapping(value).get("$ref"))
    if not path.startswith("#/"):
        return value
    here: object = root
    for part in path[2:].split("/", 20):
        here = mapping(here).get(unquote(part).replace("~1", "/").replace("~0", "~"))
    return here
