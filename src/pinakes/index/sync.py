"""Make the store agree with a source.

The comparison is `plan`; here its result is carried out. A small sync is one transaction. A large one commits batch by
batch, new and changed documents first and vanished ones last, so that a crash leaves every document it had not reached
as it was, and the next sync simply finds less to do.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pinakes.chunk import ChunkOptions, fingerprint
from pinakes.index.collecting import without_collecting
from pinakes.index.fingerprint import GLANCE, READING, READING_VERSION, SOURCE
from pinakes.index.linking import link
from pinakes.index.plan import Plan, moves, plan
from pinakes.index.reading import USUAL, Outcome, weight
from pinakes.index.workers import read_in_parallel
from pinakes.ports import Progress, Source, Store
from pinakes.records import Change, Entry, Event, Failure, Kept, Media, Phase, Ref, Report, Scan, Stamp

ONE_TRANSACTION = 500
"""Up to this many documents to read, everything becomes visible at once."""

BATCH_BYTES = 8_000_000
"""Source text per transaction otherwise: enough to make commits rare, little enough to keep memory flat."""


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How a sync works."""

    workers: int = 0
    """Processes that parse; 0 means as many as pay for themselves."""


DEFAULTS = SyncOptions()


def ignore_progress(event: Event) -> None:
    """For callers who do not watch."""


def sync(  # noqa: PLR0913 - what, where, and how, each by name
    source: Source,
    store: Store,
    *,
    paths: Collection[str] | None = None,
    verify: bool = False,
    options: SyncOptions = DEFAULTS,
    cutting: ChunkOptions = USUAL,
    progress: Progress = ignore_progress,
) -> Report:
    """Bring the store up to date and say what was done.

    With `paths` only what is at or below them is compared, and costs what they cost; what becomes of it is the same.
    `verify` reads every document again instead of trusting sizes and times. One sync runs at a time; a second one waits
    its turn, as long as `Store.writing` does.
    """
    started = time.perf_counter()
    with store.writing():
        progress(Event(Phase.SCANNING, 0, 0))
        reading = f"{READING_VERSION} {fingerprint(cutting)}"
        # Looked at before the scan: what happens in between is found by the next sync.
        settled = {READING: reading, SOURCE: source.fingerprint, GLANCE: source.glance()}
        if settled[GLANCE] and not verify and all(store.setting(name) == value for name, value in settled.items()):
            return _nothing_new(source, store, time.perf_counter() - started)
        retry = store.setting(SOURCE) != source.fingerprint
        is_outdated = store.setting(READING) != reading
        before = "" if retry or is_outdated or verify else store.setting(GLANCE)
        scan = _since(source, store, before, settled[GLANCE]) or source.scan(None if retry or is_outdated else paths)
        progress(Event(Phase.SCANNING, len(scan.stamps), len(scan.stamps)))
        kept = store.kept(source.corpus, scan.within)
        failures = _among(store.failures(source.corpus), scan.within)
        is_outdated = is_outdated and bool(kept)
        todo = plan(scan, kept, () if retry else failures, reread=verify or is_outdated)
        run = _Run(source, store, kept, progress)
        digests = {} if is_outdated else {path: known.digest for path, known in kept.items()}
        outcomes = read_in_parallel(source, todo.read, digests, options.workers, cutting)
        whole = store.transaction() if len(todo.read) <= ONE_TRANSACTION else nullcontext()
        with whole, without_collecting():
            if not kept:
                run.remember({READING: reading})
            run.read(todo.read, outcomes)
            run.settle(todo, _healed(failures, todo, scan.failures, scan.stamps), scan.failures)
            link(store, source.corpus, progress)
            run.remember(settled)
        return run.report(todo, time.perf_counter() - started)


@runtime_checkable
class Following(Protocol):
    """A source that can tell from two glances what came and went between them."""

    def scan_since(self, before: str, now: str) -> Scan | None:
        """That alone; None when only a whole scan can tell."""
        ...


def _since(source: Source, store: Store, before: str, now: str) -> Scan | None:
    """What changed since the store last agreed with its source, where that can be told and nothing is to be retried."""
    if not (before and now and isinstance(source, Following)) or store.failures(source.corpus):
        return None
    return source.scan_since(before, now)


def _nothing_new(source: Source, store: Store, seconds: float) -> Report:
    failed = tuple(store.failures(source.corpus))
    return Report(unchanged=store.counts(source.corpus).documents, failed=failed, seconds=seconds)


