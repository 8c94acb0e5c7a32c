"""The block of fields before a document: YAML between ``---``, TOML between ``+++``.

Bytes enter; where the block ends, the fields Pinakes knows and all others as JSON leave. A block that cannot be read
costs the document its metadata and adds a warning, nothing more. What does not even look like fields is text between
two rules and stays with the body. Text fields keep the very text that was written: the
title of ``title: 1.10`` is "1.10".
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from pinakes.parse.fields import LARGEST, Field, Plain, toml_fields, yaml_fields
from pinakes.records import Metadata

_OPENING = re.compile(rb"(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_CLOSING = {
    b"---": re.compile(rb"---(?<=[\n\r]---)[ \t]*(?:\r\n?|\n|\Z)"),
    b"+++": re.compile(rb"\+\+\+(?<=[\n\r]\+\+\+)[ \t]*(?:\r\n?|\n|\Z)"),
}
_BEGINNING = re.compile(
    rb"\s*+(?:\Z|#[ \t]*[\w-]+:\s|(?:#[^\r\n]*[\r\n]\s*)*+(?:[{?]|[\"']?[\w.$@\x80-\xff-]++[\"']?:(?:\s|\Z)))"
)
"""How bad YAML begins when fields were meant: with a key, behind comments, or with nothing at all."""
_NAMES = {
    "title": ("title",),
    "description": ("description", "summary"),
    "keywords": ("keywords",),
    "aliases": ("aliases", "alias"),
    "author": ("author", "authors"),
    "category": ("category", "type"),
    "created": ("created", "created_at", "date"),
    "modified": ("modified", "updated", "updated_at", "lastmod", "last_modified"),
    "tags": ("tags", "tag"),
    "related": ("related",),
}
"""What each field may be called, the preferred name first; the others stay among the rest where both occur."""
_TYPES = ("contenttype", "content_type", "content-type", "doctype", "doc_type", "page-type", "type", "category")
"""Fields that may say what a document is, the most telling first."""
_PICTURES = ("image", "images", "cover", "thumbnail")
_LANGUAGE = ("lang", "language", "locale")
_ROLES = {name: (role, rank) for role, names in _NAMES.items() for rank, name in enumerate(names)}
_NONE: tuple[str, ...] = ()
_SEPARATORS = {"tags": re.compile(r"[,\s]+"), "keywords": re.compile(r"\s*,\s*")}
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=attrgetter("meaning"))
_NOTHING = Metadata()


class Frontmatter(NamedTuple):
    """What stands before the body."""

    end: int
    """Where the body begins."""
    metadata: Metadata = _NOTHING
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    """What the field ``related`` names, as written."""
    images: tuple[str, ...] = ()
    """Files that the fields for pictures name, as written."""
    language: str = ""
    """What a field for it says, as written."""
    types: tuple[str, ...] = ()
    """What the document says it is, the most telling field first."""
    warnings: tuple[str, ...] = ()


def frontmatter(source: bytes, start: int) -> Frontmatter:
    """Read the block that begins at `start`, if one does."""
    opening = _OPENING.match(source, start)
    closing = opening and _CLOSING[opening[1]].search(source, opening.end())
    if not opening or not closing:
        return Frontmatter(start)
    end = closing.end()
    is_yaml = opening[1] == b"---"
    written = source[opening.end() : closing.start()]
    warning = ""
    if len(written) > LARGEST:
        warning = f"The frontmatter is longer than {LARGEST} bytes; it was not read."
    else:
        block = written.decode("utf-8", "replace")
        try:
            fields = yaml_fields(block) if is_yaml else toml_fields(block)
            if fields:
                return _understood(fields, end)
        except ValueError as problem:
            reason = " ".join(str(problem).split())[:200]
            warning = f"The frontmatter could not be read and was left out: {reason}."
    if is_yaml and not _BEGINNING.match(written):
        return Frontmatter(start)
    return Frontmatter(end, warnings=(warning,) if warning else ())


def _understood(fields: dict[str, Field], end: int) -> Frontmatter:
    best: dict[str, tuple[int, str, tuple[str, ...]]] = {}
    for name, value in fields.items():
        known = _ROLES.get(name.lower())
        if known is not None:
            role, rank = known
            if role not in best or rank < best[role][0]:
                texts = _texts(value, _SEPARATORS.get(role))
                if texts:
                    best[role] = (rank, name, texts)
    texts_of = dict.fromkeys(_NAMES, _NONE)
    rest = fields.copy()
    for role, (_, name, texts) in best.items():
        texts_of[role] = texts
        del rest[name]
    metadata = Metadata(
        " ".join(texts_of["title"]),
        " ".join(texts_of["description"]),
        texts_of["keywords"],
        texts_of["aliases"],
        ", ".join(texts_of["author"]),
        ", ".join(texts_of["category"]),
        _iso(" ".join(texts_of["created"])),
        _iso(" ".join(texts_of["modified"])),
        _JSON.encode(rest) if rest else "{}",
    )
    tags = texts_of["tags"]
    if tags:
        tags = tuple(sorted({tag for text in tags if (tag := text.lstrip("#"))}))
    stated = next((value for name in _LANGUAGE if isinstance(value := fields.get(name), str)), "")
    return Frontmatter(end, metadata, tags, texts_of["related"], _images(fields), stated, _types(fields))


def _images(fields: dict[str, Field]) -> tuple[str, ...]:
    """The texts of fields for pictures, or of ``src``, ``url`` and ``path`` in them."""
    found: list[str] = []
    for name in _PICTURES:
        value = fields.get(name)
        for part in [value.get(key) for key in ("src", "url", "path")] if isinstance(value, dict) else [value]:
            found += _texts(part, None)
    return tuple(found)


def _types(fields: dict[str, Field]) -> tuple[str, ...]:
    named = {lowered: name for name in fields if (lowered := name.lower()) in _TYPES}
    return tuple([text for name in _TYPES if name in named for text in _texts(fields[named[name]], None)])


def _texts(value: Field, split: re.Pattern[str] | None) -> tuple[str, ...]:
    """The non-empty texts of a scalar or of a list of scalars; nothing for a mapping."""
    if isinstance(value, Plain):
        value = value.text if value.text not in ("", "~", "null") else ""
    if isinstance(value, str):
        pieces = split.split(value) if split else (value,)
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
