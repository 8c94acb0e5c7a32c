"""Where the index is kept: the wish enters, one absolute folder leaves.

The index needs a folder of its own, since it writes files there and tells git to ignore that folder. Inside the root
unless the user says otherwise: a project must not be able to send our writing elsewhere, by a setting or by a link.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from pinakes.config.consent import not_for_projects
from pinakes.config.settings import STORE, SettingLevel
from pinakes.config.values import shown
from pinakes.errors import ConfigError


def place_store(wish: str, level: SettingLevel, place: str, root: Path, environment: Mapping[str, str]) -> Path:
    """The folder `wish` means when it was given at `level`.

    Arguments and the environment count from the working folder, files and the default from the root. The user's file
    speaks for many projects, so an absolute folder there holds one folder for each.
    """
    if level in (SettingLevel.PROJECT, SettingLevel.DEFAULT):
        folder = _real(root / wish)
        if not folder.is_relative_to(root):
            where = place or shown(str(root / wish), 300)
            raise not_for_projects(STORE, wish, f"leads to {shown(str(folder), 300)}, outside", where, environment)
        if ".git" in folder.relative_to(root).parts:
            raise not_for_projects(STORE, wish, "lies in git’s own folder", place, environment)
        _refuse_strange_files(folder)
    else:
        home = environment.get("HOME", "")
        wish = home + wish[1:] if home and (wish == "~" or wish.startswith("~/")) else wish
        if level is SettingLevel.USER and os.path.isabs(wish):
            folder = _real(Path(wish, _own_name(root)))
        else:
            folder = _real(root / wish) if level is SettingLevel.USER else _real(Path(wish))
    if root.is_relative_to(folder):
        raise ConfigError(
            f"{place or 'argument'}: the index cannot be kept in {shown(str(folder), 300)}, which holds the documents.",
            "Name a folder of its own, such as .pinakes.",
        )
    return folder


def _refuse_strange_files(folder: Path) -> None:
    """A project can bring its own folder of that name along: writing through a link in it would land outside, and a
    pipe in it would keep us waiting for ever.

    We never put such a thing there, so the folder is refused rather than searched for the harmless ones.
    """
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listed:
                entries = list(listed)
        except OSError:  # there is none yet, or opening the index will say what is wrong
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif not entry.is_file(follow_symlinks=False):
                raise ConfigError(
                    f"{shown(entry.path, 300)} is a link or no plain file, and does not belong into an index.",
                    "Remove it, or keep the index in a folder of your own with --store.",
                )


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _own_name(root: Path) -> str:
    """A name that says which project it is and that no other project shares."""
    return f"{root.name or 'root'}-{sha256(os.fsencode(root)).hexdigest()[:12]}"
