"""The corpora of a library, each a source and a name: documents, further roots, memories, history, added documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pinakes.added.source import AddedSource
from pinakes.config import Config, further_roots
from pinakes.library.collection import Collection
from pinakes.memories import memories_folder
from pinakes.records import ADDED, HISTORY, MEMORIES, Corpus
from pinakes.sources import FolderOptions, FolderSource
from pinakes.sources.git import GitSource

BESIDE = "corpora"
"""Folder inside the store for the indexes of everything but the documents of the root."""


def corpora(root: Path, config: Config) -> Mapping[Corpus, Collection]:
    """Every corpus by its name, the documents of the root first."""
    return {one.corpus: one for one in _all(root, config)}


def _all(root: Path, config: Config) -> Iterator[Collection]:
    yield Collection(FolderSource(root, config.sources), root, config)
    for corpus, folder in further_roots(config).items():
        yield Collection(FolderSource(folder, config.sources, corpus), folder, _beside(config, corpus))
    # Keywords are for the map, which shows documents alone.
    quiet = replace(config, keywords=replace(config.keywords, enabled=False))
    # A project that keeps its memories out of git still has them: what is there is remembered, but for hidden files.
    shown = FolderOptions(exclude=("!*", ".*"))
    memories = FolderSource(memories_folder(root, config.memories), shown, MEMORIES, is_optional=True)
    yield Collection(memories, root, _beside(quiet, MEMORIES))
    yield Collection(AddedSource(config.store / ADDED), root, _beside(quiet, ADDED))
    history = GitSource((root, *further_roots(config).values()), config.history)
    yield Collection(history, root, _beside(quiet, HISTORY))


def _beside(config: Config, corpus: Corpus) -> Config:
    return replace(config, store=config.store / BESIDE / corpus)
