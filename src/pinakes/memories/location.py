"""The folder of a library's memories, and what a user may decide about it.

A root, the user's setting and the environment enter, a path leaves. Nothing is created here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pinakes.errors import ConfigError
from pinakes.user_folders import data_path


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """Where memories are kept."""

    storage: str = "project"
    """`project`: in `.memories/` of the root, where they can be shared. `user`: in your own data folder."""


FOLDER = ".memories"
_NO_HOME = 'Set XDG_DATA_HOME or HOME, or memories.storage = "project".'


def memories_folder(root: Path, options: MemoryOptions, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of a library's memories, there or not; raises `ConfigError` when the user has no place for it."""
    if options.storage != "user":
        return root / FOLDER
    base = data_path("memories", environment)
    if base is None:
        raise ConfigError("There is no data folder for your memories.", _NO_HOME)
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in root.name)[:60] or "root"
    short = hashlib.blake2b(os.fsencode(root), digest_size=5).hexdigest()
    return base / f"{name}-{short}"
