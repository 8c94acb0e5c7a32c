"""Word pieces of many texts, cut once and kept flat: batches are gathered from arrays, not from lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from training.encoder import DEVICE, Tokens


class Pieces:
    """The pieces of each text, the two special ones at the ends included."""

    def __init__(self, tokens: Tokens, texts: Sequence[str], most: int) -> None:
        rows: list[NDArray[np.int32]] = []
        for start in range(0, len(texts), 20_000):
            rows += [np.array(row, dtype=np.int32) for row in tokens.of(texts[start : start + 20_000], most)]
        self._starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        self._flat = np.concatenate(rows) if rows else np.zeros(0, np.int32)

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

    def paired(self, numbers: NDArray[np.integer], other: Pieces, others: NDArray[np.integer]) -> list[torch.Tensor]:
        """Ids, mask and kinds of pairs of texts, one behind the other, for a cross-encoder."""
        starts, counts = self._starts[numbers], np.diff(self._starts)[numbers]
        behind, more = other._starts[others] + 1, np.diff(other._starts)[others] - 1
        place = np.arange(int((counts + more).max()))[None, :]
        is_first, is_there = place < counts[:, None], place < (counts + more)[:, None]
        left = self._flat[np.where(is_first, starts[:, None] + place, 0)]
        right = other._flat[np.where(is_there & ~is_first, behind[:, None] + place - counts[:, None], 0)]
        ids = np.where(is_first, left, np.where(is_there, right, 0))
        made = (ids.astype(np.int64), is_there.astype(np.float32), (is_there & ~is_first).astype(np.int64))
        return [torch.from_numpy(each).to(DEVICE) for each in made]
