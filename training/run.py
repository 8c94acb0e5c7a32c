"""Train the variants, judge them, and write down the best transformer and the best table.

    OUT/results.jsonl      a line for each thing judged: {"variant", "share", "seconds", figures…}
    OUT/transformer.0 …    the best averaged transformer in float16 (safetensors, cut into parts of 15 MB)
    OUT/table.npy          the best table in float16

The best transformer is what does best on the repositories held out without losing on questions about other things (the
sets that are named in `GENERAL`), the best table what does best on those repositories; the graded questions about
documentation choose nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save as packed

from training.encoder import Tokens, averaged, load_model, weights_of
from training.finetune import finetune, lessons
from training.judge import by_transformer, judge, sheets
from training.material import load
from training.table import by_table, distil, first_table
from training.variants import SHARES, TABLES, TUNINGS

_PART = 15 * 2**20
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


def run(material: Path, base: Path, out: Path, wanted: Sequence[str], *, is_tiny: bool) -> None:
    """Everything named in `wanted`, or all variants."""
    notes = _Notes(out)
    passages, pairs, exams = load(material)
    if is_tiny:
        exams = [replace(one, texts=one.texts[:60], keys=one.keys[:60], questions=one.questions[:8]) for one in exams]
    print(f"{len(passages):,} passages, {len(pairs):,} pairs, {len(exams)} exams", flush=True)
    tokens = Tokens(base)
    papers, learned = sheets(exams, tokens), lessons(pairs, passages, tokens)
    origin = load_model(base)
    start = weights_of(origin)
    before = judge(papers, by_transformer(origin))
    notes.note("MiniLM as it is", before)
    best, best_weights = 0.0, start
    for name, tuning in TUNINGS.items():
        if wanted and name not in wanted:
            continue
        if is_tiny:
            tuning = replace(tuning, steps=2, batch=32)
        made = finetune(base, learned, tuning)
        for share in SHARES[:1] if is_tiny else SHARES:
            mixed = averaged(start, made, share)
            figures = judge(papers, by_transformer(load_model(base, mixed)))
            notes.note(name, figures, share=share)
            if figures["held-out"] > best and _general(figures) >= _general(before) - LOSS:
                best, best_weights = figures["held-out"], mixed
                _save_transformer(out, mixed)
    teacher = load_model(base, best_weights)
    first = first_table(teacher, learned, tokens.size, 256)
    notes.note("table before training", judge(papers, by_table(first)))
    best = 0.0
    for name, how in TABLES.items():
        if wanted and name not in wanted:
            continue
        if is_tiny:
            how = replace(how, steps=2, batch=32, taught=16)
        table = distil(teacher, learned, tokens.size, how)
        for width in how.widths:
            figures = judge(papers, by_table(table[:, :width].contiguous()))
            notes.note(name, figures, width=width)
            if width == 256 and figures["held-out"] > best:
                best = figures["held-out"]
                np.save(out / "table.npy", table[:, :256].half().cpu().numpy())


def _general(figures: Mapping[str, float]) -> float:
    known = [figures[name] for name in GENERAL if name in figures]
    return sum(known) / len(known) if known else 0.0


def _save_transformer(out: Path, weights: Mapping[str, torch.Tensor]) -> None:
    data = packed(
        {name: value.half().contiguous().cpu() for name, value in weights.items() if value.is_floating_point()}
    )
    for part, first in enumerate(range(0, len(data), _PART)):
        (out / f"transformer.{part}").write_bytes(data[first : first + _PART])
