"""The static model: a vector for each word piece; a text is the weighted sum of its pieces.

The table starts from what the transformer makes of each piece alone, shortened by how frequent it is, and learns from
pairs and from the transformer's own judgement of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from pinakes.neural.word_pieces import CONTINUES
from training.bags import Bags, Cutter
from training.batches import Mix, batches
from training.encoder import DEVICE, Tokens
from training.finetune import Lessons, contrast
from training.judge import by_transformer
from training.near import NEAREST, near_misses
from training.pieces import Pieces

_WARM_UP = 50
_SMOOTH = 1e-3
"""Half the weight goes to pieces that make up this share of all text."""
_PIECE_LENGTH = 16
_LISTED, _MOST_LISTED = 15, 1024
"""Near passages of a question, and questions that have some, in a step."""


@dataclass(frozen=True, slots=True)
class Distilling:
    """How a table is made."""

    mix: Mix
    width: int = 256
    steps: int = 1000
    batch: int = 4096
    rate: float = 3e-3
    temperature: float = 0.05
    told: float = 0.05
    """The temperature of the transformer's own judgement: some keep all their cosines close together."""
    contrast: float = 1.0
    """How much the pairs themselves count."""
    teacher: float = 10.0
    """How much it counts that questions and passages are as near as the transformer says."""
    among: float = 0.0
    """The same for passages among each other, and questions among each other."""
    towards: float = 0.0
    """How much it counts that each vector is the transformer's own, turned."""
    dropped: float = 0.0
    """Share of pieces that are left out by chance: a table that has to do without some leans less on any."""
    shaped: int = 0
    """Steps before all others, in which only one length for each piece and one turn for all of them are learned."""
    drawn_back: float = 0.0
    """Share of the way that each step is drawn back to where the free steps began."""
    listed: float = 0.0
    """How much it counts that the passages nearest to a question are as near as the transformer says."""
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
    near: Near | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """The passages of its repository that the transformer takes for the nearest to each pair's question."""

    every: Bags
    passages: torch.Tensor
    """A row for each pair: the right passage first."""
    told: torch.Tensor
    """How near each is."""
    is_there: torch.Tensor
    """Whether a pair has such a row: that of a small repository has none."""


def study(teacher: torch.nn.Module, learned: Lessons, cutter: Cutter, *, with_near: bool = False) -> Studied:
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
        _near(teacher, learned, cutter) if with_near else None,
    )


def _near(teacher: torch.nn.Module, learned: Lessons, cutter: Cutter) -> Near:
    lists = near_misses(teacher, learned, range(len(learned.pairs)))
    numbers = list(lists.places)
    passages = torch.zeros(len(learned.pairs), NEAREST + 1, dtype=torch.int32, device=DEVICE)
    told = torch.zeros(len(learned.pairs), NEAREST + 1, dtype=torch.float16, device=DEVICE)
    is_there = torch.zeros(len(learned.pairs), dtype=torch.bool, device=DEVICE)
    if numbers:
        rows = list(lists.places.values())
        passages[numbers] = lists.passages[rows].int()
        told[numbers] = lists.told[rows].half()
        is_there[numbers] = True
    return Near(Bags(cutter, [passage.text for passage in learned.passages]), passages, told, is_there)


def first_table(teacher: torch.nn.Module, tokens: Tokens, pieces: Sequence[str], studied: Studied) -> torch.Tensor:
    """What the transformer makes of each piece alone, centred, turned, and shortened by frequency."""
    alone = by_transformer(teacher)(Pieces(tokens, [one.removeprefix(CONTINUES) for one in pieces], _PIECE_LENGTH))
    vectors = F.normalize((alone - alone.mean(0)) @ studied.turn, dim=1)
    count = studied.shown.frequencies(len(pieces))
    return vectors * (_SMOOTH / (_SMOOTH + count / count.sum()))[:, None]


def distil(first: torch.Tensor, studied: Studied, how: Distilling) -> torch.Tensor:
    """The table after training."""
    torch.manual_seed(how.seed)
    drawn = _drawn(studied, how)
    start = first[:, : how.width]
    if how.shaped:
        start = _shaped(first, studied, how, drawn)
    table = torch.nn.Parameter(start.clone())
    optimizer = torch.optim.Adam([table], lr=how.rate)
    for pace in _paces(how.steps):
        _step(optimizer, _loss(table, studied, next(drawn), how), how.rate * pace)
        if how.drawn_back:
            table.data.lerp_(start, how.drawn_back * pace)
    return table.detach()


