"""An evaluation as a table for people, plain data for programs, and a run for other scorers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from pinakes.evaluation.tuning import Options, TuningResult, Variant
from pinakes.evaluation.verdicts import MEASURES, Evaluation, JudgingLevel, Silence, StyleMeans, doubt
from pinakes.records import Hit

_COLUMNS = ("NDCG@10", "MRR@10", "Recall@10", "page NDCG", "in 2,000 tokens")


def as_text(evaluation: Evaluation) -> str:
    """A line for each style and one over all, then what was left empty."""
    rows = evaluation.rows()
    columns = _columns(evaluation)
    figures = [(row.style, str(row.questions), *_numbers(row, columns)) for row in rows]
    timing = f"{len(evaluation.verdicts)} questions, {evaluation.median_ms:.1f} ms each (median)"
    return "\n".join((table(("style", "questions", *columns), figures), *_silence(evaluation.silence()), timing))


def as_data(evaluation: Evaluation) -> Mapping[str, object]:
    """The figures of `as_text` as plain data, with those of every question."""
    return {
        "level": evaluation.level,
        "rows": evaluation.rows(),
        "silence": evaluation.silence(),
        "missing": evaluation.missing(),
        "median_ms": evaluation.median_ms,
        "questions": [
            {
                "id": one.question.id,
                "style": one.question.style,
                **{name: getattr(one, name) for name in MEASURES},
                "hits": len(one.results.hits),
            }
            for one in evaluation.verdicts
        ],
    }


def variants_text(variants: Sequence[Variant]) -> str:
    """A line for each variant; the difference is to the first one's NDCG, with how far it may be off by chance."""
    first = variants[0].evaluation
    columns = _columns(first)
    head = ["", "NDCG@10", "difference", "±", *columns[1:], "left empty", "separation", "ms"]
    return table(head, [_variant(one, first, columns) for one in variants])


def variants_data(variants: Sequence[Variant]) -> Mapping[str, object]:
    """The figures of `variants_text` as plain data."""
    return {
        one.name: {
            "rows": one.evaluation.rows(),
            "silence": one.evaluation.silence(),
            "median_ms": one.evaluation.median_ms,
        }
        for one in variants
    }


def tuned_text(tuned: TuningResult[Options]) -> str:
    """What was tried for each weight, and the scores before and after on both halves."""
    if not tuned.trials:
        return "There are no weights to tune."
    rows = [
        (
            trial.name,
            f"{trial.was:g}",
            f"{trial.value:g}",
            f"{trial.gain:+.3f}",
            "" if trial.held_back_gain is None else f"{trial.held_back_gain:+.3f}",
            "kept" if trial.is_kept else "",
        )
        for trial in tuned.trials
    ]
    lines = [table(("weight", "is", "best other", "choosing half", "held-back half", ""), rows)]
    for name, before, after in zip(("choosing half", "held-back half"), tuned.before, tuned.after, strict=True):
        lines.append(f"{name}: {_number(before)} before, {_number(after)} after")
    return "\n".join(lines)


def as_run(evaluation: Evaluation) -> Iterator[str]:
    """A JSON line for each question: its id, and the path, heading and score of what was found, best first."""
    for one in evaluation.verdicts:
        found = [{"path": hit.ref.path, "heading": _plain(hit), "score": hit.score} for hit in one.results.hits]
        yield json.dumps({"id": one.question.id, "results": found}, ensure_ascii=False)


def _silence(silence: Silence) -> Iterator[str]:
    """A line when there is something to say: questions without an answer, or answers that were withheld."""
    empty = []
    if silence.unanswerable:
        empty.append(f"{silence.left_empty} of {silence.unanswerable} without an answer")
    if silence.unanswerable or silence.wrongly_empty:
        empty.append(f"{silence.wrongly_empty} of {silence.answerable} with one")
        apart = "" if silence.separation is None else f"; separation by {silence.by}: {_number(silence.separation)}"
        yield f"left empty: {', '.join(empty)}{apart}"
    if silence.unanswerable:
        told = f"{silence.doubted} of {silence.unanswerable} without an answer"
        yield f"left empty or called weak: {told}, {silence.wrongly_doubted} of {silence.answerable} with one"


def _plain(hit: Hit) -> str:
    """The anchor as other programs make it. What GitHub strips from a heading (a badge, an icon) leaves the space that
    stood before it, and so a hyphen; hardly anybody else counts that."""
    title = hit.trail[-1] if hit.trail else ""
    return hit.ref.anchor if title == title.strip() else hit.ref.anchor.strip("-")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns that line up: the first to the left, figures to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    first, *others = widths
    lines = [[row[0].ljust(first), *map(str.rjust, row[1:], others)] for row in (head, *rows)]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _variant(variant: Variant, first: Evaluation, columns: Sequence[str]) -> list[str]:
    row = variant.evaluation.row()
    ndcg, *others = _numbers(row, columns)
    pairs = zip(first.verdicts, variant.evaluation.verdicts, strict=True)
    changes = [one.ndcg - whole.ndcg for whole, one in pairs if whole.is_answerable]
    is_first = variant.evaluation is first or not changes
    difference = ["", ""] if is_first else [f"{sum(changes) / len(changes):+.3f}", _number(doubt(changes))]
    silence = variant.evaluation.silence()
    empty = f"{silence.wrongly_empty}/{silence.answerable}"
    if silence.unanswerable:
        empty = f"{silence.left_empty}/{silence.unanswerable} and {empty}"
    apart = "" if silence.separation is None else _number(silence.separation)
    return [variant.name, ndcg, *difference, *others, empty, apart, f"{variant.evaluation.median_ms:.1f}"]


def _columns(evaluation: Evaluation) -> tuple[str, ...]:
    """A document is its own page."""
    is_section = evaluation.level is JudgingLevel.SECTION
    return tuple(one for one in _COLUMNS if is_section or one != "page NDCG")


def _numbers(row: StyleMeans, columns: Sequence[str]) -> Iterator[str]:
    return (_number(getattr(row, MEASURES[_COLUMNS.index(column)])) for column in columns)


def _number(share: float) -> str:
    """Three places and no zero before the point, as such tables are written."""
    return f"{share:.3f}".removeprefix("0")
