"""The static embedder that Pinakes had before it had one of its own, for comparison.

In come texts, out come unit vectors. The table and its vocabulary are those inside the package `wordllama`, read in
place and only where it happens to be installed. A text's vector is the sum of its distinct words' vectors, each with
weight 1 + ln(occurrences); a word's vector is the sum of its pieces, by byte-pair encoding over a vocabulary whose
order is the order of merging.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from training.tensors import read_tensors

from pinakes.records import Traits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors

PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_SPACE = "▁"
_FIRST_BYTE = 3
"""Piece number of byte 0; characters without a piece of their own are spelled in UTF-8 bytes."""
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]{{1,48}}")


def wordllama_folder() -> Path | None:
    """Where the package lies; None where it is not installed. It is never imported: its loader reaches for a hub."""
    found = importlib.util.find_spec(PACKAGE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        if (Path(folder) / _WEIGHTS).is_file():
            return Path(folder)
    return None


class WordllamaEmbedder:
    """Keeps the promise `Embedder` with the table in the package's `folder`."""

    name = "wordllama-words-log-1"
    dimensions = 256
    traits = Traits(dense_weight=0.4, noise=0.35)

    def __init__(self, folder: Path) -> None:
        self._table: NDArray[np.float32] = read_tensors(folder / _WEIGHTS)["embedding.weight"].astype(np.float32)
        self._vocabulary = _read_vocabulary(folder / _TOKENIZER)
        self._pieces: dict[str, tuple[int, ...]] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            numbers, shares = self._count(text)
            if numbers:
                vectors[row] = np.array(shares, dtype=np.float32) @ self._table[numbers]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float16).astype(np.float32)

    def _count(self, text: str) -> tuple[list[int], list[float]]:
        numbers: list[int] = []
        shares: list[float] = []
        for word, count in Counter(_WORD.findall(text)).items():
            found = self._pieces.get(word)
            if found is None:
                found = self._pieces[word] = _cut(word, self._vocabulary)
            numbers += found
            shares += [1.0 + log(count)] * len(found)
        return numbers, shares


def _read_vocabulary(path: Path) -> Mapping[str, int]:
    vocabulary = json.loads(path.read_bytes())["model"]["vocab"]
    return {str(piece): int(number) for piece, number in vocabulary.items()}


def _cut(word: str, vocabulary: Mapping[str, int]) -> tuple[int, ...]:
    """The piece numbers of one word, as if it stood after a space."""
    parts = [_SPACE, *word] if len(word) > 1 or word < "\u3040" else [word]
    while len(parts) > 1:
        best, at = len(vocabulary), -1
        for place in range(len(parts) - 1):
            rank = vocabulary.get(parts[place] + parts[place + 1], best)
            if rank < best:
                best, at = rank, place
        if at < 0:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    numbers: list[int] = []
    for part in parts:
        known = vocabulary.get(part)
        numbers += [known] if known is not None else [_FIRST_BYTE + byte for byte in part.encode("utf-8", "replace")]
    return tuple(numbers)
