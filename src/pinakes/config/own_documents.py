"""Tells whether documents lie in a folder that nobody named, or in its folders.

A folder enters, a yes or no leaves. Names are looked at, nothing is opened. A yes makes a library of all that is below
the folder, so what only belongs to somebody's home, to another project or to installed packages is no reason for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Set
from itertools import islice
from pathlib import Path

from pinakes.config.settings import STORE_FOLDER
from pinakes.records import media_of
from pinakes.sources.folder_rules import NEVER_ENTERED, SHUT

_OF_THEIR_OWN = SHUT.keys() | {".git", "pinakes.toml", STORE_FOLDER}
"""Names that stand in another project, or in what nobody wrote."""
_HOME = frozenset((".bashrc", ".bash_history", ".profile", ".zshrc", ".ssh", ".local", "AppData", "NTUSER.DAT"))
"""Names that stand in the home of somebody, whoever asks: under sudo `HOME` is another one."""
_LEVELS = 4
"""How deep folders are looked into; 1 is the folder itself."""
_MOST = 5_000
"""Names that are looked at."""


def holds_documents(folder: Path) -> bool:
    """Whether documents lie in a folder itself, or in folders of it that are no projects of their own. The home of
    somebody holds none but those that lie in it directly."""
    names, folders = _listed(str(folder))
    if "docs" in names or _any_document(names):
        return True
    return not names & _HOME and any(_any_document(below) for below in _below(folders))


def _below(folders: list[str]) -> Iterator[Set[str]]:
    """The names in each of these folders and in theirs, the nearest first."""
    left = _MOST
    for _ in range(_LEVELS - 1):
        deeper: list[str] = []
        for path in sorted(folders):
            names, inner = _listed(path)
            left -= len(names)
            if left < 0:
                return
            if not names & _OF_THEIR_OWN:
                yield names
                deeper += inner
        folders = deeper


def _listed(folder: str) -> tuple[Set[str], list[str]]:
    """The names in a folder, and its folders that can hold documents; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            found = [(one.name, one.path, one.is_dir(follow_symlinks=False)) for one in islice(entries, _MOST)]
    except OSError:
        return frozenset(), []
    inner = [
        path for name, path, is_folder in found if is_folder and not name.startswith(".") and name not in NEVER_ENTERED
    ]
    return {name for name, _, _ in found}, inner


def _any_document(names: Set[str]) -> bool:
    return any(media_of(name).is_document for name in names)
