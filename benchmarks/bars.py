"""What the models of the package are held to, and by how much two models differ.

Figures by embedder enter, `Bar`s leave: what is asked, what was measured, whether it is reached. A bar whose figures
were not measured says so instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.model_speed import PASSAGES, QUESTION, READING

Figures = Mapping[str, Mapping[str, float]]
"""By embedder, by name of the figure."""

DOCS_EMBED, RERANK = "docs", "docs-rerank"
"""Names under which the sentence model of the package and a cross-encoder over it take part."""
_RESAMPLED = 4000


@dataclass(frozen=True, slots=True)
class Bar:
    """Something a model has to show."""

    what: str
    wanted: str
    measured: str
    is_reached: bool | None
    """None when it could not be told."""

    @property
    def told(self) -> str:
        return {True: "reached", False: "not reached", None: "not measured"}[self.is_reached]


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of what one gained over the other, question by question."""

    what: str
    mean: float
    low: float
    high: float
    """Both ends of the interval that holds 95 of 100 means over questions drawn again."""


def difference(what: str, one: Sequence[float], other: Sequence[float]) -> Difference:
    """By drawing the questions again, always in the same ways."""
    import numpy as np

    gained = np.array(one) - np.array(other)
    drawn = np.random.default_rng(0).integers(0, len(gained), (_RESAMPLED, len(gained)))
    low, high = np.quantile(gained[drawn].mean(axis=1), (0.025, 0.975))
    return Difference(what, float(gained.mean()), float(low), float(high))


def bars(figures: Figures, documentation: str, others: Sequence[str]) -> tuple[Bar, ...]:
    """All of them. `documentation` is the graded set of documentation, `others` are those of other texts."""
    first = (*_of_static(figures, documentation), *_of_minilm(figures, documentation, others))
    second = (*_of_docs(figures, documentation, others), *_of_second_static(figures, documentation, others))
    return (*first, *second, *_of_rerank(figures, documentation))


def _of_static(figures: Figures, name: str) -> Iterator[Bar]:
    for way in ("alone", "fused"):
        yield _gain(
            figures, ("static", "wordllama"), f"{name} {way}", f"static {way} over wordllama, documentation", 0.0
        )
    for way in ("alone", "fused"):
        what = f"static {way} over wordllama, held-out repositories, their own questions"
        yield _gain(figures, ("static", "wordllama"), f"held-out, own questions, {way}", what, 0.0)
        what = f"static {way} over wordllama, held-out repositories, what was taken out"
        yield _gain(figures, ("static", "wordllama"), f"held-out {way}", what, 0.0)
    yield _least(figures, "static", f"{name} fused", "static fused, documentation, first generation", 0.69)
    yield _least(figures, "static", PASSAGES, "static, passages of 100 words a second", 20_000)


def _of_minilm(figures: Figures, name: str, others: Sequence[str]) -> Iterator[Bar]:
    pair = ("minilm", "original")
    yield _gain(figures, pair, f"{name} alone", "minilm alone over the original, documentation", 0.04)
    yield _judged("minilm alone over the original, other texts", _mean_gain(figures, pair, others), -0.005)
    yield _gain(figures, pair, f"{name} fused", "minilm fused over the original, documentation", 0.015)
    yield _gain(figures, pair, f"{name} paraphrase fused", "minilm fused over the original, paraphrases", 0.0)
    yield _near(figures, ("minilm", "minilm-float"), f"{name} alone")
    yield _most(figures, "minilm", QUESTION, "minilm, one question, ms", 5)


