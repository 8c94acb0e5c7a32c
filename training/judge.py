"""How good are vectors alone? NDCG@10 of exams, by name and by style.

Unit vectors of texts and questions enter, figures leave. What is fused with words is measured by
`pinakes eval`, not here.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
import torch

from training.encoder import DEVICE, Tokens, forward, quick
from training.material import Exam
from training.pieces import Pieces

Encode = Callable[[Pieces], torch.Tensor]
PIECES = 256
DEPTH = 10
HELD_OUT = ("written", "held-out")
"""How the names of exams begin that are about repositories held out, what decides first."""


def cut(exams: Sequence[Exam], tokens: Tokens) -> list[tuple[Pieces, Pieces]]:
    """Texts and questions in pieces: cut once, judged many times."""
    return [
        (Pieces(tokens, exam.texts, PIECES), Pieces(tokens, [one.text for one in exam.questions], PIECES))
        for exam in exams
    ]


def by_transformer(model: torch.nn.Module) -> Encode:
    """Texts of like length together, so that little is spent on padding."""

    def encode(pieces: Pieces) -> torch.Tensor:
        order = np.argsort(pieces.lengths(), kind="stable")
        found = torch.zeros(len(pieces), model.config.hidden_size, device=DEVICE)
        with torch.no_grad(), quick():
            for start in range(0, len(order), 512):
                rows = order[start : start + 512]
                found[torch.from_numpy(rows).to(DEVICE)] = forward(model, *pieces.padded(rows))
        return found

    return encode


Vectors = tuple[torch.Tensor, torch.Tensor]
"""Of an exam's texts and of its questions."""


def judge(exams: Sequence[Exam], vectors: Iterable[Vectors]) -> dict[str, float]:
    """NDCG@10 by exam, for each style of the graded sets, and the means of the held-out ones: of those that people
    wrote questions about, and of those that ask themselves."""
    figures: dict[str, float] = {}
    means: dict[str, list[float]] = {kind: [] for kind in HELD_OUT}
    for exam, (texts, questions) in zip(exams, vectors, strict=True):
        by_style = _styles(exam, texts, questions)
        every = [score for scores in by_style.values() for score in scores]
        figures[exam.name] = _mean(every)
        kind = exam.name.partition(" ")[0]
        if kind in means:
            means[kind].append(_mean(every))
        elif len(by_style) > 1:
            figures |= {f"{exam.name} {style}": _mean(scores) for style, scores in sorted(by_style.items())}
    figures |= {kind: _mean(found) for kind, found in means.items() if found}
    return {name: round(value, 4) for name, value in figures.items()}


def _styles(exam: Exam, texts: torch.Tensor, questions: torch.Tensor) -> Mapping[str, list[float]]:
    best = (questions @ texts.T).topk(min(DEPTH, len(exam.texts)), dim=1).indices.cpu().tolist()
    found: dict[str, list[float]] = defaultdict(list)
    for one, rows in zip(exam.questions, best, strict=True):
        found[one.style].append(ndcg([one.grades.get(exam.keys[row], 0.0) for row in rows], one.grades.values()))
    return found


def ndcg(gained: Sequence[float], possible: Collection[float]) -> float:
    """What was gained, discounted by rank, as a share of the most that could be."""
    ideal = sorted(possible, reverse=True)[:DEPTH]
    most = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(ideal))
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gained)) / most if most else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
