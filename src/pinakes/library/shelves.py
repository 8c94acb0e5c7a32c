"""What the maps of one corpus are drawn from, kept in memory from map to map: catalogue, graph, folders, outlines.

Each part is made when a map first needs it: one that shows everything, and most maps of a single document do, needs
none of them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache

from pinakes.graph.measures import SectionGraph
from pinakes.library.map_catalogue import MapCatalogue, build, follow, heading_key, keep_catalogue, load_catalogue, rank
from pinakes.outline import FetchShown, FolderPlan, Shelf, Shown, whole
from pinakes.ports import Store
from pinakes.records import CODE, CorpusName, Listed, Outline, is_test_file

_MOST_KEPT = 4096
"""Outlines that are kept from map to map; a tight map looks into a few hundred."""

_SELDOM = 50
"""After so many generations the catalogue is kept again; those who find an older one follow what changed since."""

TellShown = Callable[[Outline], Shown]


class Shelves:
    """Of one corpus; several threads may ask."""

    def __init__(self, corpus: CorpusName) -> None:
        self._corpus = corpus
        self._making = threading.Lock()
        self._known: MapCatalogue | None = None
        self._ranked = 0.0
        """When ranks were last made or found."""
        self._kept = 0
        """The generation of the catalogue that is kept."""
        self._graph: SectionGraph | None = None
        self._everything: tuple[object, Mapping[int, str], _Listing] | None = None
        """All documents, and what of the catalogue they were listed from."""
        self._seen: tuple[int, dict[str, Shown]] = (-1, {})
        """A generation and what was looked into."""
        self.max_age_s = 0.0
        """How long ranks are good for after a change; only those who serve many raise it."""

    def forget(self) -> None:
        """What follows may be another index, whose generations count from the start."""
        with self._making:
            self._known, self._graph, self._everything, self._seen, self._kept = None, None, None, (-1, {}), 0

    @property
    def has_old_ranks(self) -> bool:
        """Whether the last map was drawn by ranks that are older than its documents."""
        return self._known is not None and self._known.has_old_ranks

    def catalogue(self, store: Store) -> MapCatalogue:
        """Of the present generation; its ranks may be as old as allowed."""
        with self._making:  # several who ask at once wait for one
            before = self._known
            if before is None and (before := load_catalogue(store)) is not None:
                self._kept = before.generation
            known = follow(self._corpus, store, before) if before is not None else None
            if known is None:
                known, self._graph = build(self._corpus, store)
                self._ranked = time.monotonic()
            elif known.has_old_ranks and time.monotonic() - self._ranked >= self.max_age_s:
                known, self._graph = rank(self._corpus, store, known)
                self._ranked = time.monotonic()
            elif self._known is None:
                self._ranked = time.monotonic()
            if known.generation >= self._kept + _SELDOM or known.ranks is not (before and before.ranks):
                keep_catalogue(store, known)
                self._kept = known.generation
            self._known = known
            return known

    def graph(self, store: Store) -> SectionGraph:
        """Of the links that the catalogue's ranks were made from, or of later ones."""
        self.catalogue(store)
        with self._making:
            if self._graph is None:
                self._graph = SectionGraph(store.outlines(self._corpus))
            return self._graph

    def shelf(self, store: Store, part: str, tell: TellShown | None = None) -> Shelf:
        """The documents at or below `part`, of which a map looks into some. `tell` adds what only some maps show."""
        generation = store.generation
        listing = self._part(store, part) if part else self._listing(self.catalogue(store))
        return self._shelf(store, part, listing, self._fetch(store, generation, tell))

    def whole_shelf(self, store: Store, part: str, tell: TellShown | None = None) -> Shelf:
        """As `shelf`, with all documents read now, so that none can be gone later."""
        held = {one.ref.path: tell(one) if tell else whole(one) for one in store.outlines(self._corpus, part)}
        numbers = {one.path: one.number for one in store.listing(self._corpus, part)}
        listed = [Listed(numbers.get(path, -1), path, len(one.outline.sections)) for path, one in held.items()]
        return self._shelf(store, part, _listing(listed), lambda paths: map(held.__getitem__, paths))

    def _shelf(self, store: Store, part: str, listing: _Listing, fetch: FetchShown) -> Shelf:
        numbers = listing.numbers

        @cache
        def counts() -> Counter[int]:
            return self.catalogue(store).repeats(numbers if part else None)

        @cache
        def repeats(title: str) -> int:
            return max(counts()[heading_key(title)], 1)  # it is there, even if it came just now

        return Shelf(
            listing.plan, listing.sections, lambda: listing.ranked(self.catalogue(store).ranks), repeats, fetch
        )

    def _part(self, store: Store, part: str) -> _Listing:
        is_code = self._corpus == CODE  # of which files of tests are shown without their symbols
        found = store.listing(self._corpus, part)
        return _listing([one._replace(sections=1) if is_code and is_test_file(one.path) else one for one in found])

    def _listing(self, known: MapCatalogue) -> _Listing:
        """All documents; as long as none comes or goes, their folders are the same."""
        before = self._everything
        if before is None or before[0] is not known.headings:
            if before is not None and before[1] is known.paths:
                listing = before[2].changed(known.headings.sections)
            else:
                numbers = {path: number for number, path in known.paths.items()}
                listing = _Listing(FolderPlan(numbers), numbers, known.headings.sections)
            self._everything = before = known.headings, known.paths, listing
        return before[2]

    def _fetch(self, store: Store, generation: int, tell: TellShown | None) -> FetchShown:
        if self._seen[0] != generation:
            self._seen = generation, {}
        seen = self._seen[1] if tell is None else {}

        def fetch(paths: Sequence[str]) -> Iterator[Shown]:
            missing = []
            for path in paths:
                if path in seen:
                    yield seen[path]
                else:
                    missing.append(path)
            for outline in store.outlines(self._corpus, paths=missing) if missing else ():
                shown = tell(outline) if tell else whole(outline)
                if len(seen) < _MOST_KEPT:
                    seen[outline.ref.path] = shown
                yield shown

        return fetch


class _Listing:
    """The documents of a map, in the order of the map."""

    def __init__(self, plan: FolderPlan, numbers: Mapping[str, int], sections: Mapping[str, int]) -> None:
        self.plan = plan
        self.numbers = [numbers[path] for path in plan.paths]
        self.sections = [sections[path] for path in plan.paths]
        self._ranked: tuple[Mapping[int, float], Sequence[float]] | None = None

    def changed(self, sections: Mapping[str, int]) -> _Listing:
        """These documents with other sections."""
        found = copy(self)
        found.sections = [sections[path] for path in self.plan.paths]
        return found

    def ranked(self, ranks: Mapping[int, float]) -> Sequence[float]:
        """A rank for each; one object for one set of ranks, by which the map sees that nothing changed."""
        if self._ranked is None or self._ranked[0] is not ranks:
            self._ranked = ranks, [ranks.get(number, 0.0) for number in self.numbers]
        return self._ranked[1]


def _listing(listed: Sequence[Listed]) -> _Listing:
    numbers = {one.path: one.number for one in listed}
    return _Listing(FolderPlan(numbers), numbers, {one.path: one.sections for one in listed})
