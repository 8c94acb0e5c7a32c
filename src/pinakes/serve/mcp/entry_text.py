"""One server's entry in the text of a client's file: put in, replaced, taken out.

The text of a file and an entry enter, the new text leaves, or None when the file says that already. In plain JSON the
data stay as they were; in JSON with comments and in TOML every other byte does. What was written is read again first:
a text that would then say anything else is refused with `KeptText`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pinakes.render import Json, dumps
from pinakes.serve.mcp.clients import FileSyntax
from pinakes.toml_file import BadToml, parse_toml

NAME = "pinakes"


class KeptText(ValueError):
    """A text that cannot be changed without losing something. The message follows the name of the file."""


def changed_text(syntax: FileSyntax, text: str, key: str, entry: dict[str, Json] | None) -> str | None:
    """`text` with our entry in the object `key`, or without it where `entry` is None; None when nothing changes."""
    match syntax:
        case FileSyntax.JSON:
            return _in_json(text, key, entry)
        case FileSyntax.JSON_WITH_COMMENTS:
            return _in_commented_json(text, key, entry)
        case FileSyntax.TOML:
            return _in_toml(text, key, entry)
        case FileSyntax.YAML:
            return _in_yaml(text, key, entry)


def _in_json(text: str, key: str, entry: dict[str, Json] | None) -> str | None:
    known = _object(text, "is not plain JSON")
    servers = _servers(known, key)
    wished = _with_entry(servers, entry)
    return None if wished == servers else dumps({**known, key: wished}, indent=2) + "\n"


def _object(text: str, trouble: str) -> dict[str, Json]:
    try:
        known = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise KeptText(f"{trouble}: {error}") from error
    if not isinstance(known, dict):
        raise KeptText("does not hold an object")
    return known


def _servers(known: Mapping[str, Json], key: str) -> dict[str, Json]:
    servers = known.get(key, {})
    if not isinstance(servers, dict):
        raise KeptText(f"has “{key}”, which is not an object")
    return servers


def _with_entry(servers: Mapping[str, Json], entry: dict[str, Json] | None) -> dict[str, Json]:
    if entry is not None:
        return {**servers, NAME: dict(entry)}
    return {name: one for name, one in servers.items() if name != NAME}


# JSON with comments.

# Strings and comments that nobody closes reach to the end, so that no text is read twice.
_STRING = r'("(?:[^"\\\n]|\\.)*(?:"|$|\\\Z))'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL | re.MULTILINE)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL | re.MULTILINE)


class _Member(NamedTuple):
    """A name and a value of an object, as places in a text."""

    name: str
    start: int
    value: int
    end: int


def _in_commented_json(text: str, key: str, entry: dict[str, Json] | None) -> str | None:
    plain = _plain(text)
    known = _object(plain, "is not JSON, also without its comments")
    servers = _servers(known, key)
    wished = _with_entry(servers, entry)
    if wished == servers:
        return None
    if not plain.strip():
        return dumps({key: wished}, indent=2) + "\n"
    outer = _members(plain, plain.index("{"))
    held = next((member for member in outer if member.name == key), None)
    if held is None:
        after = _put(text, plain, plain.index("{"), outer, key, wished)
    else:
        inner = _members(plain, held.value)
        ours = next((member for member in inner if member.name == NAME), None)
        if entry is None and ours is not None:
            after = _without(text, _uncommented(text), ours)
        elif ours is not None:
            after = text[: ours.value] + _written(entry, text, ours.start) + text[ours.end :]
        else:
            after = _put(text, plain, held.value, inner, NAME, entry)
    if _object(_plain(after), "would not be JSON any more") != {**known, key: wished}:
        raise KeptText("is written in a way that cannot be changed safely")
    return after


def _plain(text: str) -> str:
    """The text with spaces in place of comments and last commas, so that every place in it stays."""
    return _LAST_COMMA.sub(lambda found: found[1] or " ", _uncommented(text))


def _uncommented(text: str) -> str:
    return _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)


def _members(plain: str, start: int) -> list[_Member]:
    """The members of the object that begins at `start`."""
    decoder, members, at = json.JSONDecoder(), [], start + 1
    while (at := _skipped(plain, at)) < len(plain) and plain[at] != "}":
        name, end = decoder.raw_decode(plain, at)
        value = _skipped(plain, _skipped(plain, end) + 1)
        _, end_of_value = decoder.raw_decode(plain, value)
        members.append(_Member(str(name), at, value, end_of_value))
        at = _skipped(plain, end_of_value)
        at += plain[at : at + 1] == ","
    return members


def _skipped(plain: str, at: int) -> int:
    while at < len(plain) and plain[at] in " \t\r\n":
        at += 1
    return at


def _put(text: str, plain: str, start: int, members: list[_Member], name: str, value: Json) -> str:
    """A new last member of the object that begins at `start`."""
    if members:
        last = members[-1]
        indent = _indent(text, last.start)
        piece = f",\n{indent}{dumps(name)}: {_written(value, text, last.start)}"
        return text[: last.end] + piece + text[last.end :]
    indent = _indent(text, start) + "  "
    piece = f"\n{indent}{dumps(name)}: " + dumps(value, indent=2).replace("\n", "\n" + indent)
    is_closed = plain[_skipped(plain, start + 1)] == "}" and "\n" not in plain[start : _skipped(plain, start + 1)]
    return text[: start + 1] + piece + ("\n" + _indent(text, start) if is_closed else "") + text[start + 1 :]


def _without(text: str, uncommented: str, member: _Member) -> str:
    """The text without a member, its line and one comma."""
    start, end = member.start, member.end
    after = _skipped(uncommented, end)
    if uncommented[after] == ",":
        end = after + 1
    else:  # the last one: the comma before it goes, too
        before = len(uncommented[:start].rstrip())
        if uncommented[before - 1] == ",":
            text = text[: before - 1] + text[before:]
            start, end = start - 1, end - 1
    begin = len(text[:start].rstrip(" \t"))
    is_alone = text[begin - 1 : begin] == "\n" and text[end : end + 1] in ("\n", "\r", "")
    return text[: begin - 1 if is_alone else start] + text[end:]


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _written(value: Json, text: str, at: int) -> str:
    return dumps(value, indent=2).replace("\n", "\n" + _indent(text, at))


# TOML.


def _in_toml(text: str, key: str, entry: dict[str, Json] | None) -> str | None:

    try:
        known: dict[str, Any] = dict(parse_toml(text))
        servers = _servers(known, key)
        wished = _with_entry(servers, entry)
        if wished == servers:
            return None
        after = _without_tables(text, f"{key}.{NAME}")
        if entry is not None:
            gap = "" if not after.strip() else "\n" if after.endswith("\n") else "\n\n"
            lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
            after = "\n".join([f"{after}{gap}[{key}.{NAME}]", *lines, ""])
        # A table that held us alone is gone with us.
        expected = {**known, key: wished} if wished else {name: one for name, one in known.items() if name != key}
        found = parse_toml(after)
    except BadToml as error:
        raise KeptText(str(error)) from error
    if found != expected and found != {**known, key: wished}:
        raise KeptText("is written in a way that cannot be changed safely")
    return after


def _without_tables(text: str, table: str) -> str:
    """The text without the lines of a table and of the tables below it."""
    parts = r"\s*\.\s*".join(rf"(?:{re.escape(part)}|\"{re.escape(part)}\")" for part in table.split("."))
    ours = re.compile(rf"\s*\[\s*{parts}\s*(?:\]|\.)")
    kept, is_ours = [], False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            is_ours = ours.match(line) is not None
        if not is_ours:
            kept.append(line)
    return "".join(kept)


# YAML, a file that is ours alone.


def _in_yaml(text: str, key: str, entry: dict[str, Json] | None) -> str | None:
    import yaml

    try:
        known = yaml.safe_load(text) if text.strip() else {}
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise KeptText(f"is not YAML: {str(error)[:200]}") from error
    servers = known.get(key, []) if isinstance(known, dict) else None
    if not isinstance(servers, list) or any(
        not isinstance(server, dict) or server.get("name") != NAME for server in servers
    ):
        raise KeptText("holds more than our server")
    if entry is None:
        return "" if text else None
    wished = {"name": "Pinakes", "version": "0.0.1", "schema": "v1", key: [{"name": NAME, **entry}]}
    return None if known == wished else yaml.safe_dump(wished, sort_keys=False, allow_unicode=True, width=1000)
