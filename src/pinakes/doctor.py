"""Examines the installation and the indexes, and says what to do.

Folders enter, diagnoses leave; nothing is changed here. `examine` reads every byte of an index and trusts no
modification time.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pinakes.errors import ExtraMissing, PinakesError, StoreStrange
from pinakes.neural import embedder_name, finer_model, load_embedder
from pinakes.own_folder import OwnFolder
from pinakes.plugins import plugin_states
from pinakes.ports import Source
from pinakes.records import DOCS, CorpusName, Diagnosis
from pinakes.store import damage
from pinakes.vectors import damaged_vectors
from pinakes.words import damaged_words

OLDEST_SQLITE = (3, 35, 0)
"""The first with RETURNING and dependable upserts."""


WORDS, VECTORS = "words", "vectors"
"""Folders of derived parts, beside an index."""
_REPAIR = "pinakes doctor --repair"
_TAKE_OUT = "pip uninstall takes its package out; pinakes plugins lists all."


def examine(
    root: Path, indexes: Mapping[CorpusName, OwnFolder], written: Sequence[Source], model: str, keyword_model: str
) -> tuple[Diagnosis, ...]:
    """Examine Python, SQLite, the folder, every index with its words and vectors, the `written` sources (memories and
    added documents, which exist nowhere else), the embedder and, where it is another, the one that keywords are made
    with."""
    found = [_sound("python", f"Python {platform.python_version()} at {sys.executable}."), _sqlite(), _folder(root)]
    for corpus, folder in indexes.items():
        found += [*_index(corpus, folder), *_parts(folder)]
    for source in written:
        found += _texts(source)
    found += [*_embedder(model), *_finer(model)]
    if keyword_model not in (model, "static"):
        found += _embedder(keyword_model, "keywords")
    found += [_bad("plugin", one.problem, _TAKE_OUT) for one in plugin_states() if one.problem]
    return tuple(found)


def _sound(topic: str, finding: str, next_step: str = "") -> Diagnosis:
    return Diagnosis(topic, is_sound=True, finding=finding, next_step=next_step)


def _bad(topic: str, finding: str, next_step: str) -> Diagnosis:
    return Diagnosis(topic, is_sound=False, finding=finding, next_step=next_step)


def damaged_parts(folder: OwnFolder) -> dict[str, str]:
    """The damaged folders of words and vectors beside an index, each with the reason."""
    found = {WORDS: damaged_words(folder.folder(WORDS))}
    vectors = folder.folder(VECTORS)
    with suppress(FileNotFoundError, NotADirectoryError):
        found |= {f"{VECTORS}/{name}": damaged_vectors(vectors.folder(name)) for name in vectors.names()[0]}
    return {part: why for part, why in found.items() if why}


def is_made_at_once(part: str) -> bool:
    """Whether the next search rebuilds a damaged part. Slow parts wait for `doctor --repair` or a server."""
    return part in (WORDS, f"{VECTORS}/{embedder_name()}")


def _sqlite() -> Diagnosis:
    finding = f"SQLite {sqlite3.sqlite_version}."
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        return _sound("sqlite", finding)
    return _bad("sqlite", finding, f"Install a Python whose SQLite is {'.'.join(map(str, OLDEST_SQLITE))} or newer.")


def _folder(root: Path) -> Diagnosis:
    if os.access(root, os.R_OK | os.X_OK):
        return _sound("folder", f"{root} can be read.")
    return _bad("folder", f"{root} cannot be read.", "Check its owner and permissions.")


def _index(corpus: CorpusName, folder: OwnFolder) -> Iterator[Diagnosis]:
    try:
        if not folder.exists():
            if corpus == DOCS:
                yield _sound("index", "There is no index yet.", "pinakes sync makes one.")
            return
        trouble = damage(folder)
        step = f"{_REPAIR} sets it aside and builds a new one."
    except PinakesError as error:
        trouble, step = error.problem, error.next_step
    whose = "The index" if corpus == DOCS else f"The index of {corpus}"
    yield _bad("index", trouble, step) if trouble else _sound("index", f"{whose} in {folder.path} is sound.")
    if not os.access(folder.path, os.W_OK):
        yield _sound("index", f"{folder.path} can only be read, not brought up to date.")


def _parts(folder: OwnFolder) -> Iterator[Diagnosis]:
    try:
        damaged = damaged_parts(folder)
    except StoreStrange as error:
        yield _bad("index", error.problem, error.next_step)
        return
    for part, why in damaged.items():
        step = f"{_REPAIR} makes it again{'; the next search does too' if is_made_at_once(part) else ''}."
        yield _bad(part.partition("/")[0], f"{folder.path / part} cannot be used: {why}", step)


def _texts(source: Source) -> Iterator[Diagnosis]:
    """Whether every text of a source can be read."""
    if not source.exists:
        return
    sound = 0
    try:
        scan = source.scan()
        yield from (_bad(source.corpus, failure.reason, failure.next_step) for failure in scan.failures)
        for stamp in scan.stamps:
            if stamp.media.is_document:
                try:
                    source.read(stamp)
                    sound += 1
                except PinakesError as error:
                    yield _bad(source.corpus, error.problem, error.next_step)
    except PinakesError as error:
        yield _bad(source.corpus, error.problem, error.next_step)
        return
    yield _sound(source.corpus, f"{sound:,} texts can be read.")


def _finer(model: str) -> Iterator[Diagnosis]:
    """The finer embedder, if one is configured; its absence is sound."""
    try:
        finer = finer_model(model)
    except ExtraMissing as error:
        yield _sound("embedder", error.problem, error.next_step)
        return
    if finer:
        yield from _embedder(finer)


def _embedder(model: str, topic: str = "embedder") -> Iterator[Diagnosis]:
    try:
        embedder = load_embedder(model)
        length = float((embedder.encode(["documentation"])[0] ** 2).sum())
    except PinakesError as error:
        yield _bad(topic, error.problem, error.next_step)
        return
    finding = f"{embedder.name}, {embedder.dimensions} dimensions."
    if abs(length - 1.0) < 1e-3:
        yield _sound(topic, finding)
    else:
        yield _bad(topic, finding, "Reinstall the package that holds its weights.")
