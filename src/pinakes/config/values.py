"""A value as given becomes a value of the key's type, or an error that says what was expected and what came.

Strict on purpose: `"3"` in a file is not 3, and 1 is not true. Only text that could not have been written otherwise (an
environment variable, an argument) is read as a number, a switch or a list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath

from pinakes.config.settings import Key
from pinakes.errors import ConfigError
from pinakes.render import safe
from pinakes.toml_file import BadToml, parse_toml

_SWITCH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_ONE = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
_MANY = {bool: "true or false values", int: "whole numbers", float: "numbers", str: "texts"}


def from_value(key: Key, value: object, place: str) -> object:
    """Take a value that already has a type, as TOML gives it."""
    if isinstance(value, PurePath):
        value = str(value)
    if not key.is_list:
        return _one(key, value, place)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _wrong(key, value, place)
    return tuple(_one(key, item, place) for item in value)


def from_text(key: Key, text: str, place: str) -> object:
    """Take a value written as text: ``5``, ``yes``, ``drafts/, *.tmp`` or ``["a,b.md"]``."""
    if not key.is_list:
        return _one(key, _read(key, text, place), place)
    stripped = text.strip()
    if stripped.startswith("["):
        return from_value(key, _array(key, stripped, place), place)
    items = [_read(key, item.strip(), place) for item in stripped.split(",") if item.strip()]
    return from_value(key, items, place)


def expected(key: Key) -> str:
    """What the key takes, in words."""
    if key.choices:
        said = [f"“{choice}”" for choice in key.choices]
        return f"a list of {', '.join(said)}" if key.is_list else " or ".join(said)
    words = f"a list of {_MANY[key.kind]}" if key.is_list else _ONE[key.kind]
    return f"{words} from {key.limits[0]} to {key.limits[1]}" if key.limits else words


def shown(value: object, most: int = 80) -> str:
    """A stranger's text, made safe for a terminal and short enough for a sentence."""
    text = value if isinstance(value, str) else repr(value)
    text = safe(text[: most + 1])
    return text if len(text) <= most else text[:most] + "…"


def written(value: object) -> str:
    """A value as TOML writes it."""
    import json

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(written(item) for item in value) + "]"
    if isinstance(value, int) and abs(value) >= 10_000:
        return f"{value:_}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # the one control character JSON allows
    return str(value)


def _one(key: Key, value: object, place: str) -> object:
    if key.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 1 << 53 else math.inf
    if type(value) is not key.kind:
        raise _wrong(key, value, place)
    if key.limits and not (isinstance(value, int | float) and key.limits[0] <= value <= key.limits[1]):
        raise _wrong(key, value, place)
    if isinstance(value, str) and ("\0" in value or (key.choices and value not in key.choices)):
        raise _wrong(key, value, place)
    return value


def _read(key: Key, text: str, place: str) -> object:
    if key.kind is str:
        return text
    try:
        return _SWITCH[text.strip().lower()] if key.kind is bool else key.kind(text)
    except (KeyError, ValueError):
        raise _wrong(key, text, place) from None


def _array(key: Key, text: str, place: str) -> object:
    try:
        return parse_toml(f"list = {text}")["list"]
    except BadToml:
        raise _wrong(key, text, place) from None


def _wrong(key: Key, value: object, place: str) -> ConfigError:
    got = f"“{shown(value)}”" if isinstance(value, str) else shown(_named(value))
    return ConfigError(
        f"{place}: {key.dotted} must be {expected(key)}, not {got}.", f"The default is {written(key.default)}."
    )


def _named(value: object) -> str:
    """A value for a message; a table, a date or a list inside a list by its type, since it may be of any depth."""
    if isinstance(value, tuple | list):
        return "[" + ", ".join("list" if isinstance(item, list) else _named(item) for item in value[:9]) + "]"
    return written(value) if isinstance(value, bool | int | float | str) else type(value).__name__
