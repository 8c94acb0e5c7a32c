"""Finds and reads the files of settings.

A folder enters, `SettingsFile`s leave: the parsed tables and where they came from. The meaning of a key is not known
here. A project may come from a stranger, so its file is read only if it is a plain file inside the root, small, and
cannot make the TOML parser run out of memory.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pinakes.config.settings import STORE_FOLDER, SettingLevel
from pinakes.config.values import shown
from pinakes.errors import ConfigError
from pinakes.user_folders import config_path

PROJECT_FILE = "pinakes.toml"
SHARED_FILE = "pyproject.toml"

MOST_BYTES = 256 * 1024
MOST_DOTS = 200
"""Per line. The standard library's reader needs memory by the square of a dotted key's length: one key of 130,000 parts
(256 kB of text) is enough to be killed for it. A key ends with its line, so the dots of a line bound its parts."""

_SHARED_TABLE = re.compile(rb"""^[ \t]*\[+[ \t]*["']?tool["']?[ \t]*\.[ \t]*["']?pinakes\b""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of settings and its content."""

    path: Path
    level: SettingLevel
    text: str
    values: Mapping[str, object]

    def line(self, dotted: str) -> str:
        """Where a key stands, for a message: the file and, when it is easily found, the line."""
        number = _line(self.text, dotted)
        return f"{shown(str(self.path), 300)}, line {number}" if number else shown(str(self.path), 300)


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that is a project: it holds an index, settings or a git repository.

    When there is none, `start` itself. A marker that belongs to another user than `start` and this process (a
    `pinakes.toml` left in /tmp) does not count.
    """
    start = _folder(start)
    return find_project(start) or start


def find_project(start: Path) -> Path | None:
    """The nearest project folder at or above `start`, as `find_root` defines it; None when there is none."""
    start = _folder(start)
    return next((folder for folder in (start, *start.parents) if _is_project(folder, start)), None)


def _folder(start: Path) -> Path:
    real = Path(os.path.realpath(start))
    return real.parent if os.path.isfile(real) else real


def user_file(environment: Mapping[str, str]) -> Path | None:
    """Where the user's own settings would be; None when the environment names no home."""
    return config_path("config.toml", environment)


def read_user_file(environment: Mapping[str, str]) -> SettingsFile | None:
    """The user's own settings, if there are any."""
    path = user_file(environment)
    text = _text(path) if path else None
    return SettingsFile(path, SettingLevel.USER, text, _tables(path, text)) if path and text is not None else None


def read_project_file(root: Path) -> SettingsFile | None:
    """The project's settings, if there are any: `pinakes.toml`, or `[tool.pinakes]` of `pyproject.toml`, not both."""
    own = _own_settings(root)
    shared = _shared_settings(root)
    if own and shared:
        raise ConfigError(
            f"Settings stand both in {shown(str(own.path), 300)} and in [tool.pinakes] of {SHARED_FILE}.",
            "Keep one of the two.",
        )
    return own or shared


def _own_settings(root: Path) -> SettingsFile | None:
    path = root / PROJECT_FILE
    if not _is_inside(path, root):
        raise ConfigError(
            f"{shown(str(path), 300)} is a link that leaves the project, so it is not read.",
            "Put the file itself there, or remove the link.",
        )
    text = _text(path)
    return None if text is None else SettingsFile(path, SettingLevel.PROJECT, text, _tables(path, text))


def _shared_settings(root: Path) -> SettingsFile | None:
    path = root / SHARED_FILE
    # The file belongs to other tools first: one that does not mention us, or that is not the project's own, is theirs.
    if not _is_inside(path, root) or not _mentions_us(path):
        return None
    text = _text(path)
    if text is None:
        return None
    tools = _tables(path, text).get("tool")
    ours = tools.get("pinakes") if isinstance(tools, dict) else None
    if ours is not None and not isinstance(ours, dict):
        raise ConfigError(f"{shown(str(path), 300)}: tool.pinakes must be a table.", "Write it as [tool.pinakes].")
    return None if ours is None else SettingsFile(path, SettingLevel.PROJECT, text, ours)


def _is_project(folder: Path, start: Path) -> bool:
    markers = (STORE_FOLDER, PROJECT_FILE, ".git", SHARED_FILE)
    return any(_is_marker(folder / name, start) for name in markers)


def _is_marker(path: Path, start: Path) -> bool:
    try:
        found = path.lstat()
        if hasattr(os, "getuid") and found.st_uid not in (0, os.getuid(), start.stat().st_uid):
            return False
        if path.name == STORE_FOLDER:
            return path.is_dir()
        return path.name != SHARED_FILE or bool(_SHARED_TABLE.search(_bytes(path) or b""))
    except (OSError, ConfigError):
        return False


def _is_inside(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _mentions_us(path: Path) -> bool:
    try:
        return b"pinakes" in (_bytes(path) or b"")
    except ConfigError:
        return False


def _bytes(path: Path) -> bytes | None:
    """The contents, one byte more than allowed at most; None when there is no such file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ConfigError(f"{shown(str(path), 300)} is not a plain file.", "Put a file of settings there.")
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as trouble:
        raise ConfigError(
            f"{shown(str(path), 300)} cannot be read: {trouble.strerror}.", "Check its permissions."
        ) from trouble


def _text(path: Path) -> str | None:
    data = _bytes(path)
    if data is None:
        return None
    name = shown(str(path), 300)
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{name} is larger than {MOST_BYTES // 1024} kB.", "Settings need a few lines; shorten it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        line = data.count(b"\n", 0, trouble.start) + 1
        raise ConfigError(f"{name}, line {line}: this is not UTF-8.", "Save the file as UTF-8.") from trouble


def _tables(path: Path, text: str) -> Mapping[str, object]:
    import tomllib

    name = shown(str(path), 300)
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            raise ConfigError(
                f"{name}, line {number}: more than {MOST_DOTS} dots in one line.", "Break the line into several."
            )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{name}: brackets are nested too deeply.", "Settings need two levels at most.") from None
    except ValueError as trouble:  # TOMLDecodeError, and numbers of thousands of digits
        raise ConfigError(f"{name} is not valid TOML: {shown(str(trouble), 200)}.", "Correct that place.") from trouble


def _line(text: str, dotted: str) -> int | None:
    """The line a key is set in, by its looks; None rather than a guess for unusual spellings."""
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line.startswith("["):
            table = line.lstrip("[").partition("]")[0].strip().removeprefix("tool.pinakes").removeprefix(".")
            if table == dotted:
                return number
            continue
        name = line.partition("=")[0].strip().strip("\"'")
        if name and (f"{table}.{name}" if table else name) == dotted:
            return number
    return None
