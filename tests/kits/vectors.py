"""A store filled from texts, and an embedder that remembers what it was asked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kits.scratch import ScratchStore
from pinakes.chunk import chunk
from pinakes.parse import parse
from pinakes.ports import Store
from pinakes.records import DOCS, Change, Entry, Raw, Ref, Stamp, Traits, formats

if TYPE_CHECKING:
    from pinakes.ports import Vectors


def put(store: Store, texts: Mapping[str, str]) -> None:
    """Write documents, one change for all of them."""
    entries = []
    for path, text in texts.items():
        data = text.encode()
        media = formats.SVG if path.endswith(".svg") else formats.MARKDOWN
        document = parse(Raw(Stamp(Ref(DOCS, path), "1", media), data, hashlib.sha256(data).hexdigest()))
        entries.append(Entry(document, (), ("",) * len(document.links), chunk(document)))
    store.write(Change(put=tuple(entries)))


def filled(texts: Mapping[str, str]) -> ScratchStore:
    store = ScratchStore()
    put(store, texts)
    return store


class Bag:
    """Adds up a random direction for each word: texts that share words are near each other."""

    traits = Traits(0.5, 0.3)

    def __init__(self, name: str = "bag", dimensions: int = 64, fails_after: int = 1_000_000_000) -> None:
        self.name = name
        self.dimensions = dimensions
        self.asked: list[str] = []
        self._fails_after = fails_after

    def encode(self, texts: Sequence[str]) -> Vectors:
        if len(self.asked) + len(texts) > self._fails_after:
            raise KeyboardInterrupt
        self.asked += texts
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                vectors[row] += _direction(f"{self.name} {word}", self.dimensions)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        unit: Vectors = vectors / lengths
        return unit


@cache
def _direction(word: str, dimensions: int) -> Vectors:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).standard_normal(dimensions, dtype=np.float32)
