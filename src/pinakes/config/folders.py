"""Resolves the folders that settings name: the folder of the index, and the further roots of a library.

A setting and where it was set enter, absolute folders leave. The index needs a folder of its own, since it writes files
there and tells git to ignore that folder. A project may name folders inside itself only: neither a setting nor a link
of a project can send our writing elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from pinakes.config.consent import not_for_projects
from pinakes.config.settings import STORE, Config, SettingLevel, keys
from pinakes.config.values import shown
from pinakes.errors import ConfigError
from pinakes.records import DOCS, CorpusName
from pinakes.user_folders import data_path


def place_store(wish: str, level: SettingLevel, place: str, root: Path, environment: Mapping[str, str]) -> Path:
    """The folder `wish` means when it was given at `level`.

    Arguments and the environment count from the working folder, files and the default from the root. The user's file
    speaks for many projects, so an absolute folder there holds one folder for each. Where nobody said anything and the
    root can only be read, it is a folder of the user's data.
    """
    is_closed = not os.path.lexists(root / wish) and not os.access(root, os.W_OK)
    own = data_path(f"indexes/{own_name(root)}", environment)
    if level is SettingLevel.DEFAULT and is_closed and own:
        return _real(own)
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
            folder = _real(Path(wish, own_name(root)))
        else:
            folder = _real(root / wish) if level is SettingLevel.USER else _real(Path(wish))
    if root.is_relative_to(folder):
        raise ConfigError(
            f"{place or 'argument'}: the index cannot be kept in {shown(str(folder), 300)}, which holds the documents.",
            "Name a folder of its own, such as .pinakes.",
        )
    return folder


def _refuse_strange_files(folder: Path) -> None:
    """A project can bring a folder of that name along, with links and pipes in it.

    We never put such a thing there, so all of the folder is refused, once, when a library is opened. What comes later
    is met by `own_folder`, which looks at every step of every access.
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


def own_name(root: Path) -> str:
    """A name that says which project it is and that no other project shares."""
    return f"{root.name or 'root'}-{sha256(os.fsencode(root)).hexdigest()[:12]}"


_KEY = "roots.more"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}\Z")


def further_roots(config: Config, environment: Mapping[str, str] = os.environ) -> Mapping[CorpusName, Path]:
    """Each further root's folder by the name of its corpus, ``docs@NAME``."""
    origin = next(one for one in config.origins if one.key == _KEY)
    found: dict[CorpusName, Path] = {}
    for wish in config.roots.more:
        name, equals, folder = wish.partition("=")
        if not equals or not folder or not _NAME.match(name):
            raise ConfigError(
                f"{_KEY}: “{shown(wish)}” is not a root.", "Write name=folder, the name in small letters: api=../docs."
            )
        corpus = f"{DOCS}@{name}"
        if corpus in found:
            raise ConfigError(f"{_KEY}: two roots are called “{name}”.", "Give one of them another name.")
        real = Path(os.path.realpath(config.root / os.path.expanduser(folder)))
        if origin.level is SettingLevel.PROJECT and not real.is_relative_to(config.root):
            reason = f"leads to {shown(str(real), 300)}, outside"
            raise not_for_projects(keys()[_KEY], wish, reason, origin.place, environment)
        if not os.path.isdir(real):
            raise ConfigError(f"{_KEY}: {shown(str(real), 300)} is not a folder.", "Name a folder of documents.")
        found[corpus] = real
    return found
