"""Is the installation sound, and is the index? `examine` looks and says what to do; `repair` sets a bad index aside.

Nothing here changes a document, and `repair` deletes nothing: a damaged index is renamed, so that the next sync builds
a new one from the sources.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from pinakes.errors import PinakesError
from pinakes.neural import load_embedder
from pinakes.records import Diagnosis
from pinakes.store import damage, set_aside

OLDEST_SQLITE = (3, 35, 0)
"""The first with RETURNING and dependable upserts."""


def examine(root: Path, store: Path, model: str) -> tuple[Diagnosis, ...]:
    """Look at Python, SQLite, the folder, the index and the embedder, in that order."""
    topics: tuple[Callable[[], Iterator[Diagnosis]], ...] = (
        _python,
        _sqlite,
        lambda: _folder(root),
        lambda: _index(store),
        lambda: _embedder(model),
    )
    return tuple(diagnosis for topic in topics for diagnosis in topic())


def repair(store: Path) -> Path | None:
    """Set the index aside so that the next sync builds a new one; returns where it was put, if there was one."""
    return set_aside(store) if store.exists() else None


def _python() -> Iterator[Diagnosis]:
    yield Diagnosis("python", is_sound=True, finding=f"Python {platform.python_version()} at {sys.executable}.")


def _sqlite() -> Iterator[Diagnosis]:
    is_sound = sqlite3.sqlite_version_info >= OLDEST_SQLITE
    wanted = ".".join(str(part) for part in OLDEST_SQLITE)
    yield Diagnosis(
        "sqlite",
        is_sound,
        f"SQLite {sqlite3.sqlite_version}.",
        "" if is_sound else f"Install a Python whose SQLite is {wanted} or newer.",
    )


def _folder(root: Path) -> Iterator[Diagnosis]:
    if os.access(root, os.R_OK | os.X_OK):
        yield Diagnosis("folder", is_sound=True, finding=f"{root} can be read.")
    else:
        yield Diagnosis(
            "folder", is_sound=False, finding=f"{root} cannot be read.", next_step="Check its owner and permissions."
        )


def _index(store: Path) -> Iterator[Diagnosis]:
    if not store.exists():
        yield Diagnosis("index", is_sound=True, finding="There is no index yet.", next_step="pinakes sync makes one.")
        return
    trouble = damage(store)
    if trouble:
        yield Diagnosis(
            "index",
            is_sound=False,
            finding=trouble,
            next_step="pinakes doctor --repair sets it aside and builds a new one.",
        )
    else:
        yield Diagnosis("index", is_sound=True, finding=f"The index in {store} is sound.")
    if not os.access(store, os.W_OK):
        yield Diagnosis("index", is_sound=True, finding=f"{store} can only be read, not brought up to date.")


def _embedder(model: str) -> Iterator[Diagnosis]:
    try:
        embedder = load_embedder(model)
        length = float((embedder.encode(["documentation"])[0] ** 2).sum())
    except PinakesError as error:
        yield Diagnosis("embedder", is_sound=False, finding=error.problem, next_step=error.next_step)
        return
    is_sound = abs(length - 1.0) < 1e-3
    finding = f"{embedder.name}, {embedder.dimensions} dimensions."
    yield Diagnosis("embedder", is_sound, finding, "" if is_sound else "Reinstall the package that holds its weights.")
