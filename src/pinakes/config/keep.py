"""Settings that were found out, written into the user's own file.

Dotted names and values enter; the file has them afterwards, with everything else in it as it was. A file that is laid
out in a way that cannot be edited line by line is left alone.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pinakes.config.places import read_user_file, user_file
from pinakes.config.settings import keys
from pinakes.config.values import from_value, written
from pinakes.errors import ConfigError


def keep_settings(values: Mapping[str, object], environment: Mapping[str, str] = os.environ) -> Path:
    """Write settings into the user's file, which is made when there is none, and return its path.

    Raises `ConfigError` for a key that does not exist or takes no such value.
    """
    path = user_file(environment)
    if path is None:
        raise ConfigError("There is no place for your own settings: HOME is not set.", "Set it, or XDG_CONFIG_HOME.")
    known = keys()
    for dotted, value in values.items():
        if dotted not in known:
            raise ConfigError(f"There is no setting “{dotted}”.", "It cannot be written down.")
        from_value(known[dotted], value, str(path))
    found = read_user_file(environment)
    text = found.text if found else ""
    for dotted, value in values.items():
        table, _, name = dotted.rpartition(".")
        text = _with_line(text, table, name, written(value))
    if not _holds(text, values):
        raise ConfigError(
            f"{path} is laid out in a way that is not edited here.",
            "Write it yourself: " + ", ".join(f"{dotted} = {written(value)}" for dotted, value in values.items()),
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)
    return path


def _with_line(text: str, table: str, name: str, value: str) -> str:
    """The text with ``name = value`` in a table: in the place of the line that was there, or else below its head."""
    lines = text.split("\n")
    head = next((at for at, line in enumerate(lines) if _table(line) == table), None)
    if head is None:
        before = f"{text.rstrip()}\n\n" if text.strip() else ""
        return f"{before}[{table}]\n{name} = {value}\n"
    own = re.compile(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=")
    for at in range(head + 1, len(lines)):
        if _table(lines[at]) is not None:
            break
        if own.match(lines[at]):
            lines[at] = f"{name} = {value}"
            return "\n".join(lines)
    lines.insert(head + 1, f"{name} = {value}")
    return "\n".join(lines)


def _table(line: str) -> str | None:
    """The name of the table that a line opens."""
    found = re.match(r"\s*\[+\s*([\w.\"' -]+?)\s*\]", line)
    return None if found is None else re.sub(r"[\"' ]", "", found[1])


def _holds(text: str, values: Mapping[str, object]) -> bool:
    try:
        read: object = tomllib.loads(text)
    except ValueError:
        return False
    for dotted, value in values.items():
        held = read
        for part in dotted.split("."):
            held = held.get(part) if isinstance(held, dict) else None
        if held != value:
            return False
    return True
