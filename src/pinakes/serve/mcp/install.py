"""Telling a client where to find us: its configuration file gets one entry, and everything else in it stays.

A client's name and a command line enter; the file's new text leaves or is written, all of it or nothing. No other
program is run. A project may have brought a link along: one that leaves it is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from pinakes.errors import ConfigError, StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.render import Json
from pinakes.serve.mcp.clients import CLIENTS, place
from pinakes.serve.mcp.entry_text import KeptText, changed_text

__all__ = ["CLIENTS", "entry", "install", "place", "remove", "shown"]

_MOST_BYTES = 10_000_000
_SHOW = "With --print the entry is only shown, to be put there by hand."


def entry(client: str, command: Sequence[str]) -> dict[str, Json]:
    """How the client is told to start us."""
    start: dict[str, Json] = {"command": command[0], "args": list(command[1:])}
    return {"type": "stdio", **start} if CLIENTS[client].says_type else start


def shown(client: str, command: Sequence[str]) -> str:
    """What the file would hold if there were nothing else in it."""
    known = CLIENTS[client]
    return changed_text(known.syntax, "", known.key, entry(client, command)) or ""


def install(client: str, file: Path, command: Sequence[str]) -> bool:
    """Put our entry into the file; False when it is there already, word for word."""
    return _changed(client, file, entry(client, command))


def remove(client: str, file: Path) -> bool:
    """Take our entry out of the file; False when there is none."""
    return _changed(client, file, None)


def _changed(client: str, file: Path, wanted: dict[str, Json] | None) -> bool:
    folder, name = _reached(client, file)
    known = CLIENTS[client]
    try:
        after = changed_text(known.syntax, _text(folder, name), known.key, wanted)
    except KeptText as error:
        raise ConfigError(f"{file} {error}.", _SHOW) from error
    if after is None:
        return False
    if after:
        _write(folder, name, after)
    else:  # a file that held us alone
        folder.remove(name)
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


def _text(folder: OwnFolder, name: str) -> str:
    """The text of the file; empty when there is none."""
    file = folder.path / name
    try:
        return folder.read(name, _MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except StoreStrange as error:
        raise ConfigError(error.problem, _SHOW) from error
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", _SHOW) from error


def _write(folder: OwnFolder, name: str, text: str) -> None:
    """All of it or nothing, with the rights the file had."""
    try:
        if not folder.exists():
            folder.make(parents=not folder.is_shared)
        replace(folder, is_shared=folder.is_shared or folder.holds(name)).replace(name, text.encode())
    except StoreStrange as error:
        raise ConfigError(error.problem, _SHOW) from error
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{folder.path / name} cannot be written: {error}.", _SHOW) from error
