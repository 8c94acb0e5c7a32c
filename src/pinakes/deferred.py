"""Names of a package that are imported when they are first used.

A package that offers much would otherwise be loaded as a whole by whoever needs its options alone; a command that
answers in a fifth of a second cannot wait for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def deferred(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """What a package takes for its `__getattr__`: `homes` has the module of each name."""

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return get
