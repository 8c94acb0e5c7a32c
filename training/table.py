"""The static model: a vector for each word piece; a text is the weighted sum of its pieces.

Pieces count 1 + ln(occurrences), as the package counts them. The table starts from what the transformer makes of each
piece alone, shortened by how frequent it is, and learns from pairs and from the transformer's own judgement of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from training.batches import Mix, batches
from training.encoder import DEVICE, forward, quick
from training.finetune import Lessons, contrast
from training.judge import Encode
from training.pieces import Pieces

_WARM_UP = 50
_SMOOTH = 1e-3
"""Half the weight goes to pieces that make up this share of all text."""


@dataclass(frozen=True, slots=True)
class Distilling:
    """How a table is made."""

    mix: Mix
    width: int = 256
    steps: int = 500
    batch: int = 4096
    taught: int = 1024
    """Rows of a batch that the transformer judges, too."""
    rate: float = 1e-2
    temperature: float = 0.05
    teacher: float = 1.0
    """How much the transformer's judgement counts beside the pairs themselves."""
    widths: tuple[int, ...] = (256,)
    """Every one of these many first numbers must do by itself."""
    seed: int = 0


def summed(table: torch.Tensor, bags: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> torch.Tensor:
    numbers, starts, weights = bags
    return F.embedding_bag(numbers, table, starts, mode="sum", per_sample_weights=weights)


def by_table(table: torch.Tensor) -> Encode:
    """Unit vectors of texts."""

    def encode(pieces: Pieces) -> torch.Tensor:
        rows = range(len(pieces))
        found = [summed(table, pieces.bags(rows[start : start + 4096])) for start in range(0, len(pieces), 4096)]
        return F.normalize(torch.cat(found), dim=1)

    return encode


def first_table(teacher: torch.nn.Module, learned: Lessons, size: int, width: int) -> torch.Tensor:
    """What the transformer makes of each piece alone, centred, turned so that the first numbers say most, and shortened
    by frequency."""
    rows = []
    with torch.no_grad(), quick():
        for start in range(0, size, 2048):
            ids = torch.tensor([[101, n, 102] for n in range(start, min(size, start + 2048))], device=DEVICE)
            rows.append(teacher(input_ids=ids).last_hidden_state.float().mean(1))
    vectors = torch.cat(rows)
    vectors = vectors - vectors.mean(0)
    _, _, turned = torch.linalg.svd(vectors, full_matrices=False)
    vectors = F.normalize(vectors @ turned.T[:, :width], dim=1)
    count = torch.from_numpy(learned.shown.frequencies(size)).to(DEVICE)
    share = count / count.sum()
    return vectors * (_SMOOTH / (_SMOOTH + share))[:, None]


def distil(teacher: torch.nn.Module, learned: Lessons, size: int, how: Distilling) -> torch.Tensor:
    """The table after training."""
    torch.manual_seed(how.seed)
    table = torch.nn.Parameter(first_table(teacher, learned, size, how.width).clone())
    optimizer = torch.optim.Adam([table], lr=how.rate)
    drawn = batches(learned.pairs, learned.passages, how.mix, how.batch, how.seed)
    for step in range(how.steps):
        for group in optimizer.param_groups:
            group["lr"] = how.rate * min(1.0, (step + 1) / _WARM_UP) * (1 - step / how.steps)
        numbers = next(drawn)
        one, other = summed(table, learned.asked.bags(numbers)), summed(table, learned.shown.bags(numbers))
        wanted = None
        if how.teacher:
            with torch.no_grad(), quick():
                judged = numbers[: how.taught]
                left, right = (
                    forward(teacher, *learned.asked.padded(judged)),
                    forward(teacher, *learned.shown.padded(judged)),
                )
                told = left @ right.T
            wanted = F.softmax(told.float() / how.temperature, dim=1)
        loss = torch.zeros((), device=DEVICE)
        for width in how.widths:
            left, right = F.normalize(one[:, :width], dim=1), F.normalize(other[:, :width], dim=1)
            loss = loss + contrast(left, right, how.temperature)
            if wanted is not None:
                said = F.log_softmax(left[: how.taught] @ right[: how.taught].T / how.temperature, dim=1)
                loss = loss + how.teacher * F.kl_div(said, wanted, reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return table.detach()
