"""Texts as the static model sees them: weighted pieces without order, kept flat where the device can gather them."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from pinakes.neural.word_pieces import count_words, cut
from training.encoder import DEVICE


class Cutter:
    """Cuts texts by the package's own code, and remembers how words were cut."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._known: dict[bytes, tuple[int, ...]] = {}

    def weigh(self, text: str) -> tuple[list[int], list[float]]:
        """The pieces of a text's distinct words and what each one weighs."""
        numbers: list[int] = []
        weights: list[float] = []
        for word, count in count_words(text).items():
            if word not in self._known:
                size = len(self._numbers)  # what is behind has no row to learn
                self._known[word] = tuple(number for number in cut(word, self._numbers) if number < size)
            found = self._known[word]
            numbers += found
            weights += [(1.0 + log(count)) / sqrt(len(found) or 1)] * len(found)
        return numbers, weights


class Bags:
    """The pieces of each text and what each weighs."""

    def __init__(self, cutter: Cutter, texts: Sequence[str]) -> None:
        numbers: list[NDArray[np.int32]] = []
        weights: list[NDArray[np.float32]] = []
        for text in texts:
            found, shares = cutter.weigh(text)
            numbers.append(np.array(found, dtype=np.int32))
            weights.append(np.array(shares, dtype=np.float32))
        counts = np.array([len(one) for one in numbers], dtype=np.int64)
        self._counts = torch.from_numpy(counts).to(DEVICE)
        self._starts = torch.from_numpy(np.cumsum(counts) - counts).to(DEVICE)
        self._numbers = torch.from_numpy(np.concatenate(numbers)).to(DEVICE)
        self._weights = torch.from_numpy(np.concatenate(weights)).to(DEVICE)

    def __len__(self) -> int:
        return len(self._counts)

    def sums(self, table: torch.Tensor, rows: torch.Tensor, dropped: float = 0.0) -> torch.Tensor:
        """The weighted sum of each text's pieces, a share of them left out by chance."""
        counts = self._counts[rows]
        ends = torch.cumsum(counts, 0)
        offsets = ends - counts
        places = torch.arange(int(ends[-1]), device=DEVICE)
        places += torch.repeat_interleave(self._starts[rows] - offsets, counts)
        weights = self._weights[places]
        if dropped:
            weights = weights * (torch.rand_like(weights) >= dropped)
        return F.embedding_bag(
            self._numbers[places].long(), table, offsets, mode="sum", per_sample_weights=weights.to(table)
        )

    def vectors(self, table: torch.Tensor) -> torch.Tensor:
        """Unit vectors of all texts."""
        every = torch.arange(len(self), device=DEVICE)
        return F.normalize(torch.cat([self.sums(table, rows) for rows in every.split(8192)]), dim=1)

    def frequencies(self, size: int) -> torch.Tensor:
        """In how many texts each piece occurs."""
        return torch.bincount(self._numbers.long(), minlength=size).float()
