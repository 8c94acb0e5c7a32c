"""Load plug-ins, and say what is wrong with one by its name.

A plug-in that cannot be loaded costs nothing but itself: `plugin_states` tells of it, and whoever asks for it by name
gets a `PluginFailed`.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from importlib import import_module

from msgspec import Struct

from pinakes.errors import PluginFailed
from pinakes.plugins.discovery import PluginEntry, installed_plugins
from pinakes.plugins.promise import PROMISE, EmbedderPlugin, FinderPlugin, FormatPlugin
from pinakes.records.media import FORMATS, Media, add_format, format_of_ending

Plugin = FormatPlugin | EmbedderPlugin | FinderPlugin
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}\Z")
_ENDING = re.compile(r"[a-z0-9][a-z0-9_+.-]{0,19}\Z")
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
_WIDEST = 16_384
_CONVERTER = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*\Z")


class PluginGroup(StrEnum):
    """What plug-ins add."""

    FORMATS = "formats"
    EMBEDDERS = "embedders"
    FINDERS = "finders"


_KINDS: dict[str, type[Plugin]] = {
    PluginGroup.FORMATS: FormatPlugin,
    PluginGroup.EMBEDDERS: EmbedderPlugin,
    PluginGroup.FINDERS: FinderPlugin,
}


class PluginState(Struct, frozen=True):
    """A plug-in that is installed, and whether it works."""

    name: str
    group: str
    package: str
    version: str
    target: str
    adds: str = ""
    """What it adds: the endings of a format, the model of an embedder."""
    problem: str = ""
    """Why it is left out; empty when it works."""


@cache
def _loaded(entry: PluginEntry) -> Plugin | str:
    """The plug-in, or what is wrong with it."""
    try:
        return _checked(entry, _found(entry))
    except PluginFailed as failed:
        return failed.problem


def _found(entry: PluginEntry) -> object:
    module, _, attribute = entry.target.partition(":")
    try:
        return getattr(import_module(module), attribute.strip())
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise PluginFailed(f"{entry.called} cannot be loaded: {said}.", _step(entry)) from error


def _checked(entry: PluginEntry, found: object) -> Plugin:
    kind = _KINDS[entry.group]
    promise = getattr(found, "promise", None)
    if promise != PROMISE and isinstance(promise, int):
        raise PluginFailed(
            f"{entry.called} is written for version {promise} of the promise; this Pinakes keeps version {PROMISE}.",
            _step(entry),
        )
    if not isinstance(found, kind):
        raise PluginFailed(f"{entry.called} is no {kind.__name__}: {entry.target} is {type(found).__name__}.", "")
    if not _NAME.match(entry.name):
        raise PluginFailed(f"{entry.called} has no plain name: small letters, digits and hyphens.", _step(entry))
    if isinstance(found, FormatPlugin):
        _register(entry, found)
    if isinstance(found, EmbedderPlugin) and not (_MODEL.match(found.name) and 0 < found.dimensions <= _WIDEST):
        raise PluginFailed(f"{entry.called} has no plain name for its vectors, or no dimensions.", _step(entry))
    return found


def _register(entry: PluginEntry, plugin: FormatPlugin) -> None:
    """Make the format known; raises `PluginFailed` where it takes what others have."""
    wrong = [one for one in plugin.endings if not _ENDING.match(one)]
    taken = [one for one in plugin.endings if format_of_ending(one) is not None]
    if not plugin.endings or wrong:
        raise PluginFailed(f"{entry.called} names no ending of files that could be one: {wrong}.", _step(entry))
    if entry.name in FORMATS or taken:
        has = f"the ending .{taken[0]}" if taken else "its name"
        raise PluginFailed(f"{entry.called} is left out: another format has {has}.", _step(entry))
    if not _CONVERTER.match(plugin.convert):
        raise PluginFailed(f"{entry.called} names no function to convert with: “{plugin.convert}”.", _step(entry))
    add_format(
        Media(
            entry.name,
            "pinakes.parse.guarded:parse_guarded",
            plugin.endings,
            mime_type=plugin.mime_type,
            is_prose=plugin.is_prose,
            is_linkable=plugin.is_linkable,
            is_markdown=True,
            is_converted=True,
            converter=plugin.convert,
            plugin=f"{entry.name} of {entry.package} {entry.version}",
        )
    )


def plugins_of(group: PluginGroup) -> dict[str, Plugin]:
    """The plug-ins of a group that work, by their names. Those of formats are known to everybody from then on."""
    loaded = {entry.name: _loaded(entry) for entry in installed_plugins() if entry.group == group}
    return {name: one for name, one in loaded.items() if not isinstance(one, str)}


def plugin_named(group: PluginGroup, name: str) -> Plugin | None:
    """The plug-in with a name; None when there is none. Raises `PluginFailed` for one that does not work."""
    for entry in installed_plugins():
        if (entry.group, entry.name) == (group, name):
            loaded = _loaded(entry)
            if isinstance(loaded, str):
                raise PluginFailed(loaded, _step(entry))
            return loaded
    return None


def plugin_states() -> tuple[PluginState, ...]:
    """Every plug-in that is installed, and whether it works."""
    return tuple(_state(entry, _loaded(entry)) for entry in installed_plugins())


def _state(entry: PluginEntry, loaded: Plugin | str) -> PluginState:
    adds = ""
    if isinstance(loaded, FormatPlugin):
        adds = " ".join(f".{one}" for one in loaded.endings)
    if isinstance(loaded, EmbedderPlugin):
        adds = f"{loaded.name}, {loaded.dimensions} numbers"
    problem = loaded if isinstance(loaded, str) else ""
    return PluginState(entry.name, entry.group, entry.package, entry.version, entry.target, adds, problem)


def failed(group: PluginGroup, name: str, error: Exception) -> PluginFailed:
    """What a plug-in that was called made of it."""
    entry = next(one for one in installed_plugins() if (one.group, one.name) == (group, name))
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return PluginFailed(f"{entry.called} failed: {said}.", _step(entry))


def _step(entry: PluginEntry) -> str:
    return f"Ask its makers, or take it out: pip uninstall {entry.package}"
