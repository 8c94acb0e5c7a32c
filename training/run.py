"""One run: variants one after the other, every figure written down as soon as it is known.

    OUT/results.jsonl      {"variant": …, "share": …, "seconds": …, "docs-dev": …, "held-out": …, …}
    OUT/transformer.N      the best averaged transformer in float16 (safetensors, cut into parts of 15 MB)
    OUT/NAME/              the best tables as the package keeps them: rows.npy, scales.npy, pieces.txt

The best is what does best on the repositories held out, by questions that people wrote where there are any: of
transformers, among those that lose little on questions about other things (the sets named in `GENERAL`); of tables,
which learn what their teacher knows or what the pairs say, but hardly both, added to how they do on those. The graded
questions about documentation choose nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from safetensors.torch import save as packed

from training.bags import Bags, Cutter
from training.crossing import Judge, Teaching
from training.encoder import Tokens, Weights, averaged, load_model, weights_of
from training.finetune import Lessons, finetune, lessons
from training.judge import HELD_OUT, Vectors, by_transformer, cut, judge
from training.material import Exam, Material, load, tiny
from training.near import Lists, certain, near_misses
from training.packing import pack
from training.rereading import reread
from training.table import Distilling, Studied, distil, first_table, study
from training.variants import EVERY_VARIANT, RERANKERS, SHARES, SHIPPED, TABLES, TUNINGS, WORDS
from training.vocabulary import vocabulary, wordpieces

_PART = 15 * 2**20
_KEPT_TABLES = 3
GENERAL = ("scifact", "cacm", "cosqa")
_GUIDE = 0.5
"""Share of the first fine-tuned weights in the model that finds near misses."""
TAUGHT = 0.6
"""Share of what the judge was taught, where a small one learns from it."""
LOSS = 0.01
"""What may be lost on those, on average."""


class _Notes:
    """Figures as they come, on the screen and in a file: a run that is cut short keeps what it found."""

    def __init__(self, out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self._file = out / "results.jsonl"
        self._start = time.monotonic()

    def note(self, variant: str, figures: Mapping[str, float], **about: object) -> None:
        row = {"variant": variant, **about, "seconds": round(time.monotonic() - self._start, 1), **figures}
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        told = {name: value for name, value in figures.items() if not name.startswith("held-out ")}
        print(f"[{row['seconds']:7.1f}] {variant} {about or ''} {told}", flush=True)


@dataclass(frozen=True, slots=True)
class Course:
    """What every part of a run works with."""

    base: Path
    out: Path
    material: Material
    tokens: Tokens
    learned: Lessons
    notes: _Notes
    wanted: Sequence[str]
    is_tiny: bool
    judge: Path | None = None
    """The folder of a cross-encoder that orders near misses."""

    def wants(self, name: str) -> bool:
        return name in self.wanted or EVERY_VARIANT in self.wanted


@dataclass(frozen=True, slots=True)
class Bases:
    """Models that a run begins with."""

    base: Path
    """The transformer that is fine-tuned."""
    teacher: Path | None = None
    """A transformer that tables are made from; the best one made when it is None."""
    judge: Path | None = None
    """A cross-encoder."""


def run(material: Path, bases: Bases, out: Path, wanted: Sequence[str], *, is_tiny: bool) -> None:
    """Everything named in `wanted`, or what the package's models are."""
    base = bases.base
    if unknown := {*wanted} - {*TUNINGS, *TABLES, *RERANKERS, EVERY_VARIANT}:
        raise SystemExit(f"There is no variant {', '.join(sorted(unknown))}; training/variants.py has those there are.")
    notes = _Notes(out)
    read = load(material)
    if is_tiny:
        read = tiny(read)
    read = replace(read, exams=[exam for exam in read.exams if exam.questions])
    print(f"{len(read.passages):,} passages, {len(read.pairs):,} pairs, {len(read.exams)} exams", flush=True)
    tokens = Tokens(base)
    learned = lessons(read.pairs, read.passages, tokens)
    course = Course(base, out, read, tokens, learned, notes, wanted or SHIPPED, is_tiny, bases.judge)
    model = load_model(bases.teacher or base)
    if any(map(course.wants, TUNINGS)):
        model = load_model(base, _transformers(course))
    if any(map(course.wants, TABLES)):
        _tables(course, model)
    if course.judge is not None and any(map(course.wants, RERANKERS)):
        _rerankers(course, course.judge, model)


def _transformers(course: Course) -> Weights:
    """The weights that do best."""
    papers = cut(course.material.exams, course.tokens)

    def vectors(weights: Weights) -> list[Vectors]:
        encode = by_transformer(load_model(course.base, weights))
        return [(encode(texts), encode(questions)) for texts, questions in papers]

    def figures(weights: Weights) -> dict[str, float]:
        return judge(course.material.exams, vectors(weights))

    start = weights_of(load_model(course.base))
    before = figures(start)
    course.notes.note("the base as it is", before)
    best, chosen = -1.0, start
    made: dict[str, Weights] = {}
    lists: Lists | None = None
    for name, tuning in TUNINGS.items():
        if course.wants(name):
            how = replace(tuning, steps=2, batch=32) if course.is_tiny else tuning
            if how.listed and lists is None:
                guide = averaged(start, next(iter(made.values()), start), _GUIDE)
                lists = _judged(course, guide, vectors(guide))
            made[name] = finetune(course.base, course.learned, how, lists)
            print(f"trained {name}", flush=True)
    if len(made) > 1:
        made["all of these"] = _mean(made.values())
    for name, weights in made.items():
        for share in SHARES[:1] if course.is_tiny else SHARES:
            mixed = averaged(start, weights, share)
            found = figures(mixed)
            course.notes.note(name, found, share=share)
            if decisive(found) > best and _general(found) >= _general(before) - LOSS:
                best, chosen = decisive(found), mixed
                _save_transformer(course.out, mixed)
    return chosen


