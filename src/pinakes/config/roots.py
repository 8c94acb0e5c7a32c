"""The further roots of a library: the wishes enter, folders by corpus leave.

A project may name folders inside itself; a link that leads out of it is refused like a path that does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from pinakes.config.consent import not_for_projects
from pinakes.config.settings import Config, SettingLevel, keys
from pinakes.config.values import shown
from pinakes.errors import ConfigError
from pinakes.records import DOCS, CorpusName

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
