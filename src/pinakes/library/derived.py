"""Parts computed from the whole store, kept beside it while nothing changes: how central sections are, maps."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pinakes.errors import StoreDamaged, StoreError
from pinakes.graph.measures import section_ranks
from pinakes.ports import Store
from pinakes.records import CorpusName, Ref

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


def numbered_ranks(corpus: CorpusName, store: Store) -> Mapping[int, Sequence[float]]:
    """How central every section is, by the number of its document."""
    by_path = _by_path(corpus, store)
    places = store.places([Ref(corpus, path) for path in by_path])
    return {place.document: by_path[ref.path] for ref, place in places.items()}


def _by_path(corpus: CorpusName, store: Store) -> Mapping[str, Sequence[float]]:
    return derived(store, RANKS, lambda: section_ranks(tuple(store.outlines(corpus))))
