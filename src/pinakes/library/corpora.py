"""The corpora of a library, each a source and a name: documents, further roots, memories, history, added documents.

A root and its settings enter, the corpora leave; and what became of a corpus and of each of its files: indexed, known,
failed or left out, and the rule that decided it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pinakes.added.added_files import AddedSource
from pinakes.config import Config, further_roots
from pinakes.index import QUICK
from pinakes.library.corpus import Corpus
from pinakes.memories.texts import MemoryTexts
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader
from pinakes.records import (
    ADDED,
    HISTORY,
    MEMORIES,
    CorpusName,
    CorpusState,
    Failure,
    FileState,
    FileStatus,
    Ref,
    Report,
    StoredFile,
)
from pinakes.sources import FolderSource
from pinakes.sources.git import GitSource

BESIDE = "corpora"
"""Folder inside the store for the indexes of everything but the documents of the root."""


def corpora(root: Path, config: Config) -> Mapping[CorpusName, Corpus]:
    """Every corpus by its name, the documents of the root first."""
    return {one.name: one for one in _all(root, config)}


def _all(root: Path, config: Config) -> Iterator[Corpus]:
    home = store_folder(config)
    yield Corpus(FolderSource(root, config.sources), root, config, home)
    more = further_roots(config)
    for corpus, folder in more.items():
        yield Corpus(FolderSource(folder, config.sources, corpus), folder, _beside(config, corpus), home)
    # Keywords are for the map, which shows documents alone.
    quiet = replace(config, keywords=replace(config.keywords, enabled=False))
    yield Corpus(MemoryTexts(root, config.memories), root, _beside(quiet, MEMORIES), home)
    yield Corpus(AddedSource(home.folder(ADDED)), root, _beside(quiet, ADDED), home)
    history = GitSource((root, *more.values()), config.history, config.sources.exclude)
    # There may be a hundred thousand commits, for which a larger model would take hours. A commit is one answer,
    # whether its message was found or its difference.
    hurried = replace(quiet, neural=replace(config.neural, model=QUICK), search=replace(config.search, per_document=1))
    yield Corpus(history, root, _beside(hurried, HISTORY), home)


def store_folder(config: Config) -> OwnFolder:
    """The folder of all indexes of a library. Nothing on the way to it from the root may become a link."""
    return OwnFolder.below(config.root, config.store)


def _beside(config: Config, corpus: CorpusName) -> Config:
    return replace(config, store=config.store / BESIDE / corpus)


def added_up(reports: Sequence[Report]) -> Report:
    """What several syncs did, as if it had been one."""
    return Report(
        put=tuple(ref for report in reports for ref in report.put),
        moved=tuple(pair for report in reports for pair in report.moved),
        dropped=tuple(ref for report in reports for ref in report.dropped),
        unchanged=sum(report.unchanged for report in reports),
        failed=tuple(failure for report in reports for failure in report.failed),
        warnings=tuple(warning for report in reports for warning in report.warnings),
        seconds=sum(report.seconds for report in reports),
    )


def state_of(one: Corpus) -> CorpusState:
    """What is indexed of a corpus."""
    counts = one.store.counts(one.name)
    return CorpusState(one.name, one.store.generation, counts.documents, tuple(one.store.failures(one.name)))


def file_states(reader: Reader, source: FolderSource, paths: Collection[str]) -> tuple[FileStatus, ...]:
    """Each file's state and the reason for it: for `paths`, or for all that is known or was left out."""
    kept = reader.files(source.corpus)
    failed = {failure.ref.path: failure for failure in reader.failures(source.corpus)}
    if paths:
        return tuple(_state(path, kept, failed, source) for path in paths)
    left_out = (FileStatus(path, FileState.LEFT_OUT, reason) for path, reason in source.left_out())
    known = (_state(path, kept, failed, None) for path in {*kept, *failed})
    return tuple(sorted((*known, *left_out), key=lambda file: os.fsencode(file.path)))


def _state(
    path: str, kept: Mapping[str, StoredFile], failed: Mapping[str, Failure], source: FolderSource | None
) -> FileStatus:
    """One file's; without a `source` the rule is not looked up, which takes its time for thousands of files."""
    if failure := failed.get(path):
        return FileStatus(path, FileState.FAILED, f"{failure.reason} {failure.next_step}".strip())
    known = kept.get(path)
    if known is None:
        return FileStatus(path, FileState.LEFT_OUT, _why(path, source) if source else "")
    reason = _why(path, source) if source else f"read as {known.stamp.media.name}" if known.digest else "not read"
    return FileStatus(path, FileState.INDEXED if known.digest else FileState.ASSET, reason)


def _why(path: str, source: FolderSource) -> str:
    """The rule that decided about a file, without repeating its name."""
    return source.why(path).removeprefix(f"{str(Ref('', path)).removeprefix(':')} ")
