"""The fields at the head of a memory's file, read and rewritten.

Bytes of a file enter; its fields and where its text begins leave, or the same bytes with some fields or the text
changed. Everything else in a file written by hand stays: other fields, their order, comments, line ends, a byte order
mark. A rewritten head is read again before it is handed out; where anything but the change would read differently, it
is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from pinakes.errors import Unreadable
from pinakes.parse.decode import decode
from pinakes.parse.fields import Field, Plain, yaml_fields
from pinakes.parse.frontmatter import frontmatter

Value = str | tuple[str, ...] | Mapping[str, str]
"""What a field may be set to."""
YamlValue = str | list["YamlValue"] | dict[str, "YamlValue"] | None
"""A field as written: numbers, dates and booleans stay text."""

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "created_at": ("created", "created_at", "date"),
    "updated_at": ("modified", "updated", "updated_at", "lastmod", "last_modified"),
    "type": ("category", "type"),
    "tags": ("tags", "tag"),
}
"""Fields that may go by several names in files written by hand, the one that counts first."""

_TAME = re.compile(r"[A-Za-z_/][A-Za-z0-9_./()+@ -]*(?<! )\Z|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?\Z")
"""Text that means itself without quotes."""
_TAME_ITEM = re.compile(r"[A-Za-z][A-Za-z0-9_./+-]*\Z")
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
_NOT_IN_YAML = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_COMMENT = re.compile(r"[^\"'\n]*?(\s+#[^\n]*?)\r?\n?\Z")
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


class HeadKind(StrEnum):
    """What stands before the text."""

    NONE = "none"
    YAML = "yaml"
    TOML = "toml"
    BAD = "bad"
    """Something that was meant as fields and cannot be read."""


class Head(Struct, frozen=True):
    """What stands before the text of a file."""

    kind: HeadKind
    fields: Mapping[str, YamlValue]
    start: int
    """Where the first line of fields begins, or would."""
    end: int
    """Where the lines of fields end."""
    body: int
    """Where the text begins."""


def read_head(source: bytes) -> Head:
    """The head of a file, from UTF-8."""
    begin = 3 if source.startswith(b"\xef\xbb\xbf") else 0
    front = frontmatter(source, begin)
    if front.end == begin:
        return Head(HeadKind.NONE, {}, begin, begin, begin)
    lines = source[begin : front.end].splitlines(keepends=True)
    start, end = begin + len(lines[0]), front.end - len(lines[-1])
    if lines[0].startswith(b"+++"):
        return Head(HeadKind.TOML, {}, start, end, front.end)
    try:
        fields = {key: _as_written(value) for key, value in yaml_fields(source[start:end].decode()).items()}
    except ValueError:
        return Head(HeadKind.BAD, {}, start, end, front.end)
    return Head(HeadKind.YAML, fields, start, end, front.end)


def new_file(fields: Mapping[str, Value], text: str) -> bytes:
    """A file of our own making."""
    head = "".join(_lines(key, value, "\n") for key, value in fields.items())
    return f"---\n{head}---\n\n{text.strip()}\n".encode()


def rewritten(data: bytes, fields: Mapping[str, Value | None], text: str | None, name: str) -> bytes:
    """The file with some fields set (None removes one) and, unless None, another text; raises `Unreadable`."""
    if decode(data).source != data:
        raise _refused(name, "is not UTF-8", "Save it as UTF-8 first.")
    head = read_head(data)
    if head.kind in (HeadKind.BAD, HeadKind.TOML):
        reason = "has fields that cannot be read" if head.kind is HeadKind.BAD else "has TOML fields"
        raise _refused(name, reason, "Correct them by hand, as YAML between two lines of three dashes.")
    ending = "\r\n" if b"\r\n" in data else "\n"
    changes = {_spelled(head, key): value for key, value in fields.items()}
    block = data[head.start : head.end].decode()
    after = block
    for key, value in changes.items():
        after = _changed(after, key, value, ending)
    _check(head, changes, after, name)
    body = data[head.body :] if text is None else f"{ending}{_ended(text, ending)}".encode()
    if head.kind is HeadKind.NONE:
        opened = f"---{ending}{after}---{ending}" if after else ""
        gap = "" if text is not None or not after else ending
        return data[: head.start] + f"{opened}{gap}".encode() + body
    return data[: head.start] + after.encode() + data[head.end : head.body] + body


def appended(data: bytes, more: str) -> bytes:
    """A file with more text at the end; what is there stays as it is."""
    ending = "\r\n" if b"\r\n" in data else "\n"
    held = data.rstrip()
    gap = ending * 2 if held else ""
    return held + f"{gap}{_ended(more, ending)}".encode()


def _ended(text: str, ending: str) -> str:
    return "".join(f"{line}{ending}" for line in text.strip().splitlines())


def _check(head: Head, changes: Mapping[str, Value | None], after: str, name: str) -> None:
    """Refuse a head in which anything but the changes reads differently."""
    wanted: dict[str, YamlValue] = dict(head.fields)
    for key, value in changes.items():
        if value is None:
            wanted.pop(key, None)
        else:
            wanted[key] = value if isinstance(value, str) else _plain(value)
    try:
        found = {key: _as_written(value) for key, value in yaml_fields(after).items()}
    except ValueError:
        found = {}
    if found != wanted:
        raise _refused(name, "has fields written in a way that cannot be changed safely", "Change them by hand.")


def _plain(value: tuple[str, ...] | Mapping[str, str]) -> YamlValue:
    return list(value) if isinstance(value, tuple) else dict(value)


def _spelled(head: Head, name: str) -> str:
    """The key under which a file has a field."""
    keys = {key.lower(): key for key in head.fields}
    return next((keys[key] for key in SPELLINGS.get(name, (name,)) if key in keys), name)


def _changed(block: str, key: str, value: Value | None, ending: str) -> str:
    lines = _LINE.findall(block)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += ending
    own = re.compile(rf"[\"']?{re.escape(key)}[\"']?[ \t]*:(?:\s|\Z)")
    at = next((number for number, line in enumerate(lines) if own.match(line)), None)
    new = "" if value is None else _lines(key, value, ending)
    if at is None:
        return "".join(lines) + new
    end = at + 1
    while end < len(lines) and (lines[end][0] in " \t-" or not lines[end].strip()):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    if end == at + 1 and new.count("\n") == 1 and (comment := _COMMENT.match(lines[at])):
        new = new.removesuffix(ending) + comment[1] + ending
    return "".join([*lines[:at], new, *lines[end:]])


def _lines(key: str, value: Value, ending: str) -> str:
    if isinstance(value, str):
        return f"{key}: {_scalar(value)}{ending}"
    if isinstance(value, tuple):
        if all(_TAME_ITEM.match(item) and item.lower() not in _WORDS for item in value):
            return f"{key}: [{', '.join(value)}]{ending}"
        return f"{key}:{ending}" + "".join(f"  - {_scalar(item)}{ending}" for item in value)
    if not value:
        return f"{key}: {{}}{ending}"
    return f"{key}:{ending}" + "".join(f"  {_scalar(name)}: {_scalar(one)}{ending}" for name, one in value.items())


def _scalar(text: str) -> str:
    if _TAME.match(text) and text.lower() not in _WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _as_written(value: Field) -> YamlValue:
    """A field as it was written: numbers, dates and truth values are text."""
    if isinstance(value, Plain):
        return value.text
    if isinstance(value, list):
        return [_as_written(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_written(item) for key, item in value.items()}
    return value if value is None else str(value)


def _refused(name: str, reason: str, step: str) -> Unreadable:
    return Unreadable(f"The memory “{name}” {reason}; nothing was changed.", step)
