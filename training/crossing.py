"""A cross-encoder as judge: it reads a question and a passage together and says how well they fit.

It is taught by lists of near misses to put the passage first that a question was written for; then it judges those
lists for an embedder to learn from, and exams, to see what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from safetensors.torch import save_file
from transformers import AutoModelForSequenceClassification

from training.encoder import DEVICE, Tokens, averaged, quick, weights_of
from training.finetune import Lessons
from training.judge import Vectors, ndcg
from training.material import Exam
from training.near import NEAREST, Lists
from training.pieces import Pieces

Numbers = NDArray[np.integer]
QUESTION_PIECES, PASSAGE_PIECES = 48, 176
_TOGETHER = 1024
_WARM_UP = 30
DEPTH = 30
"""Hits of an embedder that are judged again in an exam."""
BLENDS = (0.0, 0.3, 0.5, 0.7, 1.0)


@dataclass(frozen=True, slots=True)
class Teaching:
    """How a cross-encoder is taught."""

    steps: int = 300
    questions: int = 48
    """In a batch, each with its passage and near misses."""
    misses: int = 7
    rate: float = 3e-5
    share: float = 1.0
    """Of the taught weights; the rest is what they were before."""
    seed: int = 0


class Judge:
    """The cross-encoder of a folder."""

    def __init__(self, folder: Path, most: tuple[int, int] = (QUESTION_PIECES, PASSAGE_PIECES)) -> None:
        self.folder = folder
        self.tokens = Tokens(folder)
        self._most = most
        self.model = AutoModelForSequenceClassification.from_pretrained(str(folder)).float().to(DEVICE).eval()

    def scores(self, asked: Pieces, left: Numbers, shown: Pieces, right: Numbers) -> torch.Tensor:
        """One number for each pair of a question and a passage, given by their numbers; of like length together, so
        that little is spent on padding."""
        order = np.argsort(asked.lengths()[left] + shown.lengths()[right], kind="stable")
        found = torch.zeros(len(order), device=DEVICE)
        with torch.no_grad(), quick():
            for start in range(0, len(order), _TOGETHER):
                rows = order[start : start + _TOGETHER]
                found[torch.from_numpy(rows).to(DEVICE)] = self.run(asked, left[rows], shown, right[rows])
        return found

    def run(self, asked: Pieces, left: Numbers, shown: Pieces, right: Numbers) -> torch.Tensor:
        """One number for each of these pairs, at once."""
        ids, mask, kinds = asked.paired(left, shown, right)
        logits: torch.Tensor = self.model(input_ids=ids, attention_mask=mask, token_type_ids=kinds).logits
        return logits[:, -1].float()

    def cut(self, learned: Lessons) -> tuple[Pieces, Pieces]:
        """Questions and passages in this model's pieces."""
        texts = [passage.text for passage in learned.passages]
        asked = [pair.query for pair in learned.pairs]
        return self.cut_texts(asked, texts)

    def cut_texts(self, asked: Sequence[str], shown: Sequence[str]) -> tuple[Pieces, Pieces]:
        """Any questions and passages in its pieces."""
        return Pieces(self.tokens, asked, self._most[0]), Pieces(self.tokens, shown, self._most[1])

    def save(self) -> None:
        """Write the weights, in half precision, to the folder they came from."""
        weights = {name: value.half().contiguous().cpu() for name, value in weights_of(self.model).items()}
        save_file(weights, str(self.folder / "model.safetensors"))

    def teach(self, lists: Lists, asked: Pieces, shown: Pieces, how: Teaching) -> None:
        """Train on the lists: the passage that the question was written for should come first."""
        torch.manual_seed(how.seed)
        chance = np.random.default_rng(how.seed)
        pairs = np.array(list(lists.places))
        rows = np.array(list(lists.places.values()))
        numbers = lists.passages.cpu().numpy()
        before = weights_of(self.model)
        self.model.train()
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=how.rate, weight_decay=0.01)
        right = torch.zeros(how.questions, dtype=torch.long, device=DEVICE)
        for step in range(how.steps):
            for group in optimizer.param_groups:
                group["lr"] = how.rate * min(1.0, (step + 1) / _WARM_UP) * (1 - step / how.steps)
            taken = chance.integers(0, len(pairs), how.questions)
            columns = np.concatenate([[0], 1 + chance.permutation(NEAREST)[: how.misses]])
            passages = numbers[rows[taken]][:, columns]
            questions = np.repeat(pairs[taken], len(columns))
            with quick():
                scores = self.run(asked, questions, shown, passages.reshape(-1))
            loss = F.cross_entropy(scores.view(how.questions, -1), right, label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimizer.step()
        self.model.load_state_dict(averaged(before, weights_of(self.model), how.share))
        self.model.eval()

    def judged(self, lists: Lists, asked: Pieces, shown: Pieces) -> Lists:
        """The lists with what this judge says of them; the right passage is never worse than another."""
        pairs = np.repeat(np.array(list(lists.places)), lists.passages.shape[1])
        rows = lists.passages[list(lists.places.values())]
        told = torch.zeros_like(lists.told)
        scores = self.scores(asked, pairs, shown, rows.reshape(-1).cpu().numpy()).view(rows.shape)
        scores[:, 0] = torch.maximum(scores[:, 0], scores[:, 1:].max(1).values)
        told[list(lists.places.values())] = scores
        return replace(lists, told=told)

    def examine(self, exams: Sequence[Exam], vectors: Sequence[Vectors], most: int = 200) -> dict[str, float]:
        """NDCG@10 of an embedder's first hits in an order that takes both into account, by exam and share of this."""
        figures = {}
        for exam, (texts, questions) in zip(exams, vectors, strict=True):
            some = range(0, len(exam.questions), max(1, len(exam.questions) // most))
            cosines, hits = (questions[list(some)] @ texts.T).topk(min(DEPTH, len(exam.texts)), dim=1)
            wanted, back = np.unique(hits.cpu().numpy(), return_inverse=True)
            asked, shown = self.cut_texts(
                [exam.questions[one].text for one in some], [exam.texts[one] for one in wanted]
            )
            left = np.repeat(np.arange(len(some)), hits.shape[1])
            said = self.scores(asked, left, shown, back.reshape(-1)).view(hits.shape)
            for share in BLENDS:
                mixed = (1 - share) * _spread(cosines) + share * _spread(said)
                order = hits.gather(1, mixed.argsort(1, descending=True))[:, :10].cpu().tolist()
                gained = [
                    ndcg(
                        [exam.questions[one].grades.get(exam.keys[row], 0.0) for row in rows],
                        exam.questions[one].grades.values(),
                    )
                    for one, rows in zip(some, order, strict=True)
                ]
                figures[f"{exam.name} {share:g}"] = round(sum(gained) / max(1, len(gained)), 4)
        return figures


def _spread(scores: torch.Tensor) -> torch.Tensor:
    """Scores of different judges on one scale."""
    return (scores - scores.mean(1, keepdim=True)) / (scores.std(1, keepdim=True) + 1e-6)
