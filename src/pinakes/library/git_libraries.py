"""Libraries from git: repositories of others under names of the user's, mirrored and indexed without a working tree.

Names, addresses and revisions enter; a library that can be asked leaves. Each lies in the user's data folder:

    NAME/library.json   {"address": "https://…", "ref": "main", "path": "docs/", …}, signed
    NAME/mirror/        a bare repository
    NAME/index/         the indexes of its revisions

Nothing in the repository decides how it is read: the settings are the user's own. Where these name a database, its
libraries are meant instead (`library.queued`), which every machine knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import replace

from pinakes.config import Config, load_config
from pinakes.errors import ConfigError, NotFound
from pinakes.folder_lock import exclusive_lock
from pinakes.index import ignore_progress
from pinakes.library.corpora import corpora
from pinakes.library.library import Library, PastLibrary
from pinakes.library.past import PastIndexes
from pinakes.own_folder import OwnFolder
from pinakes.ports import Progress
from pinakes.records.jobs import GitLibrary
from pinakes.sources.git.at_revision import tree_at
from pinakes.sources.git.mirror import DEFAULT, address_of, fetch
from pinakes.user_folders import data_path
from pinakes.user_key import read_signed, write_signed
from pinakes.write_log import log_writes

_RECORD = "library.json"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}\Z")
_PATH = re.compile(r"[^/\\:]+(?:/[^/\\:]+)*/\Z")


def wanted_library(name: str, address: str, ref: str = "", path: str = "") -> GitLibrary:
    """A library as somebody asks for it; raises `ConfigError` for what can be none."""
    inside = f"{path.strip('/')}/" if path.strip("/") else ""
    return possible_library(GitLibrary(name, address_of(address), ref, inside))


def possible_library(one: GitLibrary) -> GitLibrary:
    """A library that somebody wrote down, unless its name or its folder can be none: then `ConfigError` is raised. Its
    address is looked at by who fetches from it."""
    if not _NAME.match(one.name):
        raise ConfigError(f"“{one.name[:80]}” is no name of a library.", "Use small letters, digits, - and _.")
    if one.path and (not _PATH.match(one.path) or {".", ".."} & set(one.path.split("/"))):
        raise ConfigError(f"“{one.path[:200]}” is no folder of a repository.", "Write it from the top: docs/guide.")
    return one


class GitLibraries:
    """All of a user's."""

    def __init__(self) -> None:
        place = data_path("libraries")
        if place is None:
            raise ConfigError("There is no home to keep libraries in.", "Set HOME or XDG_DATA_HOME.")
        self._folder = OwnFolder.of_user(place)

    def list(self) -> tuple[GitLibrary, ...]:
        """Every library, by name."""
        try:
            names = self._folder.names()[0]
        except FileNotFoundError:
            return ()
        return tuple(one for name in names if (one := self._read(name)) is not None)

    def asked_names(self) -> tuple[str, ...]:
        """Those that can be asked now."""
        return tuple(one.name for one in self.list())

    def get(self, name: str) -> GitLibrary:
        """The library of that name; raises `NotFound` with the names there are."""
        found = self._read(name) if _NAME.match(name) else None
        if found is None:
            names = ", ".join(one.name for one in self.list())
            step = f"There are {names}." if names else "pinakes library add NAME --git URL makes one."
            raise NotFound(f"There is no library “{name[:80]}”.", step)
        return found

    def add(
        self, name: str, address: str, ref: str = "", path: str = "", *, progress: Progress = ignore_progress
    ) -> GitLibrary:
        """Mirror a repository and index it; raises `ConfigError`, `Unreadable`, and `NotFound` for a `ref` or `path`
        that it does not have. Then there is no library of that name."""
        wanted = wanted_library(name, address, ref, path)
        if self._read(name) is not None:
            raise ConfigError(f"There is a library “{name}” already.", f"pinakes library remove {name} removes it.")
        try:
            made = self._fetched(wanted, progress)
        except BaseException:
            self._folder.remove_tree(name)
            raise
        log_writes("library add", [(name, made.address)])
        return made

    def sync(self, name: str, *, progress: Progress = ignore_progress) -> GitLibrary:
        """Fetch what is new and index it; raises `NotFound` and `Unreadable`. What was there goes on being asked."""
        return self._fetched(self.get(name), progress)

    def remove(self, name: str) -> GitLibrary:
        """Remove a library with its mirror and its indexes; raises `NotFound`."""
        found = self.get(name)
        with exclusive_lock(self._folder.folder(name), "mirrors"):
            self._folder.folder(name).remove(_RECORD)
        self._folder.remove_tree(name)
        log_writes("library remove", [(name, found.address)])
        return found

    @contextmanager
    def opened(
        self, name: str, revision: str = "", *, has_files: bool = True, progress: Progress = ignore_progress
    ) -> Iterator[Library]:
        """A library to be asked, as it was fetched last or at another revision; raises `NotFound`. It always has its
        files here, whether `has_files` asks for them or not."""
        found = self.get(name)
        indexes = self._indexes(found)
        try:
            with indexes.at(revision or found.commit, progress) as library:
                yield library
        finally:
            indexes.close()

    def _fetched(self, wanted: GitLibrary, progress: Progress) -> GitLibrary:
        folder = self._folder.folder(wanted.name)
        folder.make(parents=True)
        with exclusive_lock(folder, "mirrors"):
            with suppress(FileNotFoundError):
                _refuse_links(folder.folder("mirror"))  # git would write through them
            fetch(self._mirror(wanted), wanted.address)
            commit = tree_at(str(self._mirror(wanted)), wanted.ref or DEFAULT, wanted.path).commit
            made = replace(wanted, commit=commit, synced=datetime.now(UTC).isoformat(timespec="seconds"))
            indexes = self._indexes(made)
            try:
                with indexes.at(commit, progress):
                    pass
            finally:
                indexes.close()
            write_signed(folder, _RECORD, to_builtins(made), durable=True)
        return made

    def _read(self, name: str) -> GitLibrary | None:
        try:
            return GitLibrary(**(read_signed(self._folder.folder(name), _RECORD) or {}))
        except (TypeError, OSError):
            return None

    def _mirror(self, one: GitLibrary) -> Path:
        return self._folder.folder(one.name, "mirror").path

    def _config(self, one: GitLibrary) -> Config:
        """The user's own settings."""
        index = self._folder.folder(one.name, "index").path
        return load_config(self._mirror(one), {"store": index, "store.url": ""})

    def _indexes(self, one: GitLibrary) -> PastIndexes[Library]:
        with suppress(FileNotFoundError):
            self._folder.folder(one.name, "index").names()  # raises `StoreStrange` for a link: its end is not ours
        mirror, config = self._mirror(one), self._config(one)
        make = partial(PastLibrary, mirror, config)
        return PastIndexes(mirror, config, corpora(mirror, config), make, one.path)


def _refuse_links(folder: OwnFolder) -> None:
    """Raise `StoreStrange` where a folder of ours holds a link, at any depth."""
    for name in folder.names()[0]:
        _refuse_links(folder.folder(name))