class _Run:
    """One sync under way: what it has put so far, for its report."""

    def __init__(self, source: Source, store: Store, kept: Mapping[str, Kept], progress: Progress) -> None:
        self._source = source
        self._store = store
        self._kept = kept
        self._progress = progress
        self._put: dict[Ref, str] = {}
        self._touched = 0
        self._warnings: list[tuple[Ref, str]] = []

    def remember(self, settings: Mapping[str, str]) -> None:
        if any(self._store.setting(name) != value for name, value in settings.items()):
            self._store.write(Change(settings=settings))

    def read(self, stamps: Sequence[Stamp], outcomes: Iterable[Outcome]) -> None:
        """Take in what is new or changed, a transaction per batch."""
        for batch in _batches(self._told(outcomes, stamps)):
            entries = tuple(outcome for outcome in batch if isinstance(outcome, Entry))
            touched = tuple(outcome for outcome in batch if isinstance(outcome, Stamp))
            failed = tuple(outcome for outcome in batch if isinstance(outcome, Failure))
            self._store.write(Change(put=entries, touch=touched, failures=failed, assets=self._unread(failed)))
            for entry in entries:
                document = entry.document
                self._put[document.ref] = document.digest
                self._warnings.extend((document.ref, warning) for warning in document.warnings)
            self._touched += len(touched)

    def _told(self, outcomes: Iterable[Outcome], stamps: Sequence[Stamp]) -> Iterator[Outcome]:
        """The same outcomes, each one announced."""
        for done, outcome in enumerate(outcomes, 1):
            self._progress(Event(Phase.READING, done, len(stamps), stamps[done - 1].ref.path))
            yield outcome

    def _unread(self, failed: Iterable[Failure]) -> tuple[Stamp, ...]:
        """Files that never could be read are still there for links to point at."""
        return tuple(Stamp(one.ref, one.version, Media.ASSET) for one in failed if one.ref.path not in self._kept)

    def settle(self, todo: Plan, healed: tuple[Ref, ...], hidden: tuple[Failure, ...]) -> None:
        """Forget what is gone, note what is not read, and record what could not be looked at."""
        known = {failure.ref: failure for failure in self._store.failures(self._source.corpus)}
        news = tuple(failure for failure in hidden if known.get(failure.ref) != failure)
        change = Change(drop=todo.drop + healed, assets=todo.assets, failures=news)
        if change.drop or change.assets or change.failures:
            self._store.write(change)

    def report(self, todo: Plan, seconds: float) -> Report:
        gone = {ref: self._kept[ref.path].digest for ref in todo.drop if self._kept[ref.path].digest}
        new = {ref: digest for ref, digest in self._put.items() if ref.path not in self._kept}
        moved = moves(new, gone)
        left, arrived = {pair[0] for pair in moved}, {pair[1] for pair in moved}
        return Report(
            put=tuple(sorted(ref for ref in self._put if ref not in arrived)),
            moved=moved,
            dropped=tuple(sorted(ref for ref in gone if ref not in left)),
            unchanged=todo.unchanged + self._touched,
            failed=tuple(self._store.failures(self._source.corpus)),
            warnings=tuple(self._warnings),
            seconds=seconds,
        )


def _among(failures: Sequence[Failure], paths: Sequence[str] | None) -> Sequence[Failure]:
    """Those at or below some paths, or all."""
    if paths is None or not failures:
        return failures
    tops = tuple(f"{path}/" for path in paths)
    return [failure for failure in failures if f"{failure.ref.path}/".startswith(tops)]


def _healed(
    failures: Iterable[Failure], todo: Plan, hidden: Iterable[Failure], stamps: Iterable[Stamp]
) -> tuple[Ref, ...]:
    """Failures whose file or folder is no longer there to fail."""
    documents = {stamp.ref for stamp in stamps if stamp.media is not Media.ASSET}
    present = documents | {failure.ref for failure in hidden} | set(todo.drop)
    return tuple(failure.ref for failure in failures if failure.ref not in present)


def _batches(outcomes: Iterable[Outcome]) -> Iterator[list[Outcome]]:
    batch: list[Outcome] = []
    size = 0
    for outcome in outcomes:
        batch.append(outcome)
        size += weight(outcome)
        if size >= BATCH_BYTES or len(batch) >= 4 * ONE_TRANSACTION:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
