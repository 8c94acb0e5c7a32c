"""The corpora of a library, each a source and a name: documents, further roots, memories, history, added documents.

A root and its settings enter, the corpora leave; and what became of a corpus and of each of its files: indexed, known,
failed or left out, and the rule that decided it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pinakes.added.added_files import AddedSource
from pinakes.check import CheckOptions
from pinakes.config import Config, further_roots
from pinakes.errors import ModelFailed, PinakesError, StoreError
from pinakes.index import QUICK
from pinakes.library.corpus import Corpus
from pinakes.library.databases import queue_of
from pinakes.memories.texts import MemoryTexts
from pinakes.own_folder import OwnFolder
from pinakes.plugins import PluginGroup, plugins_of
from pinakes.ports import Source
from pinakes.records import (
    ADDED,
    CODE,
    DOCS,
    HISTORY,
    MEMORIES,
    CorpusName,
    CorpusState,
    Diagnosis,
    Failure,
    FileState,
    FileStatus,
    Query,
    Ref,
    Report,
    Results,
    Status,
    StoredFile,
    Upgrade,
    code_media_of,
)
from pinakes.records.sites import SITES, AnchorStyle, Sites
from pinakes.search import known_elsewhere, merge_results, partial_results
from pinakes.sources import FolderOptions, FolderSource
from pinakes.sources.code import unread_languages
from pinakes.sources.git import GitSource

if TYPE_CHECKING:
    from pinakes.sources.git.tree import GitTree

BESIDE = "corpora"
"""Folder inside the store for the indexes of everything but the documents of the root."""
_NAMED = 3
"""So many files that failed are named in a sentence."""


def corpora(root: Path, config: Config) -> Mapping[CorpusName, Corpus]:
    """Every corpus by its name, the documents of the root first."""
    plugins_of(PluginGroup.FORMATS)  # their files are documents from here on
    return {one.name: one for one in _all(root, config)}


def _all(root: Path, config: Config) -> Iterator[Corpus]:
    home = store_folder(config)
    yield Corpus(FolderSource(root, config.sources), root, config, home)
    more = further_roots(config)
    for corpus, folder in more.items():
        yield Corpus(FolderSource(folder, config.sources, corpus), folder, _beside(config, corpus), home)
    quiet = _quiet(config)
    if config.code.enabled:
        yield Corpus(FolderSource(root, _code_files(config), CODE), root, _beside(quiet, CODE), home)
    yield Corpus(MemoryTexts(root, config.memories), root, _beside(quiet, MEMORIES), home)
    yield Corpus(AddedSource(home.folder(ADDED)), root, _beside(quiet, ADDED), home)
    history = GitSource((root, *more.values()), config.history, config.sources.exclude)
    # There may be a hundred thousand commits, for which a larger model would take hours. A commit is one answer,
    # whether its message was found or its difference.
    hurried = replace(quiet, neural=replace(config.neural, model=QUICK), search=replace(config.search, per_document=1))
    yield Corpus(history, root, _beside(hurried, HISTORY), home)


def corpora_at(tree: GitTree, config: Config, home: OwnFolder) -> Mapping[CorpusName, Corpus]:
    """The documents and the source code of a commit, by their names. `home` is the library's store; the indexes lie
    where the store of `config` is."""
    from pinakes.sources.git.tree_source import TreeSource

    root, settings = Path(tree.root), config.check.anchors
    found = {DOCS: Corpus(TreeSource(tree, config.sources, DOCS, settings), root, config, home)}
    if config.code.enabled:
        found[CODE] = Corpus(TreeSource(tree, _code_files(config), CODE), root, _beside(_quiet(config), CODE), home)
    return found


def corpora_of(sources: Iterable[Source], config: Config, home: OwnFolder) -> Mapping[CorpusName, Corpus]:
    """Documents, and source code where there is some, from other sources than files, by their names."""
    return {
        one.corpus: Corpus(
            one, config.root, config if one.corpus == DOCS else _beside(_quiet(config), one.corpus), home
        )
        for one in sources
    }


def _quiet(config: Config) -> Config:
    """For everything but documents: keywords are for the map, which shows documents alone, and only they become
    sites."""
    without_keywords = replace(config.keywords, enabled=False)
    return replace(config, keywords=without_keywords, check=CheckOptions(AnchorStyle.GITHUB))


def _code_files(config: Config) -> FolderOptions:
    exclude = config.sources.exclude + config.code.exclude
    return FolderOptions(exclude=exclude, max_file_bytes=config.code.max_file_bytes)


def store_folder(config: Config) -> OwnFolder:
    """The folder of all indexes of a library. Nothing on the way to it from the root may become a link."""
    return OwnFolder.below(config.root, config.store)


def _beside(config: Config, corpus: CorpusName) -> Config:
    return replace(config, store=config.store / BESIDE / corpus)


class Troubles:
    """What went wrong with each of several corpora asked in turn: one bad corpus does not take the others along."""

    def __init__(self, *kinds: type[Exception]) -> None:
        self._kinds = kinds
        self._first: Exception | None = None
        self.sentences: list[str] = []

    @contextmanager
    def of(self, corpus: Corpus) -> Iterator[None]:
        """Keeps a sentence for what is raised for a corpus. What is wrong with the documents of the root is raised."""
        try:
            yield
        except self._kinds as error:
            if corpus.name == DOCS:
                raise
            self.sentences.append(f"{corpus.name}: {error}")
            self._first = self._first or error

    def raise_unless(self, results: Sequence[object]) -> None:
        """The first error, when all corpora failed and there are no results."""
        if self._first is not None and not results:
            raise self._first


def search_corpora(asked: Sequence[Corpus], query: Query) -> Results:
    """One answer of several corpora. A word that one of them knows is not replaced in the others."""
    answers, troubles = _answers(asked, query)
    if known := known_elsewhere(answers):
        answers, troubles = _answers(asked, replace(query, as_spelled=known))
    found = merge_results(query, answers)
    return partial_results(found, troubles) if troubles else found


def _answers(asked: Sequence[Corpus], query: Query) -> tuple[list[Results], list[str]]:
    troubles = Troubles(StoreError, ModelFailed)
    answers: list[Results] = []
    for one in asked:
        with troubles.of(one):
            answers.append(one.search(query))
    troubles.raise_unless(answers)
    return answers, troubles.sentences


def added_up(reports: Sequence[Report], refused: Sequence[str]) -> Report:
    """What several syncs did, as if it had been one; each sentence about a corpus that was refused is a warning."""
    told = (one.partition(": ") for one in refused)
    return Report(
        put=tuple(ref for report in reports for ref in report.put),
        moved=tuple(pair for report in reports for pair in report.moved),
        dropped=tuple(ref for report in reports for ref in report.dropped),
        unchanged=sum(report.unchanged for report in reports),
        failed=tuple(failure for report in reports for failure in report.failed),
        warnings=(
            *(warning for report in reports for warning in report.warnings),
            *((Ref(name, ""), why) for name, _, why in told),
        ),
        seconds=sum(report.seconds for report in reports),
    )


def status_of(root: Path, config: Config, corpora: Mapping[CorpusName, Corpus], upgrade: Upgrade | None) -> Status:
    """What is indexed of all corpora, what failed and why."""
    docs = corpora[DOCS]
    store = docs.index
    return Status(
        root=str(root),
        store=docs.place.shown,
        corpus=DOCS,
        generation=store.generation,
        counts=store.counts(DOCS),
        failures=tuple(store.failures(DOCS)),
        warnings=(*store.warnings(DOCS), *_unread(corpora.get(CODE))),
        keywords=(keywords := docs.keyword_state()) or "complete",
        keywords_available=config.keywords.enabled and not docs.keyword_maker.missing_model(),
        keywords_message=f"Keywords: {keywords}" if keywords else "",
        embedder=docs.toolbox.meanings.state(),
        store_bytes=docs.place.file_bytes,
        is_read_only=store.is_read_only,
        anchors=", ".join(site.sentence() for site in Sites.parse(store.setting(SITES)).all) or "github",
        others=tuple(_state_of(one) for name, one in corpora.items() if name != DOCS and one.is_indexed),
        healed=tuple(note for one in corpora.values() for note in one.healed),
        upgrade=upgrade,
        jobs=queue_of(config.store_url),
    )


def _unread(code: Corpus | None) -> Iterator[tuple[Ref, str]]:
    """A sentence for each language of the source code whose grammar is missing."""
    if code is None or not code.is_indexed:
        return
    names = (path.rpartition("/")[2] for path, file in code.store.files(CODE).items() if not file.digest)
    for language, count in sorted(unread_languages(names).items()):
        files = "1 file" if count == 1 else f"{count:,} files"
        yield Ref(CODE, ""), f'{files} of {language} left out: its grammar is missing. Run: pip install "pinakes[code]"'


def unread_files(corpora: Iterable[Corpus]) -> Iterator[Diagnosis]:
    """A sentence for each corpus with files that could not be read. Its index is sound all the same."""
    for one in corpora:
        failed: Sequence[Failure] = ()
        with suppress(PinakesError, OSError):  # what is wrong with the index itself is another diagnosis
            failed = one.store.failures(one.name) if one.is_indexed else ()
        if failed:
            names = ", ".join(failure.ref.path for failure in failed[:_NAMED])
            more = " and others" if len(failed) > _NAMED else ""
            count = "1 file" if len(failed) == 1 else f"{len(failed):,} files"
            finding = f"{count} could not be read: {names}{more}."
            step = "pinakes status says why and what to do."
            yield Diagnosis(one.name, is_sound=True, finding=finding, next_step=step)


def _state_of(one: Corpus) -> CorpusState:
    counts = one.store.counts(one.name)
    return CorpusState(one.name, one.store.generation, counts.documents, tuple(one.store.failures(one.name)))


def file_states(corpora: Mapping[CorpusName, Corpus], paths: Collection[str]) -> tuple[FileStatus, ...]:
    """Each file's state and the reason for it: for `paths`, or for all documents that are known or were left out. The
    source code is asked about its own files."""
    if code := corpora.get(CODE):
        mine = [path for path in paths if code_media_of(path.rpartition("/")[2]).code is not None]
        told = {one.path: one for one in (_states(code, mine) if mine and code.is_indexed else ())}
        others = [path for path in paths if path not in told]
        told |= {one.path: one for one in (_states(corpora[DOCS], others) if others or not paths else ())}
        if not paths and code.is_indexed:
            told |= {one.path: one for one in _code_states(code)}
        return tuple(told[path] for path in paths or sorted(told, key=os.fsencode))
    return _states(corpora[DOCS], paths)


def _code_states(code: Corpus) -> Iterator[FileStatus]:
    """The files that are read as source code or should have been; to the documents they are targets of links only."""
    failed = {failure.ref.path: failure for failure in code.index.failures(CODE)}
    kept = {path: known for path, known in code.index.files(CODE).items() if known.digest}
    for state in (_state(path, kept, failed, None) for path in {*kept, *failed}):
        yield replace(state, reason=f"{state.reason} (corpus {CODE})") if state.state is FileState.INDEXED else state


def _states(corpus: Corpus, paths: Collection[str]) -> tuple[FileStatus, ...]:
    reader = corpus.index
    source = corpus.source if isinstance(corpus.source, FolderSource) else None  # else the files are elsewhere
    kept = reader.files(corpus.name)
    failed = {failure.ref.path: failure for failure in reader.failures(corpus.name)}
    if paths:
        warned = dict(reader.warnings(corpus.name)) if corpus.name == CODE else {}
        states = (_state(path, kept, failed, source) for path in paths)
        notes = (warned.get(Ref(corpus.name, path), "") for path in paths)
        return tuple(
            replace(one, reason=f"{one.reason} {note}") if note else one
            for one, note in zip(states, notes, strict=True)
        )
    unread = source.left_out() if source is not None else ()
    left_out = (FileStatus(path, FileState.LEFT_OUT, reason) for path, reason in unread)
    known = (_state(path, kept, failed, None) for path in {*kept, *failed})
    return tuple(sorted((*known, *left_out), key=lambda file: os.fsencode(file.path)))


def _state(
    path: str, kept: Mapping[str, StoredFile], failed: Mapping[str, Failure], source: FolderSource | None
) -> FileStatus:
    """One file's; without a `source` the rule is not looked up, which takes its time for thousands of files."""
    if failure := failed.get(path):
        return FileStatus(path, FileState.FAILED, f"{failure.reason_alone} {failure.next_step}".strip())
    known = kept.get(path)
    if known is None:
        return FileStatus(path, FileState.LEFT_OUT, _why(path, source) if source else "")
    reason = _why(path, source) if source else f"read as {known.stamp.media.name}" if known.digest else "not read"
    return FileStatus(path, FileState.INDEXED if known.digest else FileState.ASSET, reason)


def _why(path: str, source: FolderSource) -> str:
    """The rule that decided about a file, without repeating its name."""
    return source.why(path).removeprefix(f"{str(Ref('', path)).removeprefix(':')} ")
