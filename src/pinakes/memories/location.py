"""The folder of a library's memories, and what a user may decide about it.

A root, the user's setting and the environment enter, a path leaves. Nothing is created here. A project's folder may be
a link to another folder of the project, and to nothing outside of it or hidden in it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pinakes.errors import ConfigError, StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.user_folders import data_path


class MemoryOptions(Struct, frozen=True):
    """Where memories are kept."""

    storage: str = "project"
    """`project`: in `.memories/` of the root, where they can be shared. `user`: in your own data folder, apart for each
    project. `everywhere`: there in one place, found from all your projects."""


FOLDER = ".memories"
EVERYWHERE = "everywhere"
_STRANGE = "Remove it, or put a plain file or folder in its place."
_NO_HOME = 'Set XDG_DATA_HOME or HOME, or memories.storage = "project".'


def memories_folder(root: Path, options: MemoryOptions, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of a library's memories, there or not; raises `ConfigError` when the user has no place for it."""
    if options.storage == "project":
        return root / FOLDER
    base = data_path("memories", environment)
    if base is None:
        raise ConfigError("There is no data folder for your memories.", _NO_HOME)
    if options.storage == EVERYWHERE:
        return base / EVERYWHERE  # no project's folder is called so: theirs end with a digest
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in root.name)[:60] or "root"
    short = hashlib.blake2b(os.fsencode(root), digest_size=5).hexdigest()
    return base / f"{name}-{short}"


def reach_memories(folder: Path, root: Path | None) -> OwnFolder:
    """The folder as it can be used now; raises `StoreStrange` when it is a link that leaves `root`.

    Without a root it is the user's own.
    """
    if root is None:
        return replace(OwnFolder.of_user(folder), next_step=_STRANGE)
    real = Path(os.path.realpath(folder))
    if not real.is_relative_to(root) or (real != folder and any(p[0] == "." for p in real.relative_to(root).parts)):
        raise StoreStrange(
            f"{folder} is a link that leaves the project, so no memories are kept there.",
            "Put a folder in its place, or remove the link.",
        )
    return replace(OwnFolder.below(root, real), is_shared=True, next_step=_STRANGE)
