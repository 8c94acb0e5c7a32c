"""Reads what ``tsconfig.json`` and ``jsconfig.json`` say about the names of modules: ``paths`` and ``baseUrl``.

Paths of files enter, and a way to read them; `ModulePaths` leave. The files are data: JSON with comments and trailing
commas. What they extend is followed inside the root alone; packages are not. Whatever is not understood maps nothing.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pinakes.records.module_paths import NO_MODULE_PATHS, ModulePaths, PathTable

CONFIGURATIONS = ("tsconfig.json", "jsconfig.json")
"""The first one of a folder counts."""
MOST_BYTES = 256_000
"""A larger file is no configuration that a person wrote."""
_DEEPEST = 16
"""Configurations that extend each other."""
_MOST_FOLDERS = 2_000
_MOST_PATTERNS = 5_000
_MOST_TARGETS = 8
_MOST_LETTERS = 8_000_000
"""Of all tables together: a few kilobytes that thousands of folders extend could stand for gigabytes."""
_STRINGS_AND_COMMENTS = re.compile(r'"(?:\\.|[^"\\\n])*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_STRINGS_AND_LAST_COMMAS = re.compile(r'"(?:\\.|[^"\\\n])*"?|,(?=\s*[}\]])')
_HERE = "${configDir}"

ReadConfiguration = Callable[[str], bytes | None]
"""The bytes of a file, by its path from the root; None where it cannot be had."""


class _Options(NamedTuple):
    """What one file says, with what it extends."""

    base: str | None = None
    """The folder from which names of modules are looked for."""
    paths: Mapping[str, object] | None = None
    home: str = ""
    """The folder of the file that says `paths`."""
    is_local: bool = False
    """Whether `paths` mean something else in each folder that extends them."""


def read_module_paths(names: Iterable[str], read: ReadConfiguration) -> ModulePaths:
    """What the configurations among some paths say about the folders they lie in."""
    chosen: dict[str, str] = {}
    for name in CONFIGURATIONS:
        for path in sorted(one for one in names if one == name or one.endswith(f"/{name}")):
            chosen.setdefault(posixpath.dirname(path), path)
    reader = _Reader(read)
    tables: dict[PathTable, int] = {}
    folders: dict[str, int] = {}
    for folder, path in sorted(chosen.items(), key=lambda one: (one[0].count("/"), one[0]))[:_MOST_FOLDERS]:
        table = reader.table(path, folder)
        folders[folder] = tables.setdefault(table, len(tables)) if table else -1
    return ModulePaths(folders, tuple(tables)) if tables else NO_MODULE_PATHS


class _Reader:
    """Reads each configuration once, however many others extend it."""

    def __init__(self, read: ReadConfiguration) -> None:
        self._read = read
        self._fields: dict[str, Mapping[str, object]] = {}
        self._options: dict[str, _Options] = {}
        self._tables: dict[object, PathTable] = {}
        """Each by what it is made of: many configurations extend the same one."""
        self._room = _MOST_LETTERS

    def table(self, path: str, folder: str) -> PathTable:
        """The table of a configuration, and that of configurations beside it that it only refers to; empty where there
        is no room for it any more."""
        beside = (_target(path, f"./{_text(one, 'path')}") for one in _list(self._of(path).get("references")))
        named = dict.fromkeys((path, *(one for one in beside if one and posixpath.dirname(one) == folder)))
        options = tuple(self._merged(one, 0) for one in named)
        made_of = tuple((one.base, one.home, id(one.paths)) for one in options)
        key = made_of, folder if any(one.is_local for one in options) else None
        if key not in self._tables:
            self._tables[key] = self._made(options, folder)
        return self._tables[key]

    def _made(self, merged: Sequence[_Options], folder: str) -> PathTable:
        base = next((one.base for one in merged if one.base is not None), None)
        found: dict[str, tuple[str, ...]] = {}
        for options in merged:
            for pattern, targets in list((options.paths or {}).items())[:_MOST_PATTERNS]:
                if pattern.count("*") > 1 or not (places := tuple(_places(options, targets, folder))):
                    continue
                found.setdefault(pattern, places)
                self._room -= len(pattern) + sum(map(len, places))
                if self._room < 0:
                    return ()
        if base is not None:
            last = posixpath.normpath(f"{base}/*") if base else "*"
            found = {pattern: (*places, _at_base(pattern, base)) for pattern, places in found.items()}
            found.setdefault("*", (last,))
        order = sorted(found.items(), key=lambda one: ("*" in one[0], -len(one[0].partition("*")[0]), one[0]))
        return tuple(order)

    def _merged(self, path: str, depth: int) -> _Options:
        """What a file says; what it does not say, the last of those that it extends."""
        if path in self._options:
            return self._options[path]
        self._options[path] = merged = _Options()  # for those that extend each other in a circle
        fields = self._of(path)
        extended = fields.get("extends")
        for one in extended if isinstance(extended, list) else [extended]:
            if depth < _DEEPEST and isinstance(one, str) and (other := _target(path, one)):
                further = self._merged(other, depth + 1)
                merged = _Options(
                    merged.base if further.base is None else further.base,
                    *(merged if further.paths is None else further)[1:],
                )
        told = fields.get("compilerOptions")
        told = told if isinstance(told, dict) else {}
        home = posixpath.dirname(path)
        if (base := _text(told, "baseUrl")) and (folder := _inside(home, base)) is not None:
            merged = merged._replace(base=folder)
        if isinstance(paths := told.get("paths"), dict):
            merged = merged._replace(paths=paths, home=home, is_local=_is_local(paths))
        self._options[path] = merged
        return merged

    def _of(self, path: str) -> Mapping[str, object]:
        if path not in self._fields:
            self._fields[path] = _fields(self._read(path) or b"")
        return self._fields[path]


def _fields(data: bytes) -> Mapping[str, object]:
    text = data.decode("utf-8-sig", "replace")
    text = _STRINGS_AND_COMMENTS.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    text = _STRINGS_AND_LAST_COMMAS.sub(lambda found: "" if found[0] == "," else found[0], text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, or brackets nested by the thousand
        return {}
    return found if isinstance(found, dict) else {}


def _places(options: _Options, targets: object, folder: str) -> Iterator[str]:
    """Where the targets of a pattern lie; those outside of the root are left out."""
    start = options.base if options.base is not None else options.home
    for target in _list(targets)[:_MOST_TARGETS]:
        if isinstance(target, str) and target.count("*") <= 1 and not {"|", "#"} & set(target):
            here = target.startswith(_HERE)
            place = _inside(folder if here else start, target.removeprefix(_HERE).lstrip("/") if here else target)
            if place:
                yield place


def _is_local(paths: Mapping[str, object]) -> bool:
    named = (target for targets in paths.values() for target in _list(targets)[:_MOST_TARGETS])
    return any(isinstance(one, str) and one.startswith(_HERE) for one in named)


def _at_base(pattern: str, base: str) -> str:
    """What a name means when none of its targets is there."""
    return posixpath.normpath(f"{base}/{pattern}") if base else pattern


def _target(path: str, named: str) -> str:
    """The configuration that another one names; empty for a package, and for what lies outside of the root."""
    if not named.startswith("."):
        return ""
    found = _inside(posixpath.dirname(path), named)
    return "" if not found else found if found.endswith(".json") else f"{found}.json"


def _inside(folder: str, path: str) -> str | None:
    """A path from the root; None where it leaves the root."""
    found = posixpath.normpath(posixpath.join(folder, path))
    return None if found.startswith(("..", "/")) else "" if found == "." else found


def _text(fields: object, name: str) -> str:
    value = fields.get(name) if isinstance(fields, dict) else None
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
