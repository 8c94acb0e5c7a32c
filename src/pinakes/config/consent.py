"""What a project's own file may not decide, because whoever wrote the project is not the one who runs it.

A key and its value enter; nothing leaves, or an error that says how the user can decide it themselves. The rule is the
same for every key, so that a new one is guarded before anybody thinks of it: a project speaks of places inside itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from pinakes.config.settings import Key
from pinakes.config.settings_files import user_file
from pinakes.config.values import shown
from pinakes.errors import ConfigError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|.*://", re.DOTALL)
"""A URL, a drive letter, or a host with its port."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")

NAMES_ONLY = frozenset({"keywords.model", "neural.model", "neural.reranker"})
"""Keys that name something installed: in a project's file a bare word, never a path, a host or a URL."""

ANCHORED = frozenset({"sources.exclude"})
"""Keys whose leading slash means the root of the project; leaving files out reaches nothing."""

LEFT_OUT = frozenset({"check.exclude"})
"""Keys whose addresses are not asked for anything, so that naming one reaches nothing."""

USERS_ONLY: Mapping[str, str] = MappingProxyType(
    {
        "added.allow": "opens a private network",
        "store.url": "sends the index to a server",
        "store.read_urls": "asks other servers",
        "store.library": "decides over the index of another library",
        "page": "names a program of the user",
        "work": "decides what is sent to whom, and who pays",
    }
)
"""Keys and tables no project may set, and what they would do."""


def refuse_reaching_out(key: Key, value: object, place: str, environment: Mapping[str, str]) -> None:
    """Raise when a project's file names something outside the project."""
    for text in value if isinstance(value, tuple) else (value,):
        reason = USERS_ONLY.get(key.dotted) or USERS_ONLY.get(key.table, "")
        if not reason and isinstance(text, str):
            reason = _reason(key, text)
        if reason:
            raise not_for_projects(key, text, reason, place, environment)


def not_for_projects(key: Key, text: object, reason: str, place: str, environment: Mapping[str, str]) -> ConfigError:
    """The refusal, and how the user can decide it themselves."""
    own = user_file(environment)
    file = f"put it in your own file ({shown(str(own), 300)})" if own else "put it in your own file"
    return ConfigError(
        f"{place}: {key.dotted} is “{shown(text)}”, which {reason}; a project’s file may not decide that.",
        f"If you want it, {file} or set {key.variable}.",
    )


def _reason(key: Key, text: str) -> str:
    if key.dotted in LEFT_OUT:
        return ""
    if key.dotted == "roots.more":
        text = text.partition("=")[2] or text
    if key.table == "sources":
        text = text.removeprefix("!")  # a pattern that takes back an earlier one
    if _SCHEME.match(text):
        return "names a drive, a host or a URL"
    if text.startswith(("/", "\\", "~")) and not (key.dotted in ANCHORED and re.match(r"/(?!/)", text)):
        return "is an absolute path"
    if ".." in re.split(r"[/\\]", text):
        return "leaves its folder"
    if key.dotted in NAMES_ONLY and text and not _NAME.match(text):
        return "is not a plain name"
    return ""
