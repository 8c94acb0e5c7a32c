"""Which weights would answer these questions better, and does that hold for questions they were not chosen by?

Options whose fields of type float are weights enter with questions, options leave. What a weight means is not known
here: any options will do. `ablate` asks the same questions with one part left out at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from pinakes.evaluation.questions import Question
from pinakes.evaluation.verdicts import Evaluation

Options = TypeVar("Options", bound=Struct)

FACTORS = (0.5, 2.0, 0.75, 1.3)
FROM_NOTHING = (0.1, 0.5, 0.3)
"""What is tried for a weight that is 0."""
EXTREMES = 2
"""So many of these come first: when they change nothing, no other value will."""
MARGIN = 0.002
"""What a setting must gain on the half it is chosen by to be worth looking at."""


class Trial(Struct, frozen=True):
    """The best other value that was found for one weight."""

    name: str
    was: float
    value: float
    gain: float
    """On the half it was chosen by; not above `MARGIN` when nothing was better."""
    held_back_gain: float | None
    """On the other half; None when that was not asked."""
    is_kept: bool


class TuningResult(Struct, Generic[Options], frozen=True):
    """What came of it."""

    options: Options
    trials: tuple[Trial, ...]
    before: tuple[float, float]
    """The score on the half that chooses and on the half that is held back."""
    after: tuple[float, float]

    def kept(self) -> dict[str, float]:
        return {trial.name: trial.value for trial in self.trials if trial.is_kept}


def tune(
    options: Options, questions: Sequence[Question], run: Callable[[Options, Sequence[Question]], Evaluation]
) -> TuningResult[Options]:
    """Try other values for each weight in turn; one that is better on both halves stays while the next is tried."""
    choosing, held_back = halves(questions)

    def scores(tried: Options) -> tuple[float, float]:
        return score(run(tried, choosing)), score(run(tried, held_back))

    before = current = scores(options)
    trials = []
    for name, was in weights(options).items():
        tried: list[tuple[float, float]] = []
        for other in _others(was):
            if len(tried) == EXTREMES and all(reached == current[0] for reached, _ in tried):
                break
            tried.append((score(run(replace(options, **{name: other}), choosing)), other))
        best, value = max(tried, key=lambda one: one[0])
        trial = Trial(name, was, value, best - current[0], None, is_kept=False)
        if trial.gain > MARGIN:
            better = replace(options, **{name: value})
            second = score(run(better, held_back))
            trial = replace(trial, held_back_gain=second - current[1], is_kept=second > current[1])
            if trial.is_kept:
                options, current = better, (best, second)
        trials.append(trial)
    return TuningResult(options, tuple(trials), before, current)


def score(evaluation: Evaluation) -> float:
    """The mean over all questions: NDCG@10 for those that have an answer, 1 for silence where there is none."""
    worth = [one.ndcg if one.is_answerable else float(not one.results.hits) for one in evaluation.verdicts]
    return sum(worth) / len(worth) if worth else 0.0


def halves(questions: Sequence[Question]) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """Two halves with the same styles in them, the same for the same questions in any order."""
    ordered = sorted(questions, key=lambda one: (one.style, sha256(one.id.encode("utf-8", "surrogatepass")).digest()))
    return tuple(ordered[::2]), tuple(ordered[1::2])


def weights(options: Struct) -> dict[str, float]:
    """Every float in the options by its name."""
    return {name: value for name, value in asdict(options).items() if isinstance(value, float)}


def _others(was: float) -> Sequence[float]:
    """Other values to try. What is a share stays one."""
    if not was:
        return FROM_NOTHING
    most = 1.0 if 0.0 < was < 1.0 else float("inf")
    return [min(most, round(was * factor, 4)) for factor in FACTORS]


EVERYTHING = "everything"


class Variant(Struct, frozen=True):
    """An evaluation with something changed."""

    name: str
    evaluation: Evaluation


def ablate(parts: Sequence[str], run: Callable[[frozenset[str]], Evaluation]) -> tuple[Variant, ...]:
    """Everything first, then without each of the parts."""
    whole = Variant(EVERYTHING, run(frozenset()))
    return (whole, *(Variant(f"without {part}", run(frozenset({part}))) for part in parts))


def leaving_out(options: Options, parts: frozenset[str]) -> Options:
    """`options` without some parts, which go by their names in the field `leave_out`."""
    return replace(options, **{"leave_out": tuple(sorted(parts))})
