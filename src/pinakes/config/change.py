"""One key of a settings file is changed; every other byte of the file stays.

A file, a key and a text enter, the file with that key set leaves. What was written is read again before it replaces the
file: when anything else would read differently, nothing is changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from pinakes.config.consent import refuse_reaching_out
from pinakes.config.settings import Key, keys
from pinakes.config.settings_files import (
    PROJECT_FILE,
    SHARED_FILE,
    SettingsFile,
    read_project_file,
    read_user_file,
    user_file,
)
from pinakes.config.values import shown, written
from pinakes.errors import ConfigError, StoreStrange
from pinakes.own_folder import OwnFolder


def check_project_setting(root: Path, dotted: str, value: str, environment: Mapping[str, str] = os.environ) -> None:
    """Raise `ConfigError` for what a project's file may not say, before anybody looks whether it is there."""
    refuse_reaching_out(keys()[dotted], value, shown(str(root / PROJECT_FILE), 300), environment)


def change_project_setting(root: Path, dotted: str, value: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Set a key in the project's file, which is made if there is none; returns the file."""
    found = read_project_file(root)
    path = found.path if found else root / PROJECT_FILE
    refuse_reaching_out(keys()[dotted], value, shown(str(path), 300), environment)
    _change(OwnFolder(path.parent, is_shared=True), path.name, found, keys()[dotted], value)
    return path


def change_user_setting(dotted: str, value: str | float, environment: Mapping[str, str] = os.environ) -> Path:
    """Set a key in the user's own file, which is made if there is none; returns the file."""
    path = user_file(environment)
    if path is None:
        raise ConfigError("There is no folder for your own settings.", "Set HOME or XDG_CONFIG_HOME.")
    real = Path(os.path.realpath(path))
    _change(OwnFolder(real.parent), real.name, read_user_file(environment), keys()[dotted], value)
    return path


def _change(folder: OwnFolder, name: str, found: SettingsFile | None, key: Key, value: str | float) -> None:
    import tomllib

    before = found.text if found else ""
    prefix = ("tool", "pinakes") if name == SHARED_FILE else ()
    after = changed(before, ".".join((*prefix, key.table)), f"{key.name} = {written(value)}")
    wished = tomllib.loads(before)
    inner = wished
    for part in (*prefix, key.table):
        inner = inner.setdefault(part, {})
    inner[key.name] = value
    try:
        is_right = tomllib.loads(after) == wished
    except ValueError:
        is_right = False
    if not is_right:
        raise ConfigError(
            f"{shown(str(folder.path / name), 300)} is written in a way that cannot be changed safely.",
            f"Put {key.name} = {written(value)} under [{key.table}] yourself.",
        )
    _replace(folder, name, after)


def changed(text: str, table: str, line: str) -> str:
    """A TOML text with `line` in `table`: in place of the same key, of its commented default, or first of all."""
    name = re.escape(line.partition(" ")[0])
    ending = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    start = next((at for at, one in enumerate(lines) if _names(one, table)), None)
    if start is None:
        gap = "" if not text or text.endswith(("\n\n", "\r\n\r\n")) else ending if text.endswith("\n") else ending * 2
        return f"{text}{gap}[{table}]{ending}{line}{ending}"
    end = next((at for at in range(start + 1, len(lines)) if re.match(r"\s*\[", lines[at])), len(lines))
    for pattern in (rf"\s*{name}\s*=", rf"#\s?{name}\s*="):
        for at in range(start + 1, end):
            if re.match(pattern, lines[at]):
                comment = (
                    re.search(r"\s+#[^\"']*$", lines[at].rstrip("\r\n")) if not lines[at].startswith("#") else None
                )
                lines[at] = line + (comment[0] if comment else "") + ending
                return "".join(lines)
    if not lines[start].endswith("\n"):
        lines[start] += ending
    lines.insert(start + 1, line + ending)
    return "".join(lines)


def _names(line: str, table: str) -> bool:
    return re.match(rf"\s*\[\s*{re.escape(table)}\s*\]", line) is not None


def _replace(folder: OwnFolder, name: str, text: str) -> None:
    path = folder.path / name
    try:
        if not folder.exists():
            folder.make(parents=True)
        folder.replace(name, text.encode())
    except StoreStrange as error:
        raise ConfigError(error.problem, "Put the file itself in its place.") from error
    except OSError as error:
        raise ConfigError(
            f"{shown(str(path), 300)} cannot be written: {error.strerror}.", "Check its permissions."
        ) from error
