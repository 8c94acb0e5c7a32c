"""The static model: a vector for each word piece; a text is the weighted sum of its pieces.

The table starts from what the transformer makes of each piece alone, shortened by how frequent it is, and learns from
pairs and from the transformer's own judgement of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from pinakes.neural.cutting import CONTINUES, Cutter
from training.bags import Bags
from training.batches import Mix, batches
from training.encoder import DEVICE, Tokens
from training.finetune import Lessons, contrast
from training.judge import by_transformer
from training.pieces import Pieces

_WARM_UP = 50
_SMOOTH = 1e-3
"""Half the weight goes to pieces that make up this share of all text."""
_PIECE_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Distilling:
    """How a table is made."""

    mix: Mix
    width: int = 256
    steps: int = 1000
    batch: int = 4096
    rate: float = 3e-3
    temperature: float = 0.05
    contrast: float = 1.0
    """How much the pairs themselves count."""
    teacher: float = 10.0
    """How much it counts that questions and passages are as near as the transformer says."""
    among: float = 0.0
    """The same for passages among each other, and questions among each other."""
    towards: float = 0.0
    """How much it counts that each vector is the transformer's own, turned."""
    dropped: float = 0.0
    """Share of pieces that are left out by chance."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Studied:
    """What a table learns from: both sides of the pairs as bags, and what the transformer makes of them."""

    lessons: Lessons
    asked: Bags
    shown: Bags
    told_asked: torch.Tensor
    told_shown: torch.Tensor
    turn: torch.Tensor
    """Turns the transformer's vectors so that the first numbers say most."""


def study(teacher: torch.nn.Module, learned: Lessons, cutter: Cutter) -> Studied:
    """Cut and judged once, for every variant."""
    told = by_transformer(teacher)
    asked, shown = told(learned.asked), told(learned.shown)
    _, turn = torch.linalg.eigh((shown.T @ shown + asked.T @ asked).double())
    return Studied(
        learned,
        Bags(cutter, [pair.query for pair in learned.pairs]),
        Bags(cutter, learned.texts),
        asked.half(),
        shown.half(),
        turn.flip(1).float(),
    )


def first_table(teacher: torch.nn.Module, tokens: Tokens, pieces: Sequence[str], studied: Studied) -> torch.Tensor:
    """What the transformer makes of each piece alone, centred, turned, and shortened by frequency."""
    alone = by_transformer(teacher)(Pieces(tokens, [one.removeprefix(CONTINUES) for one in pieces], _PIECE_LENGTH))
    vectors = F.normalize((alone - alone.mean(0)) @ studied.turn, dim=1)
    count = studied.shown.frequencies(len(pieces))
    return vectors * (_SMOOTH / (_SMOOTH + count / count.sum()))[:, None]


def distil(first: torch.Tensor, studied: Studied, how: Distilling) -> torch.Tensor:
    """The table after training."""
    torch.manual_seed(how.seed)
    table = torch.nn.Parameter(first[:, : how.width].clone())
    optimizer = torch.optim.Adam([table], lr=how.rate)
    learned = studied.lessons
    drawn = batches(learned.pairs, learned.passages, how.mix, how.batch, how.seed)
    for step in range(how.steps):
        for group in optimizer.param_groups:
            group["lr"] = how.rate * min(1.0, (step + 1) / _WARM_UP) * (1 - step / how.steps)
        rows = torch.tensor(next(drawn), device=DEVICE)
        loss = _loss(table, studied, rows, how)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return table.detach()


def _loss(table: torch.Tensor, studied: Studied, rows: torch.Tensor, how: Distilling) -> torch.Tensor:
    left = F.normalize(studied.asked.sums(table, rows, how.dropped), dim=1)
    right = F.normalize(studied.shown.sums(table, rows, how.dropped), dim=1)
    told_left, told_right = studied.told_asked[rows].float(), studied.told_shown[rows].float()
    loss = how.contrast * contrast(left, right, how.temperature)
    if how.teacher:
        loss = loss + how.teacher * _disagreement(left @ right.T, told_left @ told_right.T, how.temperature)
    if how.among:
        apart = torch.eye(len(rows), device=DEVICE) * 1e4
        for own, told in ((left, told_left), (right, told_right)):
            own_scores, told_scores = own @ own.T - apart, told @ told.T - apart
            loss = loss + how.among * _disagreement(own_scores, told_scores, how.temperature)
    if how.towards:
        turn = studied.turn[:, : how.width]
        for own, told in ((left, told_left), (right, told_right)):
            loss = loss + how.towards * (1 - (own * F.normalize(told @ turn, dim=1)).sum(1)).mean()
    return loss


def _disagreement(said: torch.Tensor, told: torch.Tensor, temperature: float) -> torch.Tensor:
    """How differently two judges spread their belief over the candidates."""
    wanted = F.softmax(told / temperature, dim=1)
    return F.kl_div(F.log_softmax(said / temperature, dim=1), wanted, reduction="batchmean")
