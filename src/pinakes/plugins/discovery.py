"""Which plug-ins are installed, by the metadata of packages.

Only folders of installed packages are read, never the present folder or one of documents: whoever installs a package
runs its code anyway. `importlib.metadata` reads the metadata of every package, which takes longer than a search; here
one small file of each is read.
"""

from __future__ import annotations

import os
import sys
from configparser import ConfigParser
from configparser import Error as BadEntries
from functools import cache
from pathlib import Path

from msgspec import Struct

GROUPS = ("formats", "embedders", "finders")
_PREFIX = "pinakes."
_INSTALLED = frozenset(("site-packages", "dist-packages"))
_MOST_BYTES = 1_000_000


class PluginEntry(Struct, frozen=True):
    """A plug-in as a package declares it."""

    group: str
    name: str
    target: str
    """Module and attribute."""
    package: str
    version: str

    @property
    def called(self) -> str:
        """For sentences."""
        return f"The plug-in “{self.name}” ({self.group}, of {self.package} {self.version})"


@cache
def installed_plugins() -> tuple[PluginEntry, ...]:
    """All plug-ins, by group and name. A package that is found twice counts where Python would import it."""
    found: dict[tuple[str, str], PluginEntry] = {}
    packages: set[str] = set()
    try:
        present = os.getcwd()
    except OSError:  # it was removed
        present = ""
    for folder in sys.path:
        if os.path.basename(folder) in _INSTALLED and os.path.isabs(folder) and folder != present:
            _read_folder(folder, packages, found)
    return tuple(found[key] for key in sorted(found, key=lambda key: (GROUPS.index(key[0]), key[1])))


def _read_folder(folder: str, packages: set[str], found: dict[tuple[str, str], PluginEntry]) -> None:
    try:
        names = sorted(one for one in os.listdir(folder) if one.endswith(".dist-info"))
    except OSError:
        return
    for name in names:
        package, _, version = name.removesuffix(".dist-info").partition("-")
        if package in packages:
            continue
        packages.add(package)
        for entry in _entries(Path(folder, name, "entry_points.txt"), package.replace("_", "-"), version):
            found.setdefault((entry.group, entry.name), entry)


def _entries(path: Path, package: str, version: str) -> list[PluginEntry]:
    try:
        data = path.read_bytes()[:_MOST_BYTES]
    except OSError:
        return []
    if f"[{_PREFIX}".encode() not in data:
        return []
    parser = ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(data.decode("utf-8", "replace"))
    except BadEntries:
        return []
    return [
        PluginEntry(group, name, target.strip(), package, version)
        for group in GROUPS
        if parser.has_section(_PREFIX + group)
        for name, target in parser.items(_PREFIX + group)
    ]
