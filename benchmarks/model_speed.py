"""How fast do embedders and cross-encoders run, side by side?

Embedders, passages and questions enter; figures by name leave. Embedders take turns in many short rounds, so that a
slow minute of the machine falls on all of them, and the best round is the figure. Processor time is kept beside the
clock, because who else works on the machine changes it little.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from statistics import median

from pinakes.ports import Embedder, Reranker

WORDS = 100
"""Of a passage whose embedding is timed."""
PASSAGES = "passages of 100 words a second"
PASSAGE = "one passage, ms of processor"
QUESTION = "one question, ms"
READ_AGAIN = 20
"""Passages that a cross-encoder reads for one question."""
READING = f"{READ_AGAIN} passages, ms"
_FEW = 64
_ROUNDS = 12
_SECONDS = 0.4
_MOST = 20_000
_QUESTIONS = 50
_TIMES = 5
"""So often is each question asked; the quickest counts."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a piece of work took."""

    seconds: float
    processor: float
    """Seconds of all processors together."""


def passages_of(texts: Sequence[str]) -> list[str]:
    """Texts as passages of so many words."""
    words = [word for text in texts for word in text.split()]
    return [" ".join(words[at : at + WORDS]) for at in range(0, max(1, len(words) - WORDS), WORDS)]


def speeds(
    embedders: Mapping[str, Embedder], passages: Sequence[str], questions: Sequence[str]
) -> Mapping[str, Mapping[str, float]]:
    """The figures of each embedder."""
    work = {name: _share(one, passages) for name, one in embedders.items()}
    rounds: dict[str, list[Spent]] = {name: [] for name in embedders}
    for _ in range(_ROUNDS):
        for name, one in embedders.items():
            rounds[name].append(_of_encoding(one, work[name]))
    asked = list(questions)[:_QUESTIONS] or ["how?"]
    found: dict[str, dict[str, float]] = {}
    for name, one in embedders.items():
        count = len(work[name])
        found[name] = {
            PASSAGES: count / min(each.seconds for each in rounds[name]),
            PASSAGE: 1000.0 * min(each.processor for each in rounds[name]) / count,
            QUESTION: 1000.0 * median(_least(one, question) for question in asked),
        }
    return found


def reading(reranker: Reranker, passages: Sequence[str], questions: Sequence[str]) -> Iterator[tuple[str, float]]:
    """How long it reads the passages of one question, by the clock and by processor time."""
    some = list(islice(cycle(passages), READ_AGAIN))
    asked = list(questions)[:_TIMES] or ["how?"]
    reranker.score(asked[0], some)  # loads it
    took = [_spent(partial(reranker.score, question, some)) for question in asked for _ in range(_TIMES)]
    yield READING, 1000.0 * min(one.seconds for one in took)
    yield f"{READING} of processor", 1000.0 * min(one.processor for one in took)


def _share(embedder: Embedder, passages: Sequence[str]) -> list[str]:
    """As many passages as a round has time for."""
    few = list(islice(cycle(passages), _FEW))
    embedder.encode(few)  # loads it
    seconds = max(1e-9, _of_encoding(embedder, few).seconds)
    return list(islice(cycle(passages), min(_MOST, max(16, int(_FEW * _SECONDS / seconds)))))


def _least(embedder: Embedder, question: str) -> float:
    return min(_of_encoding(embedder, [question]).seconds for _ in range(_TIMES))


def _of_encoding(embedder: Embedder, texts: Sequence[str]) -> Spent:
    return _spent(partial(embedder.encode, texts))


def _spent(work: Callable[[], object]) -> Spent:
    started, processor = time.perf_counter(), time.process_time()
    work()
    return Spent(max(1e-9, time.perf_counter() - started), time.process_time() - processor)
