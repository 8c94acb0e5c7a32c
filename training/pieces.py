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
