"""Fine-tuning the transformer: what belongs together is drawn together, the rest of the batch apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

from training.batches import Mix, batches, shown
from training.encoder import DEVICE, Tokens, forward, load_model, quick, weights_of
from training.material import Pair, Passage
from training.pieces import Pieces

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
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Lessons:
    """Pairs, and both sides of them cut into pieces."""

    pairs: Sequence[Pair]
    passages: Sequence[Passage]
    texts: Sequence[str]
    """The passages as the pairs show them."""
    asked: Pieces
    shown: Pieces


def lessons(pairs: Sequence[Pair], passages: Sequence[Passage], tokens: Tokens) -> Lessons:
    """Cut once, for every variant."""
    texts = [shown(pair, passages) for pair in pairs]
    asked = Pieces(tokens, [pair.query for pair in pairs], QUERY_PIECES)
    return Lessons(pairs, passages, texts, asked, Pieces(tokens, texts, PASSAGE_PIECES))


def finetune(base: Path, learned: Lessons, tuning: Tuning) -> dict[str, torch.Tensor]:
    """The weights after training."""
    torch.manual_seed(tuning.seed)
    model = load_model(base).train()
    origin = load_model(base) if tuning.faithful else None
    optimizer = torch.optim.AdamW(model.parameters(), lr=tuning.rate, weight_decay=0.01)
    drawn = batches(learned.pairs, learned.passages, tuning.mix, tuning.batch, tuning.seed)
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
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return weights_of(model)


def contrast(one: torch.Tensor, other: torch.Tensor, temperature: float) -> torch.Tensor:
    """Each row of the one should be nearest to the same row of the other, and the other way round."""
    scores = one.float() @ other.float().T / temperature
    right = torch.arange(len(one), device=DEVICE)
    return (F.cross_entropy(scores, right) + F.cross_entropy(scores.T, right)) / 2
