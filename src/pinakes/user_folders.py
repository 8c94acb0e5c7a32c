"""Where a user's own files lie on this system: settings, data and caches. Nothing is made here.

The environment enters; a path leaves, or None when the environment names no home. Linux and macOS follow the XDG
variables, which count only when they are absolute. Windows has %APPDATA% for settings and %LOCALAPPDATA% for the rest;
data that an earlier version has put below %APPDATA% stays there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path


def config_path(name: str, environment: Mapping[str, str] = os.environ, system: str = os.name) -> Path | None:
    """The user's settings called `name`."""
    return _first(name, environment, ("APPDATA",) if system == "nt" else ("XDG_CONFIG_HOME",), ".config")


def data_path(name: str, environment: Mapping[str, str] = os.environ, system: str = os.name) -> Path | None:
    """The user's data called `name`, which nothing else holds a copy of."""
    variables = ("LOCALAPPDATA", "APPDATA") if system == "nt" else ("XDG_DATA_HOME",)
    return _first(name, environment, variables, ".local/share")


def cache_path(name: str, environment: Mapping[str, str] = os.environ, system: str = os.name) -> Path | None:
    """What can be made again and deleted at any time, called `name`."""
    if system == "nt":
        return _first(f"cache/{name}", environment, ("LOCALAPPDATA",), ".cache")
    return _first(name, environment, ("XDG_CACHE_HOME",), ".cache")


def _first(name: str, environment: Mapping[str, str], variables: Sequence[str], below_home: str) -> Path | None:
    """Where `name` exists already, else where it belongs: below the first variable that is set, else below the home."""
    bases = [base for variable in variables if os.path.isabs(base := environment.get(variable, ""))]
    if not bases and os.path.isabs(home := environment.get("HOME", "")):
        bases = [os.path.join(home, below_home)]
    places = [Path(base, "pinakes", name) for base in bases]
    return next((place for place in places if os.path.exists(place)), places[0] if places else None)