def _shaped(first: torch.Tensor, studied: Studied, how: Distilling, drawn: Iterator[torch.Tensor]) -> torch.Tensor:
    """Few numbers, so that they say something about pieces that the pairs hardly have, too."""
    lengths = torch.nn.Parameter(torch.zeros(len(first), 1, device=DEVICE))
    turn = torch.nn.Parameter(torch.eye(first.shape[1], device=DEVICE)[:, : how.width].clone())
    optimizer = torch.optim.Adam([lengths, turn], lr=how.rate)
    for pace in _paces(how.shaped):
        table = lengths.exp() * (first @ turn)
        _step(optimizer, _loss(table, studied, next(drawn), how), how.rate * pace)
    return (lengths.exp() * (first @ turn)).detach()


def _drawn(studied: Studied, how: Distilling) -> Iterator[torch.Tensor]:
    learned = studied.lessons
    for rows in batches(learned.pairs, learned.passages, how.mix, how.batch, how.seed):
        yield torch.tensor(rows, device=DEVICE)


def _paces(steps: int) -> Iterator[float]:
    """Quicker and quicker, then ever slower."""
    return (min(1.0, (step + 1) / _WARM_UP) * (1 - step / steps) for step in range(steps))


def _step(optimizer: torch.optim.Optimizer, loss: torch.Tensor, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def _loss(table: torch.Tensor, studied: Studied, rows: torch.Tensor, how: Distilling) -> torch.Tensor:
    left = F.normalize(studied.asked.sums(table, rows, how.dropped), dim=1)
    right = F.normalize(studied.shown.sums(table, rows, how.dropped), dim=1)
    told_left, told_right = studied.told_asked[rows].float(), studied.told_shown[rows].float()
    loss = how.contrast * contrast(left, right, how.temperature)
    if how.teacher:
        loss = loss + how.teacher * _disagreement(left @ right.T, told_left @ told_right.T, how)
    if how.listed and studied.near is not None:
        loss = loss + how.listed * _listed(table, studied.near, (rows, left, right), (told_left, told_right), how)
    if how.among:
        apart = torch.eye(len(rows), device=DEVICE) * 1e4
        for own, told in ((left, told_left), (right, told_right)):
            own_scores, told_scores = own @ own.T - apart, told @ told.T - apart
            loss = loss + how.among * _disagreement(own_scores, told_scores, how)
    if how.towards:
        turn = studied.turn[:, : how.width]
        for own, told in ((left, told_left), (right, told_right)):
            loss = loss + how.towards * (1 - (own * F.normalize(told @ turn, dim=1)).sum(1)).mean()
    return loss


def _listed(
    table: torch.Tensor,
    near: Near,
    batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    told: tuple[torch.Tensor, torch.Tensor],
    how: Distilling,
) -> torch.Tensor:
    """How differently both spread their belief over the passages nearest to a question."""
    rows, left, right = batch
    held = near.is_there[rows].nonzero()[:_MOST_LISTED, 0]
    if not len(held):
        return left.new_zeros(())
    columns = 1 + torch.randperm(NEAREST, device=DEVICE)[:_LISTED]
    passages = near.passages[rows[held]][:, columns].long()
    vectors = F.normalize(near.every.sums(table, passages.reshape(-1), how.dropped), dim=1)
    missed = (left[held][:, None] * vectors.view(len(held), len(columns), -1)).sum(-1)
    said = torch.cat([(left[held] * right[held]).sum(1, keepdim=True), missed], 1)
    known = (told[0][held] * told[1][held]).sum(1, keepdim=True)
    return _disagreement(said, torch.cat([known, near.told[rows[held]][:, columns].float()], 1), how)


def _disagreement(said: torch.Tensor, told: torch.Tensor, how: Distilling) -> torch.Tensor:
    """How differently two judges spread their belief over the candidates."""
    wanted = F.softmax(told / how.told, dim=1)
    return F.kl_div(F.log_softmax(said / how.temperature, dim=1), wanted, reduction="batchmean")
