"""How much is each thing worth that `pinakes.neural.word_reader` tells of a passage? Its weights.

Repositories that no model was trained on enter, asked what people wrote about them or what was taken out of them; the
file with the weights leaves. Search finds the candidates, each with its score; then a softmax over them shall put its
weight on the ones that answer, with the score and the features as inputs. What a feature weighs is divided by what the
score does, so that the reranker speaks in the measure of search's own scores.

Every repository in turn is left out, and what the others' weights gain there is told.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pinakes.evaluation.questions import Question
from pinakes.evaluation.verdicts import CUT, asked_like
from pinakes.neural import load_embedder
from pinakes.neural.cache import VectorCache
from pinakes.neural.model_files import READER
from pinakes.neural.word_reader import FEATURES, features, written_weights
from pinakes.ports import Embedder
from pinakes.search import Tools
from pinakes.search.fuse import fuse
from pinakes.search.plan import Account
from pinakes.search.profiles import profile
from pinakes.search.recall import recall
from pinakes.search.rerank import MOST_ADDED, leading_candidates, rerank
from pinakes.search.understand import understand
from training.asking import ANYWAY, USUAL, USUAL_WEIGHTS, Collection, asked_about, held_out
from training.written import about, read_written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_STEPS, _RATE, _DECAY = 100, 0.01, 0.01
_SCORE = 10.0
"""What the score weighs to begin with."""


@dataclass(frozen=True, slots=True)
class Lists:
    """The candidates of one repository's questions, padded to as many for each."""

    name: str
    inputs: Numbers
    """By question and candidate: its score, then its features."""
    held: NDArray[np.bool_]
    """Where there is a candidate."""
    answers: NDArray[np.bool_]
    """Where one answers."""

    def gains(self, weights: Numbers) -> Numbers:
        """NDCG@10 of each question, every answer found once, with the order of these weights."""
        said = np.where(self.held, self.inputs @ weights, -np.inf)
        order = np.argsort(-said, axis=1, kind="stable")[:, :CUT]
        found = np.take_along_axis(self.answers, order, axis=1)
        is_first = found & (np.cumsum(found, axis=1) == 1)
        gained: Numbers = (is_first / np.log2(np.arange(found.shape[1]) + 2)).sum(axis=1)
        return gained


def lists(corpus: Collection, tools: Tools, table: Embedder) -> Lists:
    """What search finds for each question that has an answer."""
    rows = [_candidates(one, tools, table) for one in corpus.questions if one.relevant]
    inputs = np.zeros((len(rows), MOST_ADDED, 1 + len(FEATURES)))
    held, answers = (np.zeros(inputs.shape[:2], dtype=bool) for _ in range(2))
    for at, (told, is_answer) in enumerate(rows):
        inputs[at, : len(told)], held[at, : len(told)], answers[at, : len(told)] = told, True, is_answer
    return Lists(corpus.name, inputs, held, answers)


def fit(held: Sequence[Lists]) -> Numbers:
    """The weight of the score, then those of the features."""
    inputs, known, answers = (
        np.concatenate([getattr(one, name) for one in held]) for name in ("inputs", "held", "answers")
    )
    is_answered = answers.any(axis=1)
    inputs, known, answers = inputs[is_answered], known[is_answered], answers[is_answered]
    spread = inputs[known].std(axis=0) + 1e-6
    scaled = inputs / spread
    wanted = answers / answers.sum(axis=1, keepdims=True)
    start = np.zeros(inputs.shape[2])
    start[0] = _SCORE * spread[0]
    weights, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, _STEPS + 1):
        said = np.where(known, scaled @ weights, -np.inf)
        told = np.exp(said - said.max(axis=1, keepdims=True))
        told /= told.sum(axis=1, keepdims=True)
        slope = np.einsum("qc,qcf->f", told - wanted, scaled) / len(scaled) + _DECAY * (weights - start)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    found: Numbers = weights / spread
    return found


def run(folders: Sequence[Path], asked: Path | None, model: str, to: Path | None, kept: Path | None) -> None:
    """Collect, tell what each repository gains by the others' weights, and write those of all."""
    embedder, table = load_embedder(model), load_embedder()
    written = read_written(asked) if asked else ()
    with tempfile.TemporaryDirectory(prefix="pinakes-reading-") as scratch:
        place = kept or Path(scratch)
        cache = VectorCache(place / "cache")
        found = []
        for folder in folders:
            corpus = _collection(folder, place / folder.name, asked if about(written, folder) else None)
            found.append(lists(corpus, corpus.tools(embedder, cache), table))
            corpus.library.close()
    plain = np.array([1.0, *(0.0 for _ in FEATURES)])
    for one in found if len(found) > 1 else ():
        before, after = (
            one.gains(each).mean() for each in (plain, fit([other for other in found if other is not one]))
        )
        print(f"{one.name}: {before:.3f} {after:.3f} {after - before:+.3f} ({len(one.held)} questions)")
    weights = fit(found)
    (to or READER).write_text(written_weights([round(float(one / weights[0]), 4) for one in weights[1:]]), "utf-8")


def _collection(folder: Path, place: Path, asked: Path | None) -> Collection:
    """A repository, asked by people where they did."""
    return held_out(folder, place) if asked is None else asked_about(folder, place, asked)


def _candidates(question: Question, tools: Tools, table: Embedder) -> tuple[Numbers, list[bool]]:
    """Each one's score and features, and whether it answers."""
    like, asked = profile("balanced"), asked_like(question, ANYWAY)
    plan = understand(asked, tools, USUAL, USUAL_WEIGHTS)
    found, clarity, _ = recall(plan, tools, like, Account())
    shares = {"words": plan.weights.words, "meaning": plan.weights.meaning}
    ranking = fuse(found, {name: shares[name] * clarity[name] for name in found}, USUAL.fusion)
    for stage in like.stages:
        ranking = ranking if stage is rerank else stage(ranking, plan, tools)
    leading = leading_candidates(ranking, plan, is_added=True)
    told = features(plan.question.text, [one.text for _, one in leading], table)
    scores = np.array([[candidate.score] for candidate, _ in leading]).reshape(len(leading), 1)
    wanted = {(one.path, one.heading) for one in question.relevant}
    return np.hstack([scores, told]), [(one.ref.path, one.ref.anchor) in wanted for _, one in leading]
