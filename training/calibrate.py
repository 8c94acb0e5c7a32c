"""How far may search rely on an embedder? Its `Traits`, found on repositories that no model was trained on.

Embedders and folders enter, a `pinakes.json` for each embedder leaves. Three things are found, in this order:

    dense_weight   the share of meaning with which questions taken out of the repositories are answered best: every
                   repository and every style of question counts the same, and single figures are smoothed
    noise          the cosine that the nearest passage reaches for a question about another repository: the median
    abstention     a logistic over the parts of evidence that tells questions asked of their own repository, and
                   answered, from questions asked of another one, and from those whose page was left out

The threshold below which search says nothing is one for all embedders, so the bias is moved until no repository that
people asked about loses more than one in two hundred of their questions that it answers. Where nobody asked, it is two
in a hundred of what was taken out, which is harder to believe than what people ask.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import to_builtins
from msgspec.structs import asdict, astuple

from pinakes.errors import ConfigError
from pinakes.evaluation.questions import Question
from pinakes.evaluation.verdicts import separation
from pinakes.neural import load_embedder
from pinakes.neural.model_spec import model_spec
from pinakes.neural.registry import TRAITS
from pinakes.ports import Embedder
from pinakes.records import Abstention, Evidence, Traits
from pinakes.search import SearchOptions, Weighing
from pinakes.search.evidence import THRESHOLD
from pinakes.slugs import slug
from training.asking import Asking, Collection, asked_about, by_style, held_out
from training.logistic import fit_signed
from training.written import about, read_written

if TYPE_CHECKING:
    from training.logistic import Numbers

SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Shares of meaning that are tried."""
MOST_LOST, MOST_LOST_ASKED = 0.02, 0.005
FOREIGN = 30
"""Questions of each other repository that are asked of one."""
_EVERY_WORD = 0.999
_SIGNS = np.array([1.0, 1.0, -1.0, 1.0])
"""Coverage, strength and closeness speak for an answer; words that occur nowhere speak against it."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What was found for one embedder, and what it does on the collections it was found on."""

    traits: Traits
    by_share: Mapping[float, float]
    """NDCG@10 for each share of meaning."""
    threshold: float
    """What the threshold would have been had the bias stayed as it was fitted."""
    separation: float
    """How often the belief in an answered question is greater than that in a foreign one: the mean of the
    collections."""
    left_empty: float
    """Share of the foreign questions that are left without an answer."""
    absent_empty: float
    """The same of questions whose page was left out; 0 where there are none."""
    lost: float
    """Share of the answered questions that would be, in the collection that loses most."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The evidence of one collection for questions it answered, and for those of others."""

    answered: tuple[Evidence, ...]
    foreign: tuple[Evidence, ...]
    absent: tuple[Evidence, ...] = ()
    """For questions whose page was left out."""

    @property
    def unanswered(self) -> tuple[tuple[Evidence, ...], ...]:
        """The kinds that have no answer, those that there are."""
        return tuple(one for one in (self.foreign, self.absent) if one)


def calibrate(embedder: Embedder, collections: Sequence[Collection]) -> Calibrated:
    """The traits of an embedder; at least two collections are needed to ask one about the other."""
    if len(collections) < 2:
        raise ConfigError("One repository cannot be asked about another.", "Name two or more with --held-out.")
    tools = [corpus.tools(embedder) for corpus in collections]
    plain = SearchOptions(leave_out=("evidence",))
    pairs = list(zip(tools, collections, strict=True))
    weighed = [pair for pair in pairs if all(one.relevant for one in pair[1].questions)] or pairs
    by_share = {
        share: _mean(
            [
                by_style(Asking(held, plain, Weighing(dense=share)).judge(one.questions, one.level))
                for held, one in weighed
            ]
        )
        for share in SHARES
    }
    share = top(by_share)
    heard = [_heard(Asking(held, weighing=Weighing(dense=share)), one, collections) for held, one in pairs]
    was = embedder.traits.noise
    cosines = [one.closeness * (1.0 - was) + was for each in heard for one in each.foreign]
    noise = round(min(max(float(np.median(cosines)), 0.0), 0.99), 3)
    fitted, threshold = fit_abstention([_rescaled(one, was, noise) for one in heard])
    traits = Traits(share, noise, fitted)
    return _told(traits, by_share, threshold, [_rescaled(one, was, noise) for one in heard])


def top(by_share: Mapping[float, float]) -> float:
    """Where a parabola through the figures is highest: single figures differ by chance more than neighbours should."""
    shares = sorted(by_share)
    bend, slope, _ = np.polyfit(shares, [by_share[share] for share in shares], 2)
    best = -slope / (2.0 * bend) if bend < 0.0 else max(shares, key=lambda share: by_share[share])
    return round(min(max(float(best), shares[0]), shares[-1]), 2)


def fit_abstention(heard: Sequence[Heard]) -> tuple[Abstention, float]:
    """The constants, with the bias moved so that `THRESHOLD` is right, and the threshold before it was."""
    if not all(one.answered and one.foreign for one in heard):
        raise ConfigError("A repository answers none of its own questions.", "Name larger ones with --held-out.")
    rows, answers, weights = [], [], []
    for one in heard:
        kinds = [(1.0, one.answered, 1.0), *((0.0, each, 1.0 / len(one.unanswered)) for each in one.unanswered)]
        for kind, evidence, weight in kinds:
            rows += [_parts(each) for each in evidence]
            answers += [kind] * len(evidence)
            weights += [weight / len(evidence)] * len(evidence)
    parts: Numbers = np.array(rows, dtype=np.float64)
    bias, *found = fit_signed(parts, np.array(answers), np.array(weights), _SIGNS)
    worth = [round(float(one), 3) for one in found]
    # What holds every word of the question is answered anyway and cannot be lost.
    asked = [one for one in heard if one.absent]
    most = MOST_LOST_ASKED if asked else MOST_LOST
    least = min(_least(bias + _matrix(one.answered) @ worth, one.answered, most) for one in asked or heard)
    least = least if math.isfinite(least) else _logit(THRESHOLD)
    moved = math.ceil(1000.0 * (bias + _logit(THRESHOLD) - least)) / 1000.0
    return Abstention(moved, *worth), 1.0 / (1.0 + math.exp(-least))