def _judged(course: Course, guide: Weights, vectors: Sequence[Vectors]) -> Lists:
    """Near misses by the first transformer made, ordered by a cross-encoder that was taught to, where there is one."""
    lists = near_misses(load_model(course.base, guide), course.learned)
    if course.judge is None or not lists.places:
        return certain(lists)
    exams, found = _judging(course, vectors)
    crossing = Judge(course.judge)
    course.notes.note("judge as it is", crossing.examine(exams, found))
    asked, shown = crossing.cut(course.learned)
    crossing.teach(lists, asked, shown, Teaching(steps=2, questions=4) if course.is_tiny else Teaching())
    course.notes.note("judge, taught", crossing.examine(exams, found))
    return crossing.judged(lists, asked, shown)


def _judging(course: Course, vectors: Sequence[Vectors]) -> tuple[list[Exam], list[Vectors]]:
    """What cross-encoders are judged by: repositories' own questions say little about them."""
    both = zip(course.material.exams, vectors, strict=True)
    kept = [(exam, found) for exam, found in both if not exam.name.startswith("held-out")]
    return [exam for exam, _ in kept], [found for _, found in kept]


def _rerankers(course: Course, folder: Path, model: torch.nn.Module) -> None:
    """Small cross-encoders, from one that was taught and then met its origin half way."""
    lists = near_misses(model, course.learned)
    encode = by_transformer(model)
    papers = cut(course.material.exams, course.tokens)
    exams, found = _judging(course, [(encode(texts), encode(questions)) for texts, questions in papers])
    crossing = Judge(folder)
    if lists.places:
        asked, shown = crossing.cut(course.learned)
        taught = Teaching(share=TAUGHT)
        crossing.teach(lists, asked, shown, replace(taught, steps=2, questions=4) if course.is_tiny else taught)
    course.notes.note("judge, half taught", crossing.examine(exams, found))
    for name, how in RERANKERS.items():
        if course.wants(name):
            tiny = replace(how, layers=1, pieces=12, steps=2, rows=4, weak=8, near=4) if course.is_tiny else how
            small = reread(model, course.learned, crossing, tiny, course.out / name)
            course.notes.note(name, small.examine(exams, found))


def decisive(figures: Mapping[str, float]) -> float:
    """What decides between variants: questions that people wrote, else those that repositories ask themselves."""
    return next((figures[kind] for kind in HELD_OUT if kind in figures), 0.0)


def _mean(several: Iterable[Weights]) -> Weights:
    mean: Weights = {}
    for count, weights in enumerate(several, 1):
        mean = averaged(mean, weights, 1 / count) if mean else weights
    return mean


def _tables(course: Course, teacher: torch.nn.Module) -> None:
    material, size = course.material, 40 if course.is_tiny else WORDS
    pieces = vocabulary(wordpieces(course.tokens.numbers), material.words, size)
    cutter = Cutter(pieces)
    papers = [
        (Bags(cutter, one.texts), Bags(cutter, [asked.text for asked in one.questions])) for one in material.exams
    ]
    with_near = any(how.listed for name, how in TABLES.items() if course.wants(name))
    studied = study(teacher, course.learned, cutter, with_near=with_near)
    first = first_table(teacher, course.tokens, pieces, studied)
    print(f"{len(pieces):,} pieces", flush=True)

    def figures(table: torch.Tensor) -> dict[str, float]:
        return judge(material.exams, ((texts.vectors(table), asked.vectors(table)) for texts, asked in papers))

    course.notes.note("table before training", figures(first[:, :256]))
    made: dict[str, tuple[float, torch.Tensor]] = {}
    for name, table in _distilled(course, first, studied):
        found = figures(table)
        course.notes.note(name, found, width=table.shape[1])
        made[name] = (decisive(found) + _general(found), table)
    alike = [table for score, table in sorted(made.values(), key=lambda one: -one[0]) if table.shape[1] == 256]
    if len(alike) > 1:
        mean = torch.stack(alike[:_KEPT_TABLES]).mean(0)
        found = figures(mean)
        course.notes.note("mean of the best", found, width=mean.shape[1])
        made["mean"] = (decisive(found) + _general(found), mean)
    for name, (_, table) in sorted(made.items(), key=lambda one: -one[1][0])[:_KEPT_TABLES]:
        pack(course.out / name, table.cpu().numpy(), pieces)


def _distilled(course: Course, first: torch.Tensor, studied: Studied) -> Iterable[tuple[str, torch.Tensor]]:
    for name, how in TABLES.items():
        if course.wants(name):
            tiny: Distilling = replace(how, shaped=min(2, how.shaped), steps=2, batch=32) if course.is_tiny else how
            yield name, distil(first, studied, tiny)


def _general(figures: Mapping[str, float]) -> float:
    known = [figures[name] for name in GENERAL if name in figures]
    return sum(known) / len(known) if known else 0.0


def _save_transformer(out: Path, weights: Weights) -> None:
    data = packed(
        {name: value.half().contiguous().cpu() for name, value in weights.items() if value.is_floating_point()}
    )
    for part, first in enumerate(range(0, len(data), _PART)):
        (out / f"transformer.{part}").write_bytes(data[first : first + _PART])
