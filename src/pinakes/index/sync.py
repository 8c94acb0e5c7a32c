"""Make the store agree with a source.

The comparison is `plan`; here its result is carried out, and the links that wait are looked up. A small sync is one
transaction. A large one commits batch by batch, new and changed documents first and vanished ones last, so that a crash
leaves every document it had not reached as it was, and the next sync simply finds less to do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext

from msgspec.structs import replace

from pinakes.chunk import ChunkOptions
from pinakes.graph.resolve import NameTable, resolve_pending
from pinakes.index.apart import read_apart
from pinakes.index.options import SyncOptions, ignore_progress
from pinakes.index.plan import BUILDING, READING, moves
from pinakes.index.reading import ReadingOptions, ReadResult, weight, without_collecting
from pinakes.index.survey import Survey, SurveyOptions, survey
from pinakes.index.workers import read_in_parallel
from pinakes.ports import Progress, Source, Store
from pinakes.records import (
    Change,
    CorpusName,
    Entry,
    Event,
    Failure,
    Phase,
    Ref,
    Report,
    Stamp,
    formats,
)
from pinakes.records.module_paths import MODULE_PATHS
from pinakes.records.sites import NO_SITES, SITES, AnchorStyle, Sites

ONE_TRANSACTION = 500
"""Up to this many documents to read, everything becomes visible at once."""

BATCH_BYTES = 4_000_000
"""Source text per transaction otherwise: enough to make commits rare, little enough to keep memory flat."""

MANY_LINKS = 20_000
"""From this many waiting links on, one table of all names is cheaper than asking for each key."""

FIRST_BYTES = 1_000_000
"""Of the first transaction: somebody waits for the first answer. Each that follows may be twice as large."""

LINK_BATCH = 20_000
"""Links resolved per transaction."""


ReadDocuments = Callable[
    [Source, Sequence[Stamp], Mapping[str, str], int, ReadingOptions], Generator[ReadResult, None, None]
]
"""Gives an outcome for each stamp, in the order given: see `read_in_parallel`. Closing it ends what works on them."""


DEFAULTS = SyncOptions()
USUAL_CUTS = ChunkOptions()


def sync(  # noqa: PLR0913 - what, where, and how, each by name
    source: Source,
    store: Store,
    *,
    paths: Collection[str] | None = None,
    verify: bool = False,
    options: SyncOptions = DEFAULTS,
    cutting: ChunkOptions = USUAL_CUTS,
    anchors: str = AnchorStyle.GITHUB,
    progress: Progress = ignore_progress,
    wait_s: float = 30.0,
    read: ReadDocuments | None = None,
) -> Report:
    """Bring the store up to date and say what was done.

    With `paths` only what is at or below them is compared, and costs what they cost; what becomes of it is the same.
    `verify` reads every document there again instead of trusting sizes and times. `anchors` names the style of anchors
    and addresses that links may use, or asks to recognise it. `read` gives what documents say, where somebody else has
    read some of them. A sync that finds nothing to do writes nothing and takes
    no lock. Otherwise one runs at a time: a second one waits `wait_s` and then raises `StoreBusy`.
    """
    started = time.perf_counter()
    asked = SurveyOptions(cutting, anchors, paths, verify)
    progress(Event(Phase.SCANNING, 0, 0))
    found = survey(source, store, asked)
    progress(Event(Phase.SCANNING, found.scanned, found.scanned))
    if found.is_settled and not store.is_read_only:  # which `writing` refuses in its own words
        return _Run(source, store, found, progress).report(found.failures, time.perf_counter() - started)
    with store.writing(wait_s):
        if store.generation != found.generation:  # another process wrote between the comparison and the lock
            found = survey(source, store, asked)
        todo = found.todo
        run = _Run(source, store, found, progress)
        digests = {} if found.is_outdated else {path: known.digest for path, known in found.kept.items()}
        # Grammars of source code are native code, which may crash or never end.
        read = read or (read_apart if any(stamp.media.code for stamp in todo.read) else read_in_parallel)
        reading_all = read(source, todo.read, digests, options.workers, found.read_by(cutting))
        whole = store.transaction() if len(todo.read) <= ONE_TRANSACTION else nullcontext()
        with closing(reading_all) as outcomes, whole, without_collecting():
            begun = {}
            if not found.kept and READING in found.settings:
                begun = {READING: asked.reading, SITES: found.sites.text(), MODULE_PATHS: found.modules.text()}
            if found.new > ONE_TRANSACTION:
                begun[BUILDING] = str(found.expected)
                found = replace(found, settings={**found.settings, BUILDING: ""})
            if begun:  # in one write: between two of them the empty index would count as whole
                store.write(Change(settings=begun))
            run.read(todo.read, outcomes)
            run.settle()
            link(store, source.corpus, progress, found.sites)
            if found.settings:
                store.write(Change(settings=found.settings))
        return run.report(store.failures(source.corpus), time.perf_counter() - started)


class _Run:
    """One sync under way: what it has put so far, for its report."""

    def __init__(self, source: Source, store: Store, survey: Survey, progress: Progress) -> None:
        self._source = source
        self._store = store
        self._survey = survey
        self._progress = progress
        self._put: dict[Ref, str] = {}
        self._touched = 0
        self._failed = {one.ref for one in survey.failures}
        self._warnings: list[tuple[Ref, str]] = []

    def read(self, stamps: Sequence[Stamp], outcomes: Iterable[ReadResult]) -> None:
        """Take in what is new or changed, a transaction per batch."""
        for batch in _batches(self._announced(outcomes, stamps)):
            entries = tuple(outcome for outcome in batch if isinstance(outcome, Entry))
            touched = tuple(outcome for outcome in batch if isinstance(outcome, Stamp))
            failed = tuple(outcome for outcome in batch if isinstance(outcome, Failure))
            touch = tuple(stamp for stamp in touched if self._is_new(stamp))
            if entries or touch or failed:
                self._store.write(Change(put=entries, touch=touch, failures=failed, assets=self._unread(failed)))
            for entry in entries:
                document = entry.document
                self._put[document.ref] = document.digest
                self._warnings.extend((document.ref, warning) for warning in document.warnings)
            self._touched += len(touched)

    def _is_new(self, stamp: Stamp) -> bool:
        """Whether the store does not know yet that this file was read."""
        known = self._survey.kept.get(stamp.ref.path)
        return known is None or known.stamp != stamp or stamp.ref in self._failed

    def _announced(self, outcomes: Iterable[ReadResult], stamps: Sequence[Stamp]) -> Iterator[ReadResult]:
        """Pass the outcomes on, with an event for each."""
        for done, outcome in enumerate(outcomes, 1):
            self._progress(Event(Phase.READING, done, len(stamps), stamps[done - 1].ref.path))
            yield outcome

    def _unread(self, failed: Iterable[Failure]) -> tuple[Stamp, ...]:
        """Files that never could be read are still there for links to point at."""
        return tuple(
            Stamp(one.ref, one.version, formats.ASSET) for one in failed if one.ref.path not in self._survey.kept
        )

    def settle(self) -> None:
        """Forget what is gone, note what is not read, and record what could not be looked at."""
        survey = self._survey
        change = Change(drop=survey.todo.drop + survey.resolved, assets=survey.todo.assets, failures=survey.hidden)
        if change.drop or change.assets or change.failures:
            self._store.write(change)

    def report(self, failures: Sequence[Failure], seconds: float) -> Report:
        kept, todo = self._survey.kept, self._survey.todo
        gone = {ref: kept[ref.path].digest for ref in todo.drop if kept[ref.path].digest}
        new = {ref: digest for ref, digest in self._put.items() if ref.path not in kept}
        moved = moves(new, gone)
        left, arrived = {pair[0] for pair in moved}, {pair[1] for pair in moved}
        return Report(
            put=tuple(sorted(ref for ref in self._put if ref not in arrived)),
            moved=moved,
            dropped=tuple(sorted(ref for ref in gone if ref not in left)),
            unchanged=todo.unchanged + self._touched,
            failed=tuple(failures),
            warnings=tuple(self._warnings),
            seconds=seconds,
            base_generation=self._survey.generation,
        )


def _batches(outcomes: Iterable[ReadResult]) -> Iterator[list[ReadResult]]:
    batch: list[ReadResult] = []
    size, most = 0, FIRST_BYTES
    for outcome in outcomes:
        batch.append(outcome)
        size += weight(outcome)
        if size >= most or len(batch) >= 4 * ONE_TRANSACTION:
            yield batch
            batch, size, most = [], 0, min(2 * most, BATCH_BYTES)
    if batch:
        yield batch


def link(store: Store, corpus: CorpusName, progress: Progress, sites: Sites = NO_SITES) -> None:
    """Resolve every pending link of the corpus."""
    pending = store.pending_links(corpus, LINK_BATCH)
    # Counting walks over all documents, which a few links are not worth.
    total = len(pending) if len(pending) < MANY_LINKS else store.counts(corpus).pending_links
    table = NameTable.of(store, corpus, sites=sites) if total >= MANY_LINKS else None
    done = 0
    while pending:
        store.write(Change(edges=resolve_pending(store, corpus, pending, table, sites)))
        done += len(pending)
        progress(Event(Phase.LINKING, done, total))
        pending = store.pending_links(corpus, LINK_BATCH)
