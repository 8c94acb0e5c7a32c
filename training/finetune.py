"""Fine-tuning the transformer: what belongs together is drawn together, the rest of the batch apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from training.batches import Mix, batches, shown
from training.encoder import DEVICE, Tokens, averaged, forward, load_model, quick, weights_of
from training.material import Pair, Passage
from training.pieces import Pieces

if TYPE_CHECKING:
    from training.near import Lists

QUERY_PIECES, PASSAGE_PIECES = 48, 160
_WARM_UP = 50


@dataclass(frozen=True, slots=True)
class Tuning:
    """How a transformer is fine-tuned."""

    mix: Mix
    steps: int = 400
    batch: int = 1024
    rate: float = 2e-5
    temperature: float = 0.05
    faithful: float = 0.0
    """How much leaving the original's vectors costs."""
    listed: float = 0.0
    """How much it counts that near misses of written questions are ordered as a judge orders them."""
    misses: int = 7
    """Near misses of each written question in a step."""
    judged: float = 1.5
    """The temperature of the judge: greater is less sure."""
    seeds: tuple[int, ...] = (0,)
    """A run for each; the weights are their mean."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Pairs, and both sides of them cut into pieces."""

    pairs: Sequence[Pair]
    passages: Sequence[Passage]
    texts: Sequence[str]
    """The passages as the pairs show them."""
    asked: Pieces
    shown: Pieces
    every: Pieces
    """All passages, whole."""


def lessons(pairs: Sequence[Pair], passages: Sequence[Passage], tokens: Tokens) -> Lessons:
    """Cut once, for every variant."""
    texts = [shown(pair, passages) for pair in pairs]
    asked = Pieces(tokens, [pair.query for pair in pairs], QUERY_PIECES)
    every = Pieces(tokens, [passage.text for passage in passages], PASSAGE_PIECES)
    return Lessons(pairs, passages, texts, asked, Pieces(tokens, texts, PASSAGE_PIECES), every)


def finetune(base: Path, learned: Lessons, tuning: Tuning, lists: Lists | None = None) -> dict[str, torch.Tensor]:
    """The weights after training, the mean of all seeds."""
    mean: dict[str, torch.Tensor] = {}
    for count, seed in enumerate(tuning.seeds, 1):
        found = _finetuned(base, learned, tuning, lists if tuning.listed else None, seed)
        mean = averaged(mean, found, 1 / count) if mean else found
    return mean


def _finetuned(base: Path, learned: Lessons, tuning: Tuning, lists: Lists | None, seed: int) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    model = load_model(base).train()
    origin = load_model(base) if tuning.faithful else None
    optimizer = torch.optim.AdamW(model.parameters(), lr=tuning.rate, weight_decay=0.01)
    drawn = batches(learned.pairs, learned.passages, tuning.mix, tuning.batch, seed)
    for step in range(tuning.steps):
        for group in optimizer.param_groups:
            group["lr"] = tuning.rate * min(1.0, (step + 1) / _WARM_UP) * (1 - step / tuning.steps)
        numbers = next(drawn)
        asked, answers = learned.asked.padded(numbers), learned.shown.padded(numbers)
        with quick():
            one, other = forward(model, *asked), forward(model, *answers)
        loss = contrast(one, other, tuning.temperature)
        if origin is not None:
            with torch.no_grad(), quick():
                before, behind = forward(origin, *asked), forward(origin, *answers)
            loss = loss + tuning.faithful * (2 - (one * before).sum(1).mean() - (other * behind).sum(1).mean())
        if lists is not None:
            loss = loss + tuning.listed * _listed(model, learned, tuning, lists, (numbers, one, other))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return weights_of(model)


def _listed(
    model: torch.nn.Module,
    learned: Lessons,
    tuning: Tuning,
    lists: Lists,
    batch: tuple[Sequence[int], torch.Tensor, torch.Tensor],
) -> torch.Tensor:
    """How differently the model and the judge spread their belief over the near misses of written questions."""
    numbers, one, other = batch
    held = [(place, lists.places[number]) for place, number in enumerate(numbers) if number in lists.places]
    if not held:
        return one.new_zeros(())
    places, rows = [place for place, _ in held], [row for _, row in held]
    columns = 1 + torch.randperm(lists.passages.shape[1] - 1, device=DEVICE)[: tuning.misses]
    with quick():
        near = forward(model, *learned.every.padded(lists.passages[rows][:, columns].reshape(-1).cpu().numpy()))
    asked = one[places].float()
    missed = (asked[:, None] * near.float().view(len(rows), len(columns), -1)).sum(-1)
    found = torch.cat([(asked * other[places].float()).sum(1, keepdim=True), missed], 1) / tuning.temperature
    told = torch.cat([lists.told[rows][:, :1], lists.told[rows][:, columns]], 1) / tuning.judged
    return F.kl_div(F.log_softmax(found, 1), F.softmax(told, 1), reduction="batchmean")


def contrast(one: torch.Tensor, other: torch.Tensor, temperature: float) -> torch.Tensor:
    """Each row of the one should be nearest to the same row of the other, and the other way round."""
    scores = one.float() @ other.float().T / temperature
    right = torch.arange(len(one), device=DEVICE)
    return (F.cross_entropy(scores, right) + F.cross_entropy(scores.T, right)) / 2
