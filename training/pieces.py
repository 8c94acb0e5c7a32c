"""Word pieces of many texts, cut once and kept flat: batches are gathered from arrays, not from lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from training.encoder import DEVICE, Tokens

_UNKNOWN = 100


class Pieces:
    """The pieces of each text, the two special ones at the ends included."""

    def __init__(self, tokens: Tokens, texts: Sequence[str], most: int) -> None:
        rows: list[NDArray[np.int32]] = []
        for start in range(0, len(texts), 20_000):
            rows += [np.array(row, dtype=np.int32) for row in tokens.of(texts[start : start + 20_000], most)]
        self._starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        self._flat = np.concatenate(rows) if rows else np.zeros(0, np.int32)
        self._size = tokens.size
        self._bags: tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self._starts) - 1

    def lengths(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.diff(self._starts)
        return found

    def padded(self, numbers: Sequence[int] | NDArray[np.integer]) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids and mask of some texts, for the transformer."""
        starts, ends = self._starts[numbers], self._starts[np.asarray(numbers) + 1]
        longest = int((ends - starts).max())
        place = starts[:, None] + np.arange(longest)
        mask = place < ends[:, None]
        ids = np.where(mask, self._flat[np.minimum(place, len(self._flat) - 1)], 0)
        return torch.from_numpy(ids).long().to(DEVICE), torch.from_numpy(mask).float().to(DEVICE)

    def bags(self, numbers: Sequence[int] | NDArray[np.integer]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Distinct pieces of some texts without the special ones, where each text begins, what each piece weighs."""
        pieces, weights, starts = self._counted()
        first, last = starts[numbers], starts[np.asarray(numbers) + 1]
        taken = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        offsets = np.concatenate([[0], np.cumsum(last - first)[:-1]])
        return (
            torch.from_numpy(pieces[taken]).to(DEVICE),
            torch.from_numpy(offsets).to(DEVICE),
            torch.from_numpy(weights[taken]).to(DEVICE),
        )

    def frequencies(self, size: int) -> NDArray[np.float32]:
        """How often each piece occurs."""
        return np.bincount(self._flat, minlength=size).astype(np.float32)

    def _counted(self) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
        """Each text's distinct pieces, weighing 1 + ln(occurrences); a text of none holds the unknown piece."""
        if self._bags is None:
            inner = np.ones(len(self._flat), dtype=bool)
            inner[self._starts[:-1]] = False
            inner[self._starts[1:] - 1] = False
            rows = np.repeat(np.arange(len(self)), self.lengths())[inner]
            keys = rows * self._size + self._flat[inner]
            empty = np.setdiff1d(np.arange(len(self)), rows) * self._size + _UNKNOWN
            found, counts = np.unique(np.concatenate([keys, empty]), return_counts=True)
            starts = np.searchsorted(found, np.arange(len(self) + 1) * self._size)
            self._bags = found % self._size, (1.0 + np.log(counts)).astype(np.float32), starts
        return self._bags
