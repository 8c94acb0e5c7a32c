"""What the models of the package are held to, and by how much two models differ.

Figures by embedder enter, `Bar`s leave: what is asked, what was measured, whether it is reached. A bar whose figures
were not measured says so instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Figures = Mapping[str, Mapping[str, float]]
"""By embedder, by name of the figure."""

_RESAMPLED = 4000


@dataclass(frozen=True, slots=True)
class Bar:
    """Something a model has to show."""

    what: str
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
    return (*first, *_of_docs(figures, documentation, others), *_of_second_static(figures, documentation))


def _of_static(figures: Figures, name: str) -> Iterator[Bar]:
    for way in ("alone", "fused"):
        what = f"static {way} no worse than wordllama on documentation"
        yield _gain(figures, ("static", "wordllama"), f"{name} {way}", what, 0.0)
    for way in ("alone", "fused"):
        what = f"static {way} better than wordllama on held-out repositories, their own questions"
        yield _gain(figures, ("static", "wordllama"), f"held-out, own questions, {way}", what, 1e-9)
        what = f"static {way} better than wordllama on held-out repositories, what was taken out"
        yield _gain(figures, ("static", "wordllama"), f"held-out {way}", what, 1e-9)
    yield _least(figures, "static", f"{name} fused", "static fused at least .69 on documentation", 0.69)
    speed = "passages of 100 words a second"
    yield _least(figures, "static", speed, "static embeds 20,000 passages of 100 words a second", 20_000)


def _of_minilm(figures: Figures, name: str, others: Sequence[str]) -> Iterator[Bar]:
    pair = ("minilm", "original")
    yield _gain(figures, pair, f"{name} alone", "minilm alone at least +.04 over the original", 0.04)
    what = "minilm alone on other texts not below −.005 of the original"
    yield _judged(what, _mean_gain(figures, pair, others), -0.005)
    yield _gain(figures, pair, f"{name} fused", "minilm fused at least +.015 over the original", 0.015)
    for least, aim in ((0.0, ""), (0.05, " (the aim)")):
        what = f"minilm fused on paraphrases at least {least:+.2f} over the original{aim}"
        yield _gain(figures, pair, f"{name} paraphrase fused", what, least)
    yield _near(figures, ("minilm", "float"), f"{name} alone")
    yield _quick(figures, "minilm", 5.0)


def _of_docs(figures: Figures, name: str, others: Sequence[str]) -> Iterator[Bar]:
    """The sentence model of the second generation, beside the first one and the base it is made from."""
    yield _least(figures, "docs", f"{name} fused", "docs fused at least .785 on documentation", 0.785)
    yield _least(figures, "docs", f"{name} paraphrase fused", "docs fused on paraphrases at least .64", 0.64)
    for way in ("alone", "fused"):
        what = f"docs {way} at least +.03 over minilm on held-out repositories, what was taken out"
        yield _gain(figures, ("docs", "minilm"), f"held-out {way}", what, 0.03)
    what = "docs alone on other texts not below −.01 of granite"
    yield _judged(what, _mean_gain(figures, ("docs", "granite"), others), -0.01)
    yield _near(figures, ("docs", "docs-float"), f"{name} alone")
    yield _quick(figures, "docs", 3.0)
    speed = "passages of 100 words a second"
    one, other = (figures.get(model, {}).get(speed) for model in ("docs", "minilm"))
    is_as_fast = None if one is None or other is None else one >= other
    yield Bar("docs embeds no fewer passages a second than minilm", "–" if one is None else f"{one:,.0f}", is_as_fast)
    yield _least(figures, "docs", f"{name} separation", "docs tells questions without an answer apart, .97", 0.97)
    yield _least(figures, "docs", f"{name} left empty rightly", "docs leaves 6 questions without an answer empty", 6)
    lost = figures.get("docs", {}).get(f"{name} left empty wrongly")
    what = "docs leaves no question with an answer empty"
    yield Bar(what, "–" if lost is None else f"{lost:.0f}", None if lost is None else lost == 0)


def _of_second_static(figures: Figures, name: str) -> Iterator[Bar]:
    yield _least(figures, "static", f"{name} fused", "static fused at least .72 on documentation", 0.72)
    yield _least(figures, "static", f"{name} paraphrase fused", "static fused on paraphrases at least .49", 0.49)


def _mean_gain(figures: Figures, pair: tuple[str, str], others: Sequence[str]) -> float | None:
    """Over all sets of other texts; None unless all were measured."""
    gains = [_both(figures, pair, f"{other} alone") for other in others]
    known = [gain for gain in gains if gain is not None]
    return sum(known) / len(known) if known and len(known) == len(gains) else None


def _near(figures: Figures, pair: tuple[str, str], figure: str) -> Bar:
    near = _both(figures, pair, figure)
    what = f"{pair[0]} within .005 of its float weights"
    return Bar(what, "–" if near is None else f"{near:+.3f}", None if near is None else abs(near) <= 0.005)


def _quick(figures: Figures, model: str, most_ms: float) -> Bar:
    took = figures.get(model, {}).get("one question, ms")
    what = f"{model} embeds a question in under {most_ms:g} ms"
    return Bar(what, "–" if took is None else f"{took:.2f} ms", None if took is None else took < most_ms)


def _gain(figures: Figures, pair: tuple[str, str], figure: str, what: str, least: float) -> Bar:
    return _judged(what, _both(figures, pair, figure), least)


def _judged(what: str, gain: float | None, least: float) -> Bar:
    return Bar(what, "–" if gain is None else f"{gain:+.3f}", None if gain is None else gain >= least)


def _least(figures: Figures, model: str, figure: str, what: str, least: float) -> Bar:
    found = figures.get(model, {}).get(figure)
    shown = "–" if found is None else f"{found:,.0f}" if found > 1 else f"{found:.3f}"
    return Bar(what, shown, None if found is None else found >= least)


def _both(figures: Figures, pair: tuple[str, str], figure: str) -> float | None:
    one, other = (figures.get(name, {}).get(figure) for name in pair)
    return None if one is None or other is None else one - other
