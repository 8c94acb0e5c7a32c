"""Parts computed from the whole store, kept beside it for as long as nothing changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pinakes.errors import StoreDamaged, StoreError
from pinakes.ports import Store

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
