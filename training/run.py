"""One run: variants one after the other, every figure written down as soon as it is known.

    OUT/results.jsonl      {"variant": …, "share": …, "seconds": …, "docs-dev": …, "held-out": …, …}
    OUT/transformer.N      the best averaged transformer in float16 (safetensors, cut into parts of 15 MB)
    OUT/NAME/              the best tables as the package keeps them: rows.npy, scales.npy, pieces.txt

The best is what does best on the repositories held out: of transformers, among those that lose nothing on questions
about other things (the sets named in `GENERAL`); of tables, which learn what their teacher knows or what the pairs
say, but hardly both, added to how they do on those. The graded questions about documentation choose nothing.
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
from training.encoder import Tokens, Weights, averaged, load_model, weights_of
from training.finetune import Lessons, finetune, lessons
from training.judge import by_transformer, cut, judge
from training.material import Exam, Material, load
from training.packing import pack
from training.table import Distilling, Studied, distil, first_table, study
from training.variants import EVERY_VARIANT, SHARES, SHIPPED, TABLES, TUNINGS, WORDS
from training.vocabulary import vocabulary

_PART = 15 * 2**20
_KEPT_TABLES = 3
GENERAL = ("scifact", "cacm", "cosqa")
LOSS = 0.002
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
        told = {name: value for name, value in figures.items() if "held-out " not in name}
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

    def wants(self, name: str) -> bool:
        return name in self.wanted or EVERY_VARIANT in self.wanted


def run(material: Path, base: Path, out: Path, wanted: Sequence[str], *, teacher: Path | None, is_tiny: bool) -> None:
    """Everything named in `wanted`, or what the package's models are; tables from `teacher` or the best one made."""
    if unknown := {*wanted} - {*TUNINGS, *TABLES, EVERY_VARIANT}:
        raise SystemExit(f"There is no variant {', '.join(sorted(unknown))}; training/variants.py has those there are.")
    notes = _Notes(out)
    read = load(material)
    if is_tiny:
        read = replace(read, exams=[_tiny(one) for one in read.exams])
    read = replace(read, exams=[exam for exam in read.exams if exam.questions])
    print(f"{len(read.passages):,} passages, {len(read.pairs):,} pairs, {len(read.exams)} exams", flush=True)
    tokens = Tokens(base)
    learned = lessons(read.pairs, read.passages, tokens)
    course = Course(base, out, read, tokens, learned, notes, wanted or SHIPPED, is_tiny)
    model = load_model(base if teacher is None else teacher)
    if any(map(course.wants, TUNINGS)):
        model = load_model(base, _transformers(course))
    if any(map(course.wants, TABLES)):
        _tables(course, model)


def _tiny(exam: Exam) -> Exam:
    return replace(exam, texts=exam.texts[:60], keys=exam.keys[:60], questions=exam.questions[:8])


def _transformers(course: Course) -> Weights:
    """The weights that do best."""
    papers = cut(course.material.exams, course.tokens)

    def figures(weights: Weights) -> dict[str, float]:
        encode = by_transformer(load_model(course.base, weights))
        return judge(course.material.exams, ((encode(texts), encode(questions)) for texts, questions in papers))

    start = weights_of(load_model(course.base))
    before = figures(start)
    course.notes.note("MiniLM as it is", before)
    best, chosen = -1.0, start
    made: dict[str, Weights] = {}
    for name, tuning in TUNINGS.items():
        if course.wants(name):
            how = replace(tuning, steps=2, batch=32) if course.is_tiny else tuning
            made[name] = finetune(course.base, course.learned, how)
    if len(made) > 1:
        made["all of these"] = _mean(made.values())
    for name, weights in made.items():
        for share in SHARES[:1] if course.is_tiny else SHARES:
            mixed = averaged(start, weights, share)
            found = figures(mixed)
            course.notes.note(name, found, share=share)
            if found["held-out"] > best and _general(found) >= _general(before) - LOSS:
                best, chosen = found["held-out"], mixed
                _save_transformer(course.out, mixed)
    return chosen


def _mean(several: Iterable[Weights]) -> Weights:
    mean: Weights = {}
    for count, weights in enumerate(several, 1):
        mean = averaged(mean, weights, 1 / count) if mean else weights
    return mean


def _tables(course: Course, teacher: torch.nn.Module) -> None:
    material, size = course.material, 40 if course.is_tiny else WORDS
    pieces = vocabulary(course.tokens.numbers, material.words, size)
    cutter = Cutter(pieces)
    papers = [
        (Bags(cutter, one.texts), Bags(cutter, [asked.text for asked in one.questions])) for one in material.exams
    ]
    studied = study(teacher, course.learned, cutter)
    first = first_table(teacher, course.tokens, pieces, studied)
    print(f"{len(pieces):,} pieces", flush=True)

    def figures(table: torch.Tensor) -> dict[str, float]:
        return judge(material.exams, ((texts.vectors(table), asked.vectors(table)) for texts, asked in papers))

    course.notes.note("table before training", figures(first[:, :256]))
    made: dict[str, tuple[float, torch.Tensor]] = {}
    for name, table in _distilled(course, first, studied):
        found = figures(table)
        course.notes.note(name, found, width=table.shape[1])
        made[name] = (found["held-out"] + _general(found), table)
    if len(made) > 1:
        alike = [table for score, table in sorted(made.values(), key=lambda one: -one[0]) if table.shape[1] == 256]
        mean = torch.stack(alike[:_KEPT_TABLES]).mean(0)
        found = figures(mean)
        course.notes.note("mean of the best", found, width=mean.shape[1])
        made["mean"] = (found["held-out"] + _general(found), mean)
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
