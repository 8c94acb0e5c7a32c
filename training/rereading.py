"""A small cross-encoder is taught what a large one says of questions and passages.

Questions that people wrote and some that documentation asks itself enter, each with its passage, passages near to it
and two from anywhere; the large one judges them all once. The small one, which has fewer layers and pieces
(`training.shrinking`), learns their order, and how good each is by itself: that tells a poor best hit from a good one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from training.crossing import Judge
from training.encoder import DEVICE, quick
from training.finetune import Lessons
from training.near import NEAREST, near_misses, written
from training.pieces import Pieces
from training.shrinking import shrink

_WARM_UP = 100
WEAK = ("question", "heading", "sentence-masked", "around-masked", "summary-masked")
"""Kinds of pairs that are not written, of which some are drawn."""


@dataclass(frozen=True, slots=True)
class Rereading:
    """How a small cross-encoder is made."""

    layers: int = 3
    pieces: int = 10_000
    longest: int = 128
    """Pieces of a question and a passage together."""
    asked: int = 32
    """Of these, pieces of the question."""
    near: int = 9
    anywhere: int = 2
    turns: int = 3
    """Rows for each written question, with other near passages."""
    weak: int = 60_000
    """Rows for questions that documentation asks itself."""
    steps: int = 3000
    rows: int = 96
    rate: float = 2e-4
    temperature: float = 2.0
    by_itself: float = 0.05
    """How much it counts what is said of each passage alone."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Judged:
    """Rows of passages and what the large one says of each."""

    questions: NDArray[np.integer]
    passages: NDArray[np.integer]
    told: torch.Tensor


def reread(model: torch.nn.Module, learned: Lessons, judge: Judge, how: Rereading, to: Path) -> Judge:
    """The small cross-encoder; its folder is left in `to`. `model` finds the near passages."""
    chance = np.random.default_rng(how.seed)
    weak = [number for number, pair in enumerate(learned.pairs) if pair.kind in WEAK]
    weak = sorted(chance.permutation(weak)[: how.weak].tolist())
    own = written(learned)
    lists = near_misses(model, learned, [*own, *weak])
    pairs = np.array([*[number for number in own if number in lists.places] * how.turns, *weak])
    pairs = pairs[[number in lists.places for number in pairs.tolist()]]
    near = lists.passages.cpu().numpy()[[lists.places[number] for number in pairs.tolist()]]
    columns = 1 + chance.permuted(np.tile(np.arange(NEAREST), (len(pairs), 1)), axis=1)[:, : how.near]
    # What stands in the question is taken out of the passage: the texts of pairs come behind those of passages.
    behind = {number: len(learned.passages) + place for place, number in enumerate(weak)}
    right = np.array([behind.get(number, learned.pairs[number].passage) for number in pairs.tolist()])
    anywhere = chance.integers(0, len(learned.passages), (len(pairs), how.anywhere))
    passages = np.concatenate([right[:, None], np.take_along_axis(near, columns, 1), anywhere], 1)
    texts = [*(passage.text for passage in learned.passages), *(learned.texts[number] for number in weak)]
    asked = [pair.query for pair in learned.pairs]
    judged = _Judged(pairs, passages, _told(judge, asked, texts, pairs, passages))
    own_rows = torch.from_numpy(np.isin(pairs, own)).to(DEVICE)
    best = judged.told[:, 1:].max(1).values
    judged.told[:, 0] = torch.where(own_rows, torch.maximum(judged.told[:, 0], best), judged.told[:, 0])
    shrink(judge.folder, (*asked, *texts), to, layers=how.layers, pieces=how.pieces, longest=how.longest)
    small = Judge(to, (how.asked, how.longest - how.asked))
    _teach(small, judged, small.cut_texts(asked, texts), how)
    small.save()
    return small


def _told(
    judge: Judge, asked: Sequence[str], texts: Sequence[str], pairs: NDArray[np.integer], passages: NDArray[np.integer]
) -> torch.Tensor:
    left, right = judge.cut_texts(asked, texts)
    return judge.scores(left, np.repeat(pairs, passages.shape[1]), right, passages.reshape(-1)).view(passages.shape)


def _teach(small: Judge, judged: _Judged, cut: tuple[Pieces, Pieces], how: Rereading) -> None:
    torch.manual_seed(how.seed)
    chance = np.random.default_rng(how.seed)
    small.model.train()
    optimizer = torch.optim.AdamW(small.model.parameters(), lr=how.rate, weight_decay=0.01)
    asked, shown = cut
    for step in range(how.steps):
        for group in optimizer.param_groups:
            group["lr"] = how.rate * min(1.0, (step + 1) / _WARM_UP) * (1 - step / how.steps)
        taken = chance.integers(0, len(judged.questions), how.rows)
        passages = judged.passages[taken]
        with quick():
            said = small.run(asked, np.repeat(judged.questions[taken], passages.shape[1]), shown, passages.reshape(-1))
        said, told = said.view(passages.shape), judged.told[torch.from_numpy(taken).to(DEVICE)]
        wanted = F.softmax(told / how.temperature, 1)
        loss = F.kl_div(F.log_softmax(said / how.temperature, 1), wanted, reduction="batchmean")
        loss = loss + how.by_itself * F.mse_loss(said, told)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(small.model.parameters(), 1.0)
        optimizer.step()
    small.model.eval()
