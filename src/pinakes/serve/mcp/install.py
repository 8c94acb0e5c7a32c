"""Telling a client where to find us: its configuration file gets one entry, and everything else in it stays.

A client's name and a command line enter; the file's new text leaves or is written, all of it or nothing. No other
program is run. A project may have brought a link along: one that leaves it is refused.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pinakes.errors import ConfigError, StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.render import dumps

NAME = "pinakes"
_MOST_BYTES = 10_000_000
_SHOW = "With --print the entry is only shown, to be put there by hand."


class ClientProgram(Struct, frozen=True):
    """A program that can be told of servers by a file."""

    title: str
    key: str
    """The object in the file that holds the servers."""
    of_project: str = ""
    """Where the file is in a project; empty when it is one per person."""
    of_home: str = ""
    """Where it is below the home of a person, on every system."""
    of_settings: str = ""
    """Where it is below the folder in which programs keep their settings."""
    says_type: bool = False
    """Whether an entry says how the server is spoken to."""


CLIENTS: Mapping[str, ClientProgram] = {
    "claude-code": ClientProgram("Claude Code", "mcpServers", ".mcp.json", says_type=True),
    "claude-desktop": ClientProgram("Claude Desktop", "mcpServers", of_settings="Claude/claude_desktop_config.json"),
    "vscode": ClientProgram("VS Code", "servers", ".vscode/mcp.json", says_type=True),
    "cursor": ClientProgram("Cursor", "mcpServers", ".cursor/mcp.json", says_type=True),
    "gemini": ClientProgram("Gemini CLI", "mcpServers", ".gemini/settings.json"),
    "windsurf": ClientProgram("Windsurf", "mcpServers", of_home=".codeium/windsurf/mcp_config.json"),
    "cline": ClientProgram(
        "Cline",
        "mcpServers",
        of_settings="Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    ),
}


def place(client: str, project: Path, environment: Mapping[str, str], platform: str = sys.platform) -> Path:
    """The client's configuration file, there or not."""
    known = CLIENTS[client]
    if known.of_project:
        return project / known.of_project
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~"))
    if known.of_home:
        return home / known.of_home
    match platform:
        case "darwin":
            folder = home / "Library" / "Application Support"
        case "win32":
            folder = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        case _:
            folder = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return folder / known.of_settings


def entry(client: str, command: Sequence[str]) -> dict[str, object]:
    """How the client is told to start us."""
    start: dict[str, object] = {"command": command[0], "args": list(command[1:])}
    return {"type": "stdio", **start} if CLIENTS[client].says_type else start


def shown(client: str, command: Sequence[str]) -> str:
    """What the file would hold if there were nothing else in it."""
    return _text({CLIENTS[client].key: {NAME: entry(client, command)}})


def install(client: str, file: Path, command: Sequence[str]) -> bool:
    """Put our entry into the file; False when it is there already, word for word."""
    wanted = entry(client, command)
    return _changed(client, file, lambda servers: {**servers, NAME: wanted})


def remove(client: str, file: Path) -> bool:
    """Take our entry out of the file; False when there is none."""
    return _changed(client, file, lambda servers: {name: one for name, one in servers.items() if name != NAME})


def _changed(client: str, file: Path, change: Callable[[dict[str, object]], dict[str, object]]) -> bool:
    folder, name = _reached(client, file)
    known = _known(folder, name)
    key = CLIENTS[client].key
    servers = known.get(key, {})
    if not isinstance(servers, dict):
        raise ConfigError(f"“{key}” in {file} is not an object.", _SHOW)
    after = change(servers)
    if after == servers:
        return False
    _write(folder, name, _text({**known, key: after}))
    return True


def _reached(client: str, file: Path) -> tuple[OwnFolder, str]:
    """The folder of the client's file, and its name there."""
    relative, real = Path(CLIENTS[client].of_project), Path(os.path.realpath(file))
    if not relative.name:
        return OwnFolder(real.parent), real.name
    project = Path(os.path.realpath(file.parents[len(relative.parts) - 1]))
    if not real.is_relative_to(project) or ".git" in real.relative_to(project).parts:
        raise ConfigError(f"{file} is a link that leaves the project, or leads to such a one.", _SHOW)
    return replace(OwnFolder.below(project, real.parent), is_shared=True), real.name


def _known(folder: OwnFolder, name: str) -> dict[str, object]:
    file = folder.path / name
    try:
        text = folder.read(name, _MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except StoreStrange as error:
        raise ConfigError(error.problem, _SHOW) from error
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", _SHOW) from error
    try:
        known = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        # Some clients allow comments there. Writing it again would lose them.
        raise ConfigError(f"{file} is not plain JSON: {error}.", _SHOW) from error
    if not isinstance(known, dict):
        raise ConfigError(f"{file} does not hold an object.", _SHOW)
    return known


def _write(folder: OwnFolder, name: str, text: str) -> None:
    """All of it or nothing, with the rights the file had."""
    try:
        if not folder.exists():
            folder.make(parents=not folder.is_shared)
        replace(folder, is_shared=folder.is_shared or folder.holds(name)).replace(name, text.encode())
    except StoreStrange as error:
        raise ConfigError(error.problem, _SHOW) from error
    except OSError as error:
        raise ConfigError(f"{folder.path / name} cannot be written: {error}.", _SHOW) from error


def _text(data: Mapping[str, Any]) -> str:
    return dumps(dict(data), indent=2) + "\n"