def write(model: str, traits: Traits, out: Path | None) -> Path:
    """Keep traits beside their model, or in `out` by the model's name."""
    beside = model_spec(model).beside
    if out is None and beside is None:
        raise ConfigError(f"{model} lies in no folder.", "Say with --out where its traits shall be written.")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    path = (beside or Path()) / TRAITS if out is None else out / f"{Path(model).name}.json"
    path.write_text(json.dumps(to_builtins(traits), indent=1) + "\n", encoding="utf-8")
    return path


def run(
    models: Sequence[str],
    folders: Sequence[Path],
    out: Path | None,
    kept: Path | None = None,
    asked: Path | None = None,
) -> None:
    """Calibrate each model on the repositories in `folders`, write its traits and say what was found. Those that the
    questions in `asked` are about are asked these. In `kept` indexes and vectors stay for the next time."""
    written = read_written(asked) if asked else ()
    with tempfile.TemporaryDirectory(prefix="pinakes-calibrate-") as scratch:
        places = {folder: (kept or Path(scratch)) / folder.name for folder in folders}
        collections = [
            asked_about(folder, place, asked) if asked and about(written, folder) else held_out(folder, place)
            for folder, place in places.items()
        ]
        for model in models:
            found = calibrate(load_embedder(model), collections)
            _say(model, found, write(model, found.traits, out))
        for corpus in collections:
            corpus.library.close()


def _say(model: str, found: Calibrated, path: Path) -> None:
    fit = ", ".join(f"{name} {value:g}" for name, value in asdict(found.traits.abstention).items())
    shares = ", ".join(f"{share:g}: {score:.3f}" for share, score in found.by_share.items())
    print(f"{model}, written to {path}")
    print(f"  dense_weight {found.traits.dense_weight:g} ({shares})")
    print(f"  noise {found.traits.noise:g}")
    print(f"  abstention {fit}; threshold {found.threshold:.3f} before the bias was moved")
    print(
        f"  separation {found.separation:.3f}; left empty {found.left_empty:.0%} of the questions about something"
        f" else and {found.absent_empty:.0%} of those whose page was left out; lost {found.lost:.1%} of the answered"
        " ones where it is worst"
    )


def _heard(asking: Asking, own: Collection, collections: Sequence[Collection]) -> Heard:
    verdicts = asking.judge(own.questions, own.level).verdicts
    answered = [one.results.evidence for one in verdicts if one.ndcg > 0.0]
    absent = [one.results.evidence for one in verdicts if not one.is_answerable]
    titles = own.titles()
    foreign = [
        asking.ask(question).evidence
        for other in collections
        if other is not own
        for question in _evenly(other.questions)
        if slug(question.text) not in titles
    ]
    return Heard(*(tuple(one for one in kind if one) for kind in (answered, foreign, absent)))


def _evenly(questions: Sequence[Question]) -> Sequence[Question]:
    """Some of them, of all styles."""
    step = max(1, len(questions) // FOREIGN)
    return questions[::step][:FOREIGN]


def _told(traits: Traits, by_share: Mapping[float, float], threshold: float, heard: Sequence[Heard]) -> Calibrated:
    bias, *worth = astuple(traits.abstention)
    edge = _logit(THRESHOLD)
    apart, empty, absent, lost = [], [], [], []

    def left_out(evidence: Sequence[Evidence]) -> float:
        said = bias + _matrix(evidence) @ worth
        return _mean([_is_lost(one, each, edge) for one, each in zip(said, evidence, strict=True)])

    for one in heard:
        answered, foreign = (bias + _matrix(each) @ worth for each in (one.answered, one.foreign))
        apart.append(separation(list(answered), list(foreign)))
        empty.append(left_out(one.foreign))
        lost.append(left_out(one.answered))
        absent += [left_out(one.absent)] if one.absent else []
    return Calibrated(traits, by_share, threshold, _mean(apart), _mean(empty), _mean(absent), max(lost))


def _is_lost(said: float, evidence: Evidence, edge: float) -> float:
    return float(said < edge - 1e-6 and evidence.coverage <= _EVERY_WORD)


def _least(said: Numbers, evidence: Sequence[Evidence], most_lost: float) -> float:
    """The largest edge below which no more than the allowed share falls."""
    losable = sorted(float(one) for one, each in zip(said, evidence, strict=True) if each.coverage <= _EVERY_WORD)
    allowed = int(most_lost * len(evidence))
    return losable[allowed] if allowed < len(losable) else math.inf


def _rescaled(heard: Heard, was: float, noise: float) -> Heard:
    def each(one: Evidence) -> Evidence:
        cosine = one.closeness * (1.0 - was) + was
        return Evidence(one.coverage, one.strength, one.unseen, (cosine - noise) / (1.0 - noise), one.belief)

    return Heard(*(tuple(map(each, kind)) for kind in (heard.answered, heard.foreign, heard.absent)))


def _parts(one: Evidence) -> tuple[float, float, float, float]:
    return one.coverage, one.strength, one.unseen, one.closeness


def _matrix(evidence: Sequence[Evidence]) -> Numbers:
    return np.array([_parts(one) for one in evidence], dtype=np.float64).reshape(len(evidence), 4)


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
