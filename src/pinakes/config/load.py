"""Settings from everywhere become one frozen `Config`: argument > environment > project > user > default.

Everything is read once, here; rooms are handed their options and never look for settings themselves. Anything that is
not understood is an error at once, never a default in silence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from pinakes.added import AddedOptions
from pinakes.chunk import ChunkOptions
from pinakes.config.consent import refuse_reaching_out
from pinakes.config.folders import place_store
from pinakes.config.settings import STORE, TABLES, Config, Key, ResolvedSetting, SettingLevel, keys
from pinakes.config.settings_files import SettingsFile, read_project_file, read_user_file
from pinakes.config.values import from_text, from_value, shown
from pinakes.enrich import KeywordOptions
from pinakes.errors import ConfigError
from pinakes.index import SyncOptions
from pinakes.memories import MemoryOptions
from pinakes.neural import NeuralOptions
from pinakes.outline import MapOptions
from pinakes.search import SearchOptions, Weighing
from pinakes.sources import FolderOptions, HistoryOptions, RootOptions, WatchOptions

PREFIX = "PINAKES_"

_Options = TypeVar("_Options")
_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Given:
    """One value that somebody gave."""

    key: Key
    value: object
    level: SettingLevel
    place: str


def load_config(
    root: Path, arguments: Mapping[str, object] = _NOTHING, environment: Mapping[str, str] = os.environ
) -> Config:
    """The settings of the library at `root`.

    `arguments` go by dotted name (``{"keywords.top_n": 5, "store": path}``); None means not given.
    """
    root = Path(os.path.realpath(root))
    chosen = {dotted: _Given(key, key.default, SettingLevel.DEFAULT, "") for dotted, key in keys().items()}
    for level in (_user(environment), _project(root, environment), _variables(environment), _arguments(arguments)):
        chosen.update((given.key.dotted, given) for given in level)
    store = chosen[STORE.dotted]
    return Config(
        root=root,
        store=place_store(str(store.value), store.level, store.place, root, environment),
        sources=_options(FolderOptions, "sources", chosen),
        keywords=_options(KeywordOptions, "keywords", chosen),
        map=_options(MapOptions, "map", chosen),
        chunks=_options(ChunkOptions, "chunks", chosen),
        search=_options(SearchOptions, "search", chosen),
        weights=_options(Weighing, "weights", chosen),
        neural=_options(NeuralOptions, "neural", chosen),
        sync=_options(SyncOptions, "sync", chosen),
        roots=_options(RootOptions, "roots", chosen),
        watch=_options(WatchOptions, "watch", chosen),
        history=_options(HistoryOptions, "history", chosen),
        memories=_options(MemoryOptions, "memories", chosen),
        added=_options(AddedOptions, "added", chosen),
        origins=tuple(
            ResolvedSetting(given.key.dotted, given.value, given.level, given.place) for given in chosen.values()
        ),
    )


def _options(options: type[_Options], table: str, chosen: Mapping[str, _Given]) -> _Options:
    return options(**{given.key.name: given.value for given in chosen.values() if given.key.table == table})


def _user(environment: Mapping[str, str]) -> Iterator[_Given]:
    found = read_user_file(environment)
    return _from_file(found) if found else iter(())


def _project(root: Path, environment: Mapping[str, str]) -> Iterator[_Given]:
    found = read_project_file(root)
    for given in _from_file(found) if found else ():
        refuse_reaching_out(given.key, given.value, given.place, environment)
        yield given


def _from_file(found: SettingsFile) -> Iterator[_Given]:
    for name, value in found.values.items():
        if name == STORE.name:
            yield _read(found, STORE, value)
        elif name not in TABLES:
            raise _unknown(name, found.line(name), is_table=isinstance(value, dict))
        elif not isinstance(value, dict):
            raise ConfigError(f"{found.line(name)}: {name} must be a table.", f"Write it as [{name}].")
        else:
            for inner, setting in value.items():
                dotted = f"{name}.{inner}"
                if dotted not in keys():
                    raise _unknown(dotted, found.line(dotted))
                yield _read(found, keys()[dotted], setting)


def _read(found: SettingsFile, key: Key, value: object) -> _Given:
    place = found.line(key.dotted)
    return _Given(key, from_value(key, value, place), found.level, place)


def _variables(environment: Mapping[str, str]) -> Iterator[_Given]:
    known = {key.variable: key for key in keys().values()}
    for name in sorted(environment):
        if not name.startswith(PREFIX) or not environment[name]:
            continue
        if name in known:
            key = known[name]
            yield _Given(key, from_text(key, environment[name], name), SettingLevel.ENVIRONMENT, name)
        else:
            _refuse_near_miss(name, sorted(known))


def _refuse_near_miss(name: str, known: list[str]) -> None:
    """A slip in a variable is an error; a variable that only happens to share the prefix is somebody else's.

    (A cluster that runs a service called “pinakes” sets PINAKES_PORT and PINAKES_SERVICE_HOST for every program in it.)
    """
    import difflib

    ours = any(name.startswith(f"{PREFIX}{table.upper()}_") for table in TABLES)
    bare = [variable.removeprefix(PREFIX) for variable in known]
    near = difflib.get_close_matches(name.removeprefix(PREFIX)[:80], bare, 1, 0.5 if ours else 0.8)
    if near or ours:
        hint = f"Did you mean {PREFIX}{near[0]}?" if near else f"Known are {', '.join(known)}."
        raise ConfigError(f"The environment sets {shown(name)}, which is not a setting.", hint)


def _arguments(arguments: Mapping[str, object]) -> Iterator[_Given]:
    for name, value in arguments.items():
        if value is None:
            continue
        if name not in keys():
            raise _unknown(name, "argument")
        key = keys()[name]
        take = from_text(key, value, "argument") if isinstance(value, str) else from_value(key, value, "argument")
        yield _Given(key, take, SettingLevel.ARGUMENT, "")


def _unknown(written: str, place: str, *, is_table: bool = False) -> ConfigError:
    import difflib

    thing = f"table [{shown(written)}]" if is_table else f"setting “{shown(written)}”"
    short = written[:80]
    candidates = list(TABLES) if is_table else list(keys())
    near = difflib.get_close_matches(short, candidates, 1, 0.5)
    if not near:  # right name, wrong table
        last = short.rpartition(".")[2]
        near = [dotted for dotted in candidates if difflib.get_close_matches(last, [dotted.rpartition(".")[2]])][:1]
    offer = f"[{near[0]}]" if near and is_table else f"“{near[0]}”" if near else ""
    step = f"Did you mean {offer}?" if offer else f"Known are {', '.join(candidates)}."
    return ConfigError(f"{place}: there is no {thing}.", step)
