"""How fast are questions answered, and what does that take in memory and on disk?

Questions and somebody who answers enter, a `Speed` leaves; a store's folder enters, a `Footprint` leaves. A `Pace`
holds both and is printed by `pace_text`. How answers are found is not known here, and nothing is judged.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from pinakes.errors import ConfigError
from pinakes.evaluation.questions import Question, load_questions, read_lines
from pinakes.evaluation.report import table
from pinakes.evaluation.verdicts import Ask, OnProgress, ignore_count
from pinakes.other_python import NEUTRAL, environment, python
from pinakes.own_folder import OwnFolder
from pinakes.processors import resident_bytes
from pinakes.words import open_words

CALLERS = 8
"""Who ask at the same time, as threads of one process."""
COLD_STARTS = 5
MOST = 200
"""Questions taken of those made from a library."""
REST = "the rest"
"""What a search does outside of its stages, such as looking whether the index is still the newest."""
_FOUND, _NOTHING = 0, 1
_SEED = 1


class Spread(Struct, frozen=True):
    """How long something took, asked many times."""

    times: int
    p50_s: float
    p95_s: float
    p99_s: float


class Speed(Struct, frozen=True):
    """How long answers took."""

    questions: int
    rounds: int
    alone: Spread
    """One caller."""
    alone_rate: float
    """Questions a second."""
    stages: tuple[tuple[str, Spread], ...]
    """With one caller, in the order of work; a stage counts where it was reached."""
    callers: int
    together: Spread
    together_rate: float
    missing: tuple[str, ...]
    """Parts that did not answer: the figures are those of the rest."""


class Footprint(Struct, frozen=True):
    """What a library takes."""

    passages: int
    """Section-level chunks that can be found."""
    store_bytes: int
    words_bytes: int
    vectors_bytes: int
    resident_bytes: int
    """Of this process."""


def open_questions(place: Path) -> tuple[Question, ...]:
    """Questions of a folder or file as `eval` reads them, or of any other file, one a line."""
    if place.is_dir() or place.suffix == ".jsonl":
        return load_questions(place)
    return tuple(Question(str(number), line.strip(), "all", ()) for number, (line, _) in enumerate(read_lines(place)))


def sample(questions: Sequence[Question], most: int = MOST) -> tuple[Question, ...]:
    """At most so many of them, always the same ones, in an order that mixes styles."""
    return tuple(random.Random(_SEED).sample(list(questions), min(most, len(questions))))


def measure_speed(
    questions: Sequence[Question], ask: Ask, rounds: int, on_progress: OnProgress = ignore_count
) -> Speed:
    """Ask everything once to warm up, then `rounds` times by one caller, then as often by several at once."""
    if not questions:
        raise ConfigError("There are no questions to ask.", "Name a file with one question per line.")
    total = len(questions) * (2 * rounds + 1)
    missing: dict[str, None] = {}
    for number, question in enumerate(questions):
        missing.update(dict.fromkeys(ask(question).missing))
        on_progress(number + 1, total)
    seconds: list[float] = []
    stages: dict[str, list[float]] = defaultdict(list)
    for number, question in enumerate(tuple(questions) * rounds):
        started = time.perf_counter()
        answer = ask(question)
        seconds.append(time.perf_counter() - started)
        for stage in answer.stages:
            stages[stage.name].append(stage.seconds)
        stages[REST].append(max(0.0, seconds[-1] - sum(stage.seconds for stage in answer.stages)))
        on_progress(len(questions) + number + 1, total)
    stages[REST] = stages.pop(REST)  # comes last, whichever stages the first question reached
    together, rate = at_once(questions, ask, rounds)
    on_progress(total, total)
    spreads = tuple((name, spread(one)) for name, one in stages.items())
    alone_rate = len(seconds) / sum(seconds)
    return Speed(len(questions), rounds, spread(seconds), alone_rate, spreads, CALLERS, together, rate, tuple(missing))


def at_once(questions: Sequence[Question], ask: Ask, rounds: int, callers: int = CALLERS) -> tuple[Spread, float]:
    """Several callers who each take the next question as soon as they have an answer: waiting times, and how many
    questions a second were answered."""

    def timed(question: Question) -> float:
        begun = time.perf_counter()
        ask(question)
        return time.perf_counter() - begun

    with ThreadPoolExecutor(callers) as pool:
        started = time.perf_counter()
        seconds = list(pool.map(timed, tuple(questions) * rounds))
        took = time.perf_counter() - started
    return spread(seconds), len(seconds) / took


def spread(seconds: Sequence[float]) -> Spread:
    """Percentiles by nearest rank: each is a time that was really waited."""
    ordered = sorted(seconds)
    p50, p95, p99 = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.50, 0.95, 0.99))
    return Spread(len(ordered), p50, p95, p99)


def cold_start(arguments: Sequence[str], questions: Sequence[Question], times: int = COLD_STARTS) -> float:
    """Median seconds of a fresh `pinakes search` from its start to its end, the index being there.

    `arguments` say which library and how; the disk's cache is warm, as after any other command.
    """
    took = []
    for number in range(times):
        question = questions[number % len(questions)]
        command = python("-m", "pinakes", "search", *arguments, "--", question.text)
        started = time.perf_counter()
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, cwd=NEUTRAL, env=environment(), check=False
        )
        took.append(time.perf_counter() - started)
        if done.returncode not in (_FOUND, _NOTHING):
            said = done.stderr.decode("utf-8", "replace").strip()
            raise ConfigError(f"A fresh pinakes search failed: {said}", "Run it by hand to see why.")
    return statistics.median(took)


def footprint(store: Path) -> Footprint:
    """What the library in `store` and this process take now."""
    words, vectors = store / "words", store / "vectors"
    beside = _bytes_in(words), _bytes_in(vectors)
    return Footprint(open_words(OwnFolder(words)).now.size, _bytes_in(store) - sum(beside), *beside, resident_bytes())


def _bytes_in(folder: Path) -> int:
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)


class Pace(Struct, frozen=True):
    """All that was measured of a library."""

    profile: str
    speed: Speed
    cold_s: float
    """A fresh process that asks the index as it is."""
    compared_s: float
    """A fresh process that compares the index with the folder first, as `pinakes search` does."""
    taken: Footprint
    made_questions: bool
    """Whether the questions were made in this process, which takes memory of its own."""


def pace_text(pace: Pace) -> str:
    """A table of waiting times, then a line for each other figure."""
    speed, taken = pace.speed, pace.taken
    rows = [
        ("one caller", *_times(speed.alone)),
        *((f"  {name}", *_times(one)) for name, one in speed.stages),
        (f"{speed.callers} callers", *_times(speed.together)),
    ]
    lines = [
        f"{taken.passages:,} passages; {_counted(speed.questions, 'question')}, {_counted(speed.rounds, 'round')}, "
        f"profile {pace.profile}",
        "",
        table(("milliseconds", "median", "95 %", "99 %"), rows),
        "",
        f"throughput: {speed.alone_rate:,.0f} questions/s by one caller, {speed.together_rate:,.0f} by {speed.callers}",
        f"cold start: {1000 * pace.cold_s:,.0f} ms with --no-sync, {1000 * pace.compared_s:,.0f} ms comparing with the "
        f"folder first (median of {COLD_STARTS})",
        f"memory: {_megabytes(taken.resident_bytes)} resident in this process"
        + (", which also made the questions" if pace.made_questions else ""),
        f"on disk: store {_megabytes(taken.store_bytes)}, words {_megabytes(taken.words_bytes)}, "
        f"vectors {_megabytes(taken.vectors_bytes)}",
    ]
    return "\n".join(lines)


def _times(one: Spread) -> tuple[str, str, str]:
    p50, p95, p99 = (f"{1000 * seconds:.2f}" for seconds in (one.p50_s, one.p95_s, one.p99_s))
    return p50, p95, p99


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
