"""Parts computed from the whole store, kept beside it for as long as nothing changes: how central sections are, maps.

Ranks are computed from the whole link graph, and only when somebody looks: a map that shows everything, and most maps
of a single document do, needs none. Where many ask while documents change, ranks may be a little older than the
documents: they only decide what goes first when not everything fits, and one change moves them by next to nothing,
while computing them from ten thousand outlines holds up everybody else.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pinakes.errors import StoreDamaged, StoreError
from pinakes.graph.measures import section_ranks
from pinakes.ports import Store
from pinakes.records import CorpusName, Outline, Ref

T = TypeVar("T")


def derived(store: Store, name: str, make: Callable[[], Mapping[str, T]]) -> Mapping[str, T]:
    """The part of this name, made when there is none of this generation."""
    found: Mapping[str, T] = load_derived(store, name)
    if not found:
        found = make()
        save_derived(store, name, found)
    return found


def load_derived(store: Store, name: str) -> dict[str, Any]:
    """The part of this name as it is; what cannot be read is as good as none."""
    try:
        found = json.loads(store.derived(name) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def save_derived(store: Store, name: str, data: Mapping[str, object]) -> None:
    """Keep a part where that is possible; where it is not, on a full disk too, it is made again the next time."""
    try:
        store.keep_derived(name, json.dumps(data).encode())
    except StoreDamaged:
        raise
    except StoreError:
        return


RANKS = "section_ranks"
"""Name of the derived part that holds them."""


KnownOutlines = tuple[int, Sequence[Outline]]
"""Those of the whole corpus where somebody has read them, and the generation before; reading them again takes as long
as drawing a map."""


@dataclass(frozen=True, slots=True)
class _Made:
    generation: int
    when: float
    by_path: Mapping[str, Sequence[float]]


class RankCache:
    """The ranks of one corpus, kept in memory from question to question."""

    def __init__(self, corpus: CorpusName) -> None:
        self._corpus = corpus
        self._making = threading.Lock()
        self._made: _Made | None = None
        self.max_age_s = 0.0
        """How long ranks are good for after a change; only those who serve many raise it."""

    def present(self, store: Store) -> SectionRanks:
        """Ranks to look at, or not."""
        return SectionRanks(lambda known: self._look(store, known))

    def forget(self) -> None:
        """What follows may be another index, whose generations count from the start."""
        self._made = None

    def _look(self, store: Store, known: KnownOutlines) -> tuple[Mapping[str, Sequence[float]], bool]:
        """The ranks, and whether they are of an earlier generation."""
        with self._making:  # several who ask at once wait for one
            generation, now = store.generation, time.monotonic()
            made = self._made
            if made is None or (made.generation != generation and now - made.when >= self.max_age_s):
                made = self._made = _Made(generation, now, _by_path(self._corpus, store, known))
            return made.by_path, made.generation != generation


class SectionRanks(Mapping[str, Sequence[float]]):
    """A value per section by path, made when first looked at."""

    def __init__(self, look: Callable[[KnownOutlines], tuple[Mapping[str, Sequence[float]], bool]]) -> None:
        self._look = look
        self.known: KnownOutlines = (-1, ())
        self._found: Mapping[str, Sequence[float]] | None = None
        self.is_older = False
        """Whether what was looked at was older than the documents."""

    def _all(self) -> Mapping[str, Sequence[float]]:
        if self._found is None:
            self._found, self.is_older = self._look(self.known)
        return self._found

    def __getitem__(self, path: str) -> Sequence[float]:
        return self._all()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def numbered_ranks(corpus: CorpusName, store: Store) -> Mapping[int, Sequence[float]]:
    """How central every section is, by the number of its document."""
    by_path = _by_path(corpus, store)
    places = store.places([Ref(corpus, path) for path in by_path])
    return {place.document: by_path[ref.path] for ref, place in places.items()}


def _by_path(corpus: CorpusName, store: Store, known: KnownOutlines = (-1, ())) -> Mapping[str, Sequence[float]]:
    def make() -> Mapping[str, Sequence[float]]:
        generation, outlines = known
        return section_ranks(outlines if store.generation == generation else tuple(store.outlines(corpus)))

    return derived(store, RANKS, make)
