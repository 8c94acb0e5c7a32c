"""Models that the user has named: where they lie and what is known about each. Loads no numerics.

One folder a model, in the user's own data folder and never in a project, because a model may be an address that texts
are sent to:

    NAME/registered.json   {"model": "http://…#name", "key_variable": "…", "timeout_s": 30}, or a model spelled
                           sentence-transformers:…; not there when the model itself lies beside it
    NAME/pinakes.json      {"dense_weight": 0.55, "noise": 0.35, "abstention": {"bias": -4.93, …}}: its `Traits`;
                           optional, and read beside every model
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from msgspec import Struct

from pinakes.errors import ConfigError
from pinakes.neural.model_files import read_settings
from pinakes.records import Abstention, Traits
from pinakes.user_folders import data_path

REGISTERED = "registered.json"
TRAITS = "pinakes.json"
PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}\Z")
BUILT_IN = ("static", "docs", "minilm", "auto")

_FAMILIES = {"e5": 0.75, "gte": 0.7, "bge": 0.5, "nomic": 0.5, "mxbai": 0.45, "text-embedding-3": 0.3}
"""By a part of the name, about what the cosine of unrelated texts reaches: estimates, and not measured here."""
_LATER_WEIGHT = 0.6
"""These models came years after MiniLM (.55 by measurement) and are better; how much is a guess on the safe side."""
_TIMEOUT_S = 30.0


class RegisteredModel(Struct, frozen=True):
    """A model under a name of the user's."""

    name: str
    folder: Path
    model: str
    """How it is called: a folder, an address or sentence-transformers:NAME."""
    key_variable: str = ""
    """The environment variable that holds the key of an endpoint."""
    timeout_s: float = _TIMEOUT_S


def models_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where named models are kept; None when the environment names no home."""
    return data_path("models", environment)


def registered_models() -> tuple[RegisteredModel, ...]:
    """All named models, by name; one whose facts cannot be read is left out, and asking for it says why."""
    folder = models_folder()
    try:
        names = sorted(one.name for one in folder.iterdir() if PLAIN_NAME.match(one.name)) if folder else []
    except OSError:
        names = []
    found = []
    for name in names:
        try:
            one = registered_model(name)
        except ConfigError:
            continue
        if one is not None:
            found.append(one)
    return tuple(found)


def registered_model(name: str) -> RegisteredModel | None:
    """The model of that name; None when there is none."""
    home = models_folder()
    if home is None or not PLAIN_NAME.match(name) or not (home / name).is_dir():
        return None
    folder = home / name
    if not (folder / REGISTERED).is_file():
        return RegisteredModel(name, folder, str(folder))
    facts = read_settings(folder / REGISTERED)
    model, variable, timeout = facts.get("model"), facts.get("key_variable", ""), facts.get("timeout_s", _TIMEOUT_S)
    if not isinstance(model, str) or not isinstance(variable, str) or not isinstance(timeout, int | float):
        raise ConfigError(
            f"{folder / REGISTERED} is not what Pinakes wrote.", f"Remove {folder} and add the model again."
        )
    return RegisteredModel(name, folder, model, variable, max(0.1, float(timeout)))


def traits(folder: Path | None, family: str) -> Traits:
    """From `pinakes.json` in the folder, if it is there; else what is usual for models of that name."""
    lowered = family.lower()
    known = (noise for word, noise in _FAMILIES.items() if word in lowered)
    usual = next((Traits(_LATER_WEIGHT, noise) for noise in known), Traits())
    path = folder / TRAITS if folder else None
    if path is None or not path.is_file():
        return usual
    facts = read_settings(path)
    return Traits(
        _share(facts, "dense_weight", usual.dense_weight, path),
        _share(facts, "noise", usual.noise, path),
        _abstention(facts, path),
    )


def _share(facts: Mapping[str, object], key: str, otherwise: float, path: Path) -> float:
    value = facts.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise ConfigError(f"{path}: {key} must be a number from 0 to 1.", f"Leave it out to use {otherwise}.")
    return float(value)


def _abstention(facts: Mapping[str, object], path: Path) -> Abstention:
    """All of its constants or none: they were fitted together and mean nothing apart."""
    given = facts.get("abstention")
    if given is None:
        return Abstention()
    advice = "Leave abstention out to have what is usual."
    if not isinstance(given, dict):
        raise ConfigError(f"{path}: abstention must be an object.", advice)
    numbers = {}
    for name in Abstention.__struct_fields__:
        value = given.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise ConfigError(f"{path}: abstention.{name} must be a number.", advice)
        numbers[name] = float(value)
    return Abstention(**numbers)