def _of_docs(figures: Figures, name: str, others: Sequence[str]) -> Iterator[Bar]:
    """The sentence model of the second generation, beside the first one and the base it is made from."""
    yield _least(figures, "docs", f"{name} fused", "docs fused, documentation", 0.785)
    yield _least(figures, "docs", f"{name} paraphrase fused", "docs fused, paraphrases", 0.64)
    for way in ("alone", "fused"):
        what = f"docs {way} over minilm, held-out repositories, what was taken out"
        yield _gain(figures, ("docs", "minilm"), f"held-out {way}", what, 0.03)
    pair = ("docs", "granite")
    yield _judged("docs alone over granite, other texts", _mean_gain(figures, pair, others), -0.01)
    for rounded in ("docs", "granite"):
        pair = (rounded, f"{rounded}-float")
        for way in ("alone", "fused"):
            yield _near(figures, pair, f"{name} {way}")
        yield _judged(f"{rounded} alone over its float weights, other texts", _mean_gain(figures, pair, others), -0.005)
    yield _most(figures, "docs", QUESTION, "docs, one question, ms", 3)
    one, other = (figures.get(model, {}).get(PASSAGES) for model in ("docs", "minilm"))
    ratio = None if one is None or other is None else one / other
    measured = "–" if ratio is None else f"{ratio:.2f}"
    is_as_fast = None if ratio is None else ratio >= 1.0
    yield Bar("docs, passages a second, those of minilm being 1", "1", measured, is_as_fast)
    yield _least(figures, "docs", f"{name} separation", "docs, separation by belief (AUROC)", 0.97)
    yield _least(figures, "docs", f"{name} left empty rightly", "docs, questions without an answer left empty", 6)
    yield _most(figures, "docs", f"{name} left empty wrongly", "docs, questions with an answer left empty", 0)


def _of_second_static(figures: Figures, name: str, others: Sequence[str]) -> Iterator[Bar]:
    yield _least(figures, "static", f"{name} fused", "static fused, documentation", 0.72)
    yield _least(figures, "static", f"{name} paraphrase fused", "static fused, paraphrases", 0.49)
    for other in others:
        own = figures.get("static", {})
        one, words = own.get(f"{other} fused"), own.get(f"{other} by words")
        gain = None if one is None or words is None else one - words
        yield _judged(f"static fused over words alone, {other}", gain, 0.0)


def _of_rerank(figures: Figures, name: str) -> Iterator[Bar]:
    """A cross-encoder, where one takes part."""
    what = f"{RERANK} over {DOCS_EMBED}, thorough, documentation"
    yield _gain(figures, (RERANK, DOCS_EMBED), f"{name} thorough", what, 0.015)
    yield _most(figures, RERANK, READING, f"{RERANK}, {READING}", 60)


def _mean_gain(figures: Figures, pair: tuple[str, str], others: Sequence[str]) -> float | None:
    """Over all sets of other texts; None unless all were measured."""
    gains = [_both(figures, pair, f"{other} alone") for other in others]
    known = [gain for gain in gains if gain is not None]
    return sum(known) / len(known) if known and len(known) == len(gains) else None


def _near(figures: Figures, pair: tuple[str, str], figure: str) -> Bar:
    way = figure.rpartition(" ")[2]
    return _judged(f"{pair[0]} {way} over its float weights, documentation", _both(figures, pair, figure), -0.005)


def _gain(figures: Figures, pair: tuple[str, str], figure: str, what: str, least: float) -> Bar:
    return _judged(what, _both(figures, pair, figure), least)


def _judged(what: str, gain: float | None, least: float) -> Bar:
    measured = "–" if gain is None else f"{gain:+.3f}"
    return Bar(what, f"{least:+.3f}", measured, None if gain is None else gain >= least)


def _least(figures: Figures, model: str, figure: str, what: str, least: float) -> Bar:
    found = figures.get(model, {}).get(figure)
    return Bar(what, _shown(least), _shown(found), None if found is None else found >= least)


def _most(figures: Figures, model: str, figure: str, what: str, most: float) -> Bar:
    found = figures.get(model, {}).get(figure)
    return Bar(what, f"at most {most:g}", _shown(found), None if found is None else found <= most)


def _shown(value: float | None) -> str:
    if value is None:
        return "–"
    if float(value).is_integer() or value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value > 1 else f"{value:.3f}".removeprefix("0")


def _both(figures: Figures, pair: tuple[str, str], figure: str) -> float | None:
    one, other = (figures.get(name, {}).get(figure) for name in pair)
    return None if one is None or other is None else one - other
