"""Settings from everywhere become one frozen `Config`: argument > environment > project > user > default.

Everything is read once, here; rooms are handed their options and never look for settings themselves. Anything that is
not understood is an error at once, never a default in silence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pinakes.config.consent import refuse_reaching_out
from pinakes.config.folder_notes import FOLDERS, read_folder_notes
from pinakes.config.folders import own_name, place_store
from pinakes.config.settings import (
    STORE,
    STORE_LIBRARY,
    STORE_READ_URLS,
    STORE_URL,
    TABLES,
    Config,
    Key,
    ResolvedSetting,
    SettingLevel,
    keys,
)
from pinakes.config.settings_files import SettingsFile, read_project_file, read_user_file
from pinakes.config.values import from_text, from_value, shown
from pinakes.errors import ConfigError
from pinakes.postgres import is_database_url

PREFIX = "PINAKES_"

_NOTHING: Mapping[str, object] = MappingProxyType({})


def load_config(
    root: Path, arguments: Mapping[str, object] = _NOTHING, environment: Mapping[str, str] = os.environ
) -> Config:
    """The settings of the library at `root`.

    `arguments` go by dotted name (``{"keywords.top_n": 5, "store": path}``); None means not given.
    """
    root = Path(os.path.realpath(root))
    project = read_project_file(root)
    chosen = {dotted: ResolvedSetting(dotted, key.default, SettingLevel.DEFAULT, "") for dotted, key in keys().items()}
    for level in (_user(environment), _project(project, environment), _variables(environment), _arguments(arguments)):
        chosen.update((setting.key, setting) for setting in level)
    store, url = chosen[STORE.dotted], str(chosen[STORE_URL.dotted].value)
    if store.level is SettingLevel.ARGUMENT is not chosen[STORE_URL.dotted].level:
        url = ""  # whoever names a place means it, whatever the environment names
    if is_database_url(str(store.value)):
        url, store = url or str(store.value), ResolvedSetting(STORE.dotted, STORE.default, SettingLevel.DEFAULT, "")
    folder = place_store(str(store.value), store.level, store.place, root, environment)
    library = str(chosen[STORE_LIBRARY.dotted].value) or own_name(root)
    options: dict[str, Any] = {
        table: kind(**{key.name: chosen[dotted].value for dotted, key in keys().items() if key.table == table})
        for table, kind in TABLES.items()
    }
    notes = read_folder_notes(project) if project else {}
    return Config(
        root,
        folder,
        **options,
        folders=notes,
        store_url=url,
        store_read_urls=_read_urls(chosen[STORE_READ_URLS.dotted]) if url else (),
        store_library=library if url else "",
        origins=tuple(chosen.values()),
    )


def _read_urls(setting: ResolvedSetting) -> tuple[str, ...]:
    """The addresses of replicas, each once; raises `ConfigError` for what is no address."""
    given = setting.value
    assert isinstance(given, tuple)
    for url in given:
        if not is_database_url(url):
            place = setting.place or setting.level.value
            raise ConfigError(
                f"{place}: {setting.key} holds what is no address of a PostgreSQL database.",
                "Write each as postgresql://USER:PASSWORD@HOST/DATABASE, and addresses with commas as in TOML.",
            )
    return tuple(dict.fromkeys(given))


def _user(environment: Mapping[str, str]) -> Iterator[ResolvedSetting]:
    found = read_user_file(environment)
    return _from_file(found) if found else iter(())


def _project(found: SettingsFile | None, environment: Mapping[str, str]) -> Iterator[ResolvedSetting]:
    for setting in _from_file(found) if found else ():
        refuse_reaching_out(keys()[setting.key], setting.value, setting.place, environment)
        yield setting


def _from_file(found: SettingsFile) -> Iterator[ResolvedSetting]:
    for name, value in found.values.items():
        if name == STORE.name and not isinstance(value, dict):
            yield _read(found, STORE, value)
        elif name == FOLDERS and found.level is SettingLevel.PROJECT:
            continue  # its keys are folders
        elif name not in TABLES and name != STORE.name:
            raise _unknown(name, found.line(name), is_table=isinstance(value, dict))
        elif not isinstance(value, dict):
            raise ConfigError(f"{found.line(name)}: {name} must be a table.", f"Write it as [{name}].")
        else:
            for inner, setting in value.items():
                dotted = f"{name}.{inner}"
                if dotted not in keys():
                    raise _unknown(dotted, found.line(dotted))
                yield _read(found, keys()[dotted], setting)


def _read(found: SettingsFile, key: Key, value: object) -> ResolvedSetting:
    place = found.line(key.dotted)
    return ResolvedSetting(key.dotted, from_value(key, value, place), found.level, place)


def _variables(environment: Mapping[str, str]) -> Iterator[ResolvedSetting]:
    known = {key.variable: key for key in keys().values()}
    for name in sorted(environment):
        if not name.startswith(PREFIX) or not environment[name]:
            continue
        if name in known:
            value = from_text(known[name], environment[name], name)
            yield ResolvedSetting(known[name].dotted, value, SettingLevel.ENVIRONMENT, name)
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


def _arguments(arguments: Mapping[str, object]) -> Iterator[ResolvedSetting]:
    for name, value in arguments.items():
        if value is None:
            continue
        if name not in keys():
            raise _unknown(name, "argument")
        key = keys()[name]
        given = from_text(key, value, "argument") if isinstance(value, str) else from_value(key, value, "argument")
        yield ResolvedSetting(name, given, SettingLevel.ARGUMENT, "")


def _unknown(written: str, place: str, *, is_table: bool = False) -> ConfigError:
    import difflib

    thing = f"table [{shown(written)}]" if is_table else f"setting “{shown(written)}”"
    short = written[:80]
    candidates = [*TABLES, FOLDERS] if is_table else list(keys())
    near = difflib.get_close_matches(short, candidates, 1, 0.5)
    if not near:  # right name, wrong table
        last = short.rpartition(".")[2]
        near = [dotted for dotted in candidates if difflib.get_close_matches(last, [dotted.rpartition(".")[2]])][:1]
    offer = f"[{near[0]}]" if near and is_table else f"“{near[0]}”" if near else ""
    step = f"Did you mean {offer}?" if offer else f"Known are {', '.join(candidates)}."
    return ConfigError(f"{place}: there is no {thing}.", step)
