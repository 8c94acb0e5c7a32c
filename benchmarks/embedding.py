"""How fast do embedders embed? Passages of one length, and one question at a time.

Documents enter, figures leave. A model that is not installed becomes a row that says how to get it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median

from benchmarks.clock import repeated
from benchmarks.folder import Documents
from benchmarks.table import Figure, Group
from pinakes.errors import ExtraMissing
from pinakes.neural import load_embedder
from pinakes.ports import Embedder
from pinakes.tokens import count_tokens

MODELS = {"static": 20_000, "docs": 200}
"""Each embedder and how many passages it is given: a few seconds' work."""
QUESTIONS = 200
_CHARACTERS = 512
"""Of a passage: about so many tokens of documentation."""


def measure_embedding(chosen: Documents, rounds: int) -> Group:
    """Every embedder on passages of the sample."""
    passages = _passages(chosen)
    rows = [row for model, most in MODELS.items() for row in _rows(model, passages, most, rounds)]
    return Group("Embedding", tuple(rows))


def _rows(model: str, passages: Sequence[str], most: int, rounds: int) -> tuple[Figure, ...]:
    try:
        embedder = load_embedder(model)
        embedder.encode(passages[:1])  # loads it
    except ExtraMissing as error:
        note = f"not installed: {error.next_step.removeprefix('Run: ')}"
        rows = {f"{model}, passages": "passages/s", f"{model}, one question": "s"}
        return tuple(Figure(name, None, unit, "", note=note) for name, unit in rows.items())
    given = passages[:most]
    tokens = sum(map(count_tokens, given)) / max(1, len(given))
    started, before = time.perf_counter(), time.process_time()
    embedder.encode(given)
    wall, cpu = time.perf_counter() - started, time.process_time() - before
    best = min(wall, repeated(lambda: embedder.encode(given), rounds - 1).best) if rounds > 1 else wall
    per = f"{len(given):,} passages of {tokens:.0f} tokens on average"
    speed = f"{len(given) / max(cpu, 1e-9):,.0f} per second of processor time"
    note = f"{speed}; {embedder.dimensions} dimensions; best of {rounds}"
    usual, slow = _question_s(embedder)
    told = f"median; 95 % within {slow * 1e3:.2f} ms"
    return (
        Figure(f"{model}, passages", len(given) / best, "passages/s", per, note=note),
        Figure(f"{model}, one question", usual, "s", f"{QUESTIONS} questions", note=told),
    )


def _question_s(embedder: Embedder) -> tuple[float, float]:
    """The median, and what 95 of 100 take at most."""
    seconds = []
    for number in range(QUESTIONS):
        started = time.perf_counter()
        embedder.encode([f"how do I rotate the access tokens of user {number}?"])
        seconds.append(time.perf_counter() - started)
    return median(seconds), sorted(seconds)[int(0.95 * len(seconds))]


def _passages(chosen: Documents) -> list[str]:
    texts = (raw.data.decode("utf-8", "replace") for raw in chosen.raws)
    cut = [text[at : at + _CHARACTERS] for text in texts for at in range(0, len(text), _CHARACTERS)]
    return [text for text in cut if text.strip()] or ["documentation"]
