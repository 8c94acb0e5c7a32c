"""Near misses: what an embedder takes for an answer to a question that people wrote, and what a judge says of it.

Questions and a model enter, for each question a list of passages leaves, the right one first: those of the same
repository that are nearest to it. Others may answer too, so no list says who is wrong; that is for a judge
(`training.crossing`), or for how far from the right one a passage is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from training.encoder import DEVICE
from training.finetune import Lessons
from training.judge import by_transformer
from training.written import HURRIED, WRITTEN

NEAREST = 32
"""Passages on a list, the right one not counted."""
_MOST_ALIKE = 0.97
"""Passages with a greater cosine say the same: other versions of one page."""

_CERTAIN = 10.0


@dataclass(frozen=True, slots=True)
class Lists:
    """Passages near each question."""

    places: Mapping[int, int]
    """By number of the pair, its row."""
    passages: torch.Tensor
    """Numbers of passages, the right one first."""
    told: torch.Tensor
    """What a judge says of each; greater is better."""


def near_misses(model: torch.nn.Module, learned: Lessons, pairs: Sequence[int] | None = None) -> Lists:
    """The lists of these pairs, or of all that people wrote; until a judge has spoken, `told` are the model's own
    cosines."""
    encode = by_transformer(model)
    texts, asked = encode(learned.every), encode(learned.asked)
    repositories = np.array([passage.repository for passage in learned.passages])
    by_repository: dict[int, list[int]] = defaultdict(list)
    for number in written(learned) if pairs is None else pairs:
        by_repository[int(repositories[learned.pairs[number].passage])].append(number)
    rows, found, told = [], [], []
    for repository, own in sorted(by_repository.items()):
        held = torch.from_numpy(np.flatnonzero(repositories == repository)).to(DEVICE)
        if len(held) <= NEAREST:
            continue
        right = torch.tensor([learned.pairs[number].passage for number in own], device=DEVICE)
        numbers, cosines = _nearest(asked[own], texts, right, held)
        rows += own
        found.append(numbers)
        told.append(cosines)
    if not rows:
        nothing = torch.zeros(0, NEAREST + 1, device=DEVICE)
        return Lists({}, nothing.long(), nothing)
    return Lists({number: row for row, number in enumerate(rows)}, torch.cat(found), torch.cat(told))


def written(learned: Lessons) -> list[int]:
    """The pairs that people wrote."""
    return [number for number, pair in enumerate(learned.pairs) if pair.kind in (WRITTEN, HURRIED)]


def _nearest(
    asked: torch.Tensor, texts: torch.Tensor, right: torch.Tensor, held: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = asked @ texts[held].T
    scores[texts[right] @ texts[held].T > _MOST_ALIKE] = -1.0
    best = scores.topk(NEAREST, dim=1)
    own = (asked * texts[right]).sum(1, keepdim=True)
    return torch.cat([right[:, None], held[best.indices]], 1), torch.cat([own, best.values], 1)


def certain(lists: Lists) -> Lists:
    """The lists as if only the passage that a question was written for were right."""
    told = torch.zeros_like(lists.told)
    told[:, 0] = _CERTAIN
    return replace(lists, told=told)
