"""Where memories are kept.

A root, the user's choice and the environment enter, a folder leaves. Nothing is made here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from pinakes.errors import ConfigError
from pinakes.memories.options import MemoryOptions

FOLDER = ".memories"
_NO_HOME = 'Set XDG_DATA_HOME or HOME, or memories.storage = "project".'


def memories_folder(root: Path, options: MemoryOptions, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of a library's memories, there or not; raises `ConfigError` when the user has no place for it."""
    if options.storage != "user":
        return root / FOLDER
    base = _data_folder(environment)
    if not os.path.isabs(base):
        raise ConfigError("There is no data folder of yours to keep memories in.", _NO_HOME)
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in root.name)[:60] or "root"
    short = hashlib.blake2b(os.fsencode(root), digest_size=5).hexdigest()
    return Path(base, "pinakes", "memories", f"{name}-{short}")


def _data_folder(environment: Mapping[str, str]) -> str:
    if os.name == "nt":
        return environment.get("APPDATA", "")
    base = environment.get("XDG_DATA_HOME", "")
    if os.path.isabs(base):
        return base
    home = environment.get("HOME", "")
    return os.path.join(home, ".local", "share") if home else ""
