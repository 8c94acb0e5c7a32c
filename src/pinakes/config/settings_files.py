"""Finds and reads the files of settings.

A folder enters, `SettingsFile`s leave: the parsed tables and where they came from. The meaning of a key is not known
here. A project may come from a stranger, so its file is read only if it is a plain file inside the root, small, and
cannot make the TOML parser run out of memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from pinakes.config.own_documents import holds_documents
from pinakes.config.settings import STORE_FOLDER, SettingLevel
from pinakes.config.values import shown
from pinakes.errors import ConfigError
from pinakes.toml_file import read_bytes, read_toml
from pinakes.user_folders import config_path

PROJECT_FILE = "pinakes.toml"
SHARED_FILE = "pyproject.toml"
SYNONYMS = "synonyms.toml"
"""Read by the search; here only whether it has changed."""

_SHARED_TABLE = re.compile(rb"""^[ \t]*\[+[ \t]*["']?tool["']?[ \t]*\.[ \t]*["']?pinakes\b""", re.MULTILINE)


class SettingsFile(Struct, frozen=True):
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


def default_root(start: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """What is meant when nobody names a root: the project that `start` lies in, or `start` itself where documents lie
    in it or in its folders. Raises `ConfigError` for any other folder, and for one that everything of a user lies in:
    all of it would be indexed by mistake."""
    start = _folder(start)
    if (project := find_project(start)) is not None:
        return project
    home = Path(os.path.realpath(environment.get("HOME") or os.path.expanduser("~")))
    if home.is_relative_to(start):
        trouble = "is no project, and everything in your home would be indexed."
    elif not holds_documents(start):
        trouble = "is no project: it has no pinakes.toml, .git, index or documents of its own."
    else:
        return start
    step = "Name the folder to index with --root, or run pinakes init in it."
    raise ConfigError(f"{shown(str(start), 300)} {trouble}", step)


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


def settings_stamp(root: Path, environment: Mapping[str, str] = os.environ) -> tuple[tuple[int, int, int], ...]:
    """Another one whenever a file that settings or synonyms may stand in is another one. Never waits for long."""
    files = (root / PROJECT_FILE, root / SHARED_FILE, root / SYNONYMS, user_file(environment))
    return tuple(_stamp(file) for file in files if file is not None)


def _stamp(file: Path) -> tuple[int, int, int]:
    try:
        found = os.stat(file)
    except OSError:
        return (0, 0, 0)
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def read_user_file(environment: Mapping[str, str]) -> SettingsFile | None:
    """The user's own settings, if there are any."""
    path = user_file(environment)
    file = read_toml(path) if path else None
    return SettingsFile(file.path, SettingLevel.USER, file.text, file.tables) if file else None


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
    file = read_toml(root / PROJECT_FILE, within=root)
    return SettingsFile(file.path, SettingLevel.PROJECT, file.text, file.tables) if file else None


def _shared_settings(root: Path) -> SettingsFile | None:
    path = root / SHARED_FILE
    # The file belongs to other tools: if it does not mention us, or is not a small file of the project, we ignore it.
    try:
        if b"pinakes" not in (read_bytes(path, within=root) or b""):
            return None
    except ConfigError:
        return None
    file = read_toml(path, within=root)
    tools = file.tables.get("tool") if file else None
    ours = tools.get("pinakes") if isinstance(tools, dict) else None
    if ours is not None and not isinstance(ours, dict):
        raise ConfigError(f"{shown(str(path), 300)}: tool.pinakes must be a table.", "Write it as [tool.pinakes].")
    return SettingsFile(path, SettingLevel.PROJECT, file.text, ours) if file and ours is not None else None


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
        return path.name != SHARED_FILE or bool(_SHARED_TABLE.search(read_bytes(path) or b""))
    except (OSError, ConfigError):
        return False


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
