"""The block of fields before a document: YAML between ``---``, TOML between ``+++``.

Bytes enter; where the block ends, the fields Pinakes knows and all others as JSON leave. A block that cannot be read
costs the document its metadata and adds a warning, nothing more. Text fields keep the very text that was written: the
title of ``title: 1.10`` is "1.10".
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from datetime import datetime

from pinakes.parse.fields import LARGEST, toml_fields, yaml_fields
from pinakes.parse.simple_fields import Field, Plain
from pinakes.records import Metadata

_OPENING = re.compile(rb"(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_CLOSING = {
    b"---": re.compile(rb"(?:(?<=\n)|(?<=\r))---[ \t]*(?:\r\n?|\n|\Z)"),
    b"+++": re.compile(rb"(?:(?<=\n)|(?<=\r))\+\+\+[ \t]*(?:\r\n?|\n|\Z)"),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})\Z")
_FLOAT = re.compile(r"[-+]?(?:\d{1,40}\.\d{0,40}|\.\d{1,40}|\d{1,40}(?=[eE]))(?:[eE][-+]?\d{1,3})?\Z")
_WORDS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_BETWEEN_TAGS = re.compile(r"[,\s]+")
_BETWEEN_KEYWORDS = re.compile(r"\s*,\s*")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What stands before the body."""

    end: int
    """Where the body begins."""
    metadata: Metadata = Metadata()
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    """What the field ``related`` names, as written."""
    warnings: tuple[str, ...] = ()


def frontmatter(source: bytes, start: int) -> Frontmatter:
    """Read the block that begins at `start`, if one does."""
    opening = _OPENING.match(source, start)
    closing = opening and _CLOSING[opening[1]].search(source, opening.end())
    if not opening or not closing:
        return Frontmatter(start)
    end = closing.end()
    if closing.start() - opening.end() > LARGEST:
        return Frontmatter(end, warnings=(f"The frontmatter is longer than {LARGEST} bytes; it was not read.",))
    block = source[opening.end() : closing.start()].decode("utf-8", "replace")
    try:
        fields = toml_fields(block) if opening[1] == b"+++" else yaml_fields(block)
        return _understood(fields, end) if fields else Frontmatter(end)
    except ValueError as problem:
        reason = " ".join(str(problem).split())[:200]
        return Frontmatter(end, warnings=(f"The frontmatter could not be read and was left out: {reason}.",))


def _understood(fields: dict[str, Field], end: int) -> Frontmatter:
    names = {name.strip().lower(): name for name in reversed(fields)}
    rest = dict(fields)

    def taken(*wanted: str, split: re.Pattern[str] | None = None) -> tuple[str, ...]:
        """The texts of the first field of these names that has any; it is then no longer among the rest."""
        for name in wanted:
            key = names.get(name)
            if key is not None:
                texts = _texts(fields[key], split)
                if texts:
                    del rest[key]
                    return texts
        return ()

    tags = {tag.lstrip("#") for tag in taken("tags", "tag", split=_BETWEEN_TAGS)}
    known = {
        "title": " ".join(taken("title")),
        "description": " ".join(taken("description", "summary")),
        "author": ", ".join(taken("author", "authors")),
        "category": ", ".join(taken("category", "type")),
        "created": _iso(" ".join(taken("created", "date"))),
        "modified": _iso(" ".join(taken("modified", "updated", "lastmod", "last_modified"))),
    }
    metadata = Metadata(
        **known,
        keywords=taken("keywords", split=_BETWEEN_KEYWORDS),
        aliases=taken("aliases", "alias"),
        extra="{}" if not rest.keys() - {names.get("related")} else _json(rest, names.get("related")),
    )
    return Frontmatter(end, metadata, tuple(sorted(tags - {""})), taken("related"))


def _texts(value: Field, split: re.Pattern[str] | None) -> tuple[str, ...]:
    """The non-empty texts of a scalar or of a list of scalars; nothing for a mapping."""
    if isinstance(value, str):
        if isinstance(value, Plain) and value in ("", "~", "null"):
            return ()
        pieces = split.split(value) if split else [value]
        return tuple([text for piece in pieces if (text := piece.strip())])
    if isinstance(value, list):
        # A list may hold mappings, such as authors with name and address; those stay among the other fields.
        if any(isinstance(item, (list, dict)) for item in value):
            return ()
        return tuple([text for item in value for text in _texts(item, None)])
    if value is None or isinstance(value, dict):
        return ()
    return (str(value).lower() if isinstance(value, bool) else str(value),)


def _iso(text: str) -> str:
    """A date as ISO writes it; text that is no date stays what it is."""
    try:
        return datetime.fromisoformat(text).isoformat() if len(text) > len("2024-01-31") else text
    except ValueError:
        return text


def _json(rest: dict[str, Field], related: str | None) -> str:
    others = {key: _typed(value) for key, value in rest.items() if key != related}
    return json.dumps(others, ensure_ascii=False, sort_keys=True)


def _typed(value: Field) -> Field:
    """A value for JSON: unquoted YAML words become the numbers and truth values they look like."""
    if isinstance(value, Plain):
        if value in _WORDS:
            return _WORDS[value]
        if value[-1].isdigit() or value[-1] == ".":
            if _INTEGER.match(value):
                return int(value)
            if _FLOAT.match(value):
                return _finite(float(value))
        return str(value)
    if isinstance(value, dict):
        return {key: _typed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_typed(inner) for inner in value]
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, int) and value.bit_length() > 63:
        return hex(value)
    return value


def _finite(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)
