"""A source and a store compared: what is to be done, before anything is written.

A source, a store and `SurveyOptions` enter; a `Survey` leaves, with the plan and all that was known when it was made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct

from pinakes.chunk import ChunkOptions, fingerprint
from pinakes.index.plan import BUILDING, READING, READING_VERSION, SNAPSHOT, SOURCE, SyncPlan, plan
from pinakes.index.reading import ReadingOptions
from pinakes.index.site_files import find_module_paths, find_sites
from pinakes.ports import Source, Store
from pinakes.records import Failure, Ref, Scan, StoredFile
from pinakes.records.module_paths import MODULE_PATHS, NO_MODULE_PATHS, ModulePaths
from pinakes.records.sites import NO_SITES, SITES, Sites


class Survey(Struct, frozen=True):
    """A source and a store compared, before anything is written."""

    generation: int
    """The store's when the comparison began."""
    scanned: int
    """Files the source listed."""
    settings: Mapping[str, str]
    """Facts that the store does not know yet."""
    kept: Mapping[str, StoredFile]
    failures: Sequence[Failure]
    """All that the store knows of this corpus."""
    todo: SyncPlan
    resolved: tuple[Ref, ...] = ()
    """Failures whose file or folder is no longer there to fail."""
    hidden: tuple[Failure, ...] = ()
    """What could not be looked at, as far as the store does not know it yet."""
    is_outdated: bool = False
    """Whether every document is read again, because reading gives other results now."""
    sites: Sites = NO_SITES
    """The sites that are made of the documents, by which these are read."""
    modules: ModulePaths = NO_MODULE_PATHS
    """What the names of modules mean, by which source code is read."""
    has_pending_links: bool = False
    """Whether links wait that a sync before this one did not come to."""

    @property
    def new(self) -> int:
        """Documents that the store does not have yet."""
        return sum(stamp.ref.path not in self.kept for stamp in self.todo.read)

    @property
    def expected(self) -> int:
        """Documents that the store will have."""
        return len(self.todo.read) + self.todo.unchanged

    def read_by(self, cutting: ChunkOptions) -> ReadingOptions:
        """What the documents are read by, besides their bytes."""
        return ReadingOptions(cutting, self.sites, self.modules)

    @property
    def is_settled(self) -> bool:
        """Whether the store agrees with its source in everything."""
        todo = self.todo
        changes = todo.read or todo.drop or todo.assets or self.resolved or self.hidden or self.settings
        return not (changes or self.has_pending_links)


class SurveyOptions(Struct, frozen=True):
    """What is compared, and by what it would be read."""

    cutting: ChunkOptions
    """Where documents are cut."""
    anchors: str
    """The style of anchors and addresses that links may use."""
    paths: Collection[str] | None = None
    """Only these, and what is below them; None for everything."""
    verify: bool = False
    """Whether every document there is read again, whatever sizes and times say."""

    @property
    def reading(self) -> str:
        """Names how documents are parsed, cut and named."""
        return f"{READING_VERSION} {fingerprint(self.cutting)}"


def survey(source: Source, store: Store, options: SurveyOptions) -> Survey:
    """Compare a source with a store. Nothing is written, and nothing is read but what decides how others are read."""
    paths, verify, reading = options.paths, options.verify, options.reading
    generation = store.generation
    # Looked at before the scan: what happens in between is found by the next sync.
    wanted = {READING: reading, SOURCE: source.fingerprint, SNAPSHOT: source.snapshot(), BUILDING: ""}
    known = {name: store.setting(name) for name in wanted}
    failures = store.failures(source.corpus)
    if wanted[SNAPSHOT] and wanted == known and not verify:
        unchanged = store.counts(source.corpus).documents
        return Survey(generation, 0, {}, {}, failures, SyncPlan((), (), (), unchanged))
    retry = known[SOURCE] != wanted[SOURCE]
    is_outdated = known[READING] != reading
    scan = None
    if known[SNAPSHOT] and wanted[SNAPSHOT] and not (retry or is_outdated or verify or failures or known[BUILDING]):
        scan = source.scan_since(known[SNAPSHOT], wanted[SNAPSHOT]) if isinstance(source, IncrementalSource) else None
    scan = scan or source.scan(None if retry or is_outdated or known[BUILDING] else paths)
    sites, modules = find_sites(source, store, scan, options.anchors), find_module_paths(source, store, scan)
    configured = {SITES: sites.text(), MODULE_PATHS: modules.text()}
    wanted |= configured
    known |= {name: store.setting(name) for name in configured}
    if any(wanted[name] != known[name] for name in configured):
        is_outdated = True
        scan = scan if scan.within is None else source.scan()
    kept = store.files(source.corpus, scan.within)
    is_outdated = is_outdated and bool(kept)
    among = _among(failures, scan.within)
    # A scan of more than some paths, such as the first one, is no reason to read more than these again.
    verified = () if not verify else ("",) if paths is None or scan.within is not None else paths
    todo = plan(scan, kept, () if retry else among, reread=("",) if is_outdated else verified)
    return Survey(
        generation=generation,
        scanned=len(scan.stamps),
        settings=wanted if wanted != known else {},
        kept=kept,
        failures=failures,
        todo=todo,
        resolved=_resolved_failures(among, todo, scan),
        hidden=tuple(failure for failure in scan.failures if failure not in failures),
        is_outdated=is_outdated,
        sites=sites,
        modules=modules,
        has_pending_links=bool(store.pending_links(source.corpus, 1)),
    )


@runtime_checkable
class IncrementalSource(Protocol):
    """A source that can tell from two snapshots what came and went between them."""

    def scan_since(self, before: str, now: str) -> Scan | None:
        """That alone; None when only a whole scan can tell."""
        ...


def _among(failures: Sequence[Failure], paths: Sequence[str] | None) -> Sequence[Failure]:
    """Those at or below some paths, or all."""
    if paths is None or not failures:
        return failures
    tops = tuple(f"{path}/" for path in paths)
    return [failure for failure in failures if f"{failure.ref.path}/".startswith(tops)]


def _resolved_failures(failures: Sequence[Failure], todo: SyncPlan, scan: Scan) -> tuple[Ref, ...]:
    """Failures whose file or folder is no longer there to fail."""
    if not failures:
        return ()
    documents = {stamp.ref for stamp in scan.stamps if stamp.media.is_document}
    present = documents | {failure.ref for failure in scan.failures} | set(todo.drop)
    return tuple(failure.ref for failure in failures if failure.ref not in present)
