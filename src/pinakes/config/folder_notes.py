"""The table ``[folders]`` of a project's settings: a note for each folder that has one."""

from __future__ import annotations

from collections.abc import Mapping

from pinakes.config.settings_files import SettingsFile
from pinakes.config.values import shown
from pinakes.errors import ConfigError

FOLDERS = "folders"
_LONGEST = 1_000
_MOST = 1_000


def read_folder_notes(found: SettingsFile) -> Mapping[str, str]:
    """Notes by the paths of folders; raises `ConfigError` for what is none."""
    table = found.values.get(FOLDERS, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{found.line(FOLDERS)}: {FOLDERS} must be a table.", f"Write it as [{FOLDERS}].")
    notes: dict[str, str] = {}
    for folder, note in table.items():
        place = found.line(f"{FOLDERS}.{folder}")
        if not isinstance(note, str) or len(note) > _LONGEST or len(notes) >= _MOST:
            raise ConfigError(
                f"{place}: the note of “{shown(folder)}” must be a text of at most {_LONGEST:,} characters.",
                'Write "docs/api" = "The public HTTP API".',
            )
        parts = [part for part in folder.split("/") if part not in ("", ".")]
        if ".." in parts or "\0" in folder or folder.startswith(("/", "~")):
            raise ConfigError(
                f"{place}: “{shown(folder)}” is no folder of this project.", "Write its path from the root: docs/api."
            )
        notes["/".join(parts)] = " ".join(note.split())
    return notes
