"""Selecting the model that compares meanings, for every door: the command line and HTTP.

A library and a name enter, the file that says so from now on leaves. A model that is unknown, cannot be used or is of
the other sort is refused before anything is written.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from pinakes.config import change_project_setting, change_user_setting, check_project_setting
from pinakes.errors import ConfigError
from pinakes.library import Library
from pinakes.neural.model_list import describe
from pinakes.neural.model_spec import AUTO
from pinakes.write_log import log_writes


class ModelChoice(Struct, frozen=True):
    """A setting that was written."""

    file: Path
    key: str
    value: str


def select_model(library: Library, name: str, *, is_reranker: bool = False, for_user: bool = False) -> ModelChoice:
    """Write the name into the project's settings, or into the user's own; raises `ConfigError` for a name that cannot
    be selected."""
    key = "neural.reranker" if is_reranker else "neural.model"
    if not for_user:  # a client of a server must not learn which folders there are
        check_project_setting(library.root, key, name)
    if name not in (AUTO, "none"):
        found = describe(name)
        if found.problem:
            raise ConfigError(found.problem)
        if found.is_reranker != is_reranker:
            what, option = ("a reranker", "with") if found.is_reranker else ("an embedder", "without")
            raise ConfigError(f"{name} is {what}.", f"Select it {option} --reranker.")
    elif (name == "none") != is_reranker:
        raise ConfigError(f"“{name}” cannot be selected here.", "pinakes model list shows the models that can.")
    path = change_user_setting(key, name) if for_user else change_project_setting(library.root, key, name)
    log_writes("model", [(key, "done")], None if for_user else library.root)
    return ModelChoice(path, key, name)
