"""Parts computed from the whole store, kept beside it for as long as nothing changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from pinakes.errors import StoreBusy, StoreReadOnly
from pinakes.ports import Store

T = TypeVar("T")


def derived(store: Store, name: str, make: Callable[[], Mapping[str, T]]) -> Mapping[str, T]:
    """The part of this name, made when there is none of this generation."""
    kept = store.derived(name)
    if kept is not None:
        found: Mapping[str, T] = json.loads(kept)
        return found
    made = make()
    keep(store, name, made)
    return made


def keep(store: Store, name: str, data: Mapping[str, object]) -> None:
    """Keep a part where that is possible; where it is not, it is simply made again the next time."""
    with suppress(StoreReadOnly, StoreBusy):
        store.keep_derived(name, json.dumps(data).encode())
