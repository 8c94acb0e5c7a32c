"""The figures of `pinakes bench`, and the table of them for people."""

from __future__ import annotations

from dataclasses import dataclass

from pinakes.evaluation.report import table
from pinakes.evaluation.speed import COLD_STARTS, Footprint, Speed, Spread


@dataclass(frozen=True, slots=True)
class Pace:
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
