"""The programs that can be told of servers by a file: where each keeps it, and how it is written.

A client's name and a project enter, the path of its file leaves. Nothing is read or written here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct


class FileSyntax(StrEnum):
    """How a client's file is written."""

    JSON = "json"
    JSON_WITH_COMMENTS = "jsonc"
    """JSON in which people write comments and commas before closing brackets, and which is kept as it is written."""
    TOML = "toml"
    YAML = "yaml"
    """A file that holds our server alone."""


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
    home_variable: str = ""
    """The environment variable that names another folder for the file of the home."""
    says_type: bool = False
    """Whether an entry says how the server is spoken to."""
    syntax: FileSyntax = FileSyntax.JSON


CLIENTS: Mapping[str, ClientProgram] = {
    "claude-code": ClientProgram("Claude Code", "mcpServers", ".mcp.json", says_type=True),
    "claude-desktop": ClientProgram("Claude Desktop", "mcpServers", of_settings="Claude/claude_desktop_config.json"),
    "cursor": ClientProgram("Cursor", "mcpServers", ".cursor/mcp.json", says_type=True),
    "vscode": ClientProgram(
        "VS Code", "servers", ".vscode/mcp.json", says_type=True, syntax=FileSyntax.JSON_WITH_COMMENTS
    ),
    "codex": ClientProgram(
        "Codex",
        "mcp_servers",
        of_home=".codex/config.toml",
        home_variable="CODEX_HOME",
        syntax=FileSyntax.TOML,
    ),
    "windsurf": ClientProgram("Windsurf", "mcpServers", of_home=".codeium/windsurf/mcp_config.json"),
    "zed": ClientProgram(
        "Zed", "context_servers", of_settings="zed/settings.json", syntax=FileSyntax.JSON_WITH_COMMENTS
    ),
    "gemini": ClientProgram("Gemini CLI", "mcpServers", ".gemini/settings.json"),
    "continue": ClientProgram("Continue", "mcpServers", ".continue/mcpServers/pinakes.yaml", syntax=FileSyntax.YAML),
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
        moved = environment.get(known.home_variable) if known.home_variable else None
        return Path(moved) / Path(known.of_home).name if moved else home / known.of_home
    match platform:
        case "darwin":
            # Zed keeps to .config there, the others to the folder of the system.
            folder = home / ".config" if client == "zed" else home / "Library" / "Application Support"
        case "win32":
            folder = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        case _:
            folder = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    relative = "Zed/settings.json" if client == "zed" and platform == "win32" else known.of_settings
    return folder / relative
