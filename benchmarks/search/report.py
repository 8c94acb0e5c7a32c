"""The figures of one size as rows, and rows as a Markdown table or plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from benchmarks.search.contenders import WHOLE
from benchmarks.speed_bars import SpeedBar, table
from benchmarks.table import shown


@dataclass(frozen=True, slots=True)
class Row:
    """One contender at one size."""

    name: str
    p50_s: float | None
    """None when it could not be asked; `note` says why."""
    p95_s: float = 0.0
    p99_s: float = 0.0
    ratio: float | None = None
    """Its median beside that of the part of Pinakes that does the same."""
    rate: float = 0.0
    """Questions a second, eight callers."""
    cold_s: float = 0.0
    resident_bytes: int = 0
    disk_bytes: int = 0
    index_s: float = 0.0
    found: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Size:
    """Everything measured at one size."""

    passages: int
    documents: int
    questions: int
    rounds: int
    rows: tuple[Row, ...]
    command_s: float
    """A fresh `pinakes search --no-sync`."""
    built: dict[str, float]
    """What indexing by Pinakes took."""


BARS = {150_000: {"median": 6.0, "99 %": 18.0, "memory": 300.0}, 1_000_000: {"median": 20.0, "99 %": 60.0}}
"""Of the whole search, by passages: milliseconds, and megabytes."""
_LIKE = 0.1
"""A size that differs from one with bars by less than this share has them."""
_HEAD = (
    "| who | median | 95 % | 99 % | median beside Pinakes | 8 callers, questions/s | cold | memory | on disk "
    "| indexing | hits | gives |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
)


def as_markdown(size: Size) -> str:
    """A heading, a table, and how Pinakes' index came to be."""
    built = size.built
    lines = [
        f"### {size.passages:,} passages of {size.documents:,} documents",
        "",
        _HEAD,
        *(_line(row) for row in size.rows),
        "",
        f"{size.passages:,} passages, {size.questions} questions, {size.rounds} rounds: "
        f"Pinakes indexed in {built['seconds']:,.0f} s, of which "
        f"{built['sync_s']:,.0f} s reading, linking and storing, {built['words_s']:,.0f} s words, "
        f"{built['vectors_s']:,.0f} s vectors, peak resident memory {built['peak_bytes'] / 1e6:,.0f} MB; "
        f"a fresh `pinakes search --no-sync` takes {shown(size.command_s, 's')}.",
    ]
    return "\n".join([*lines, *table(bars(size))])


def bars(size: Size) -> Iterator[SpeedBar]:
    """What a whole search of about this many passages is held to."""
    row = next((one for one in size.rows if one.name == WHOLE and one.p50_s is not None), None)
    asked = next((of for most, of in BARS.items() if abs(size.passages - most) <= _LIKE * most), {})
    if row is not None and row.p50_s is not None:
        found = {"median": 1000 * row.p50_s, "99 %": 1000 * row.p99_s, "memory": row.resident_bytes / 1e6}
        for what, bar in asked.items():
            yield SpeedBar(f"whole search, {what}", "MB" if what == "memory" else "ms", bar, found[what])


def as_data(size: Size) -> dict[str, object]:
    return asdict(size)


def _line(row: Row) -> str:
    if row.p50_s is None:
        return f"| {row.name} | – | | | | | | | | | | {row.note} |"
    cells = (
        row.name,
        shown(row.p50_s, "s"),
        shown(row.p95_s, "s"),
        shown(row.p99_s, "s"),
        f"{row.ratio:.2f} ×" if row.ratio else "",
        f"{row.rate:,.0f}",
        shown(row.cold_s, "s"),
        f"{row.resident_bytes / 1e6:,.0f} MB",
        f"{row.disk_bytes / 1e6:,.0f} MB" if row.disk_bytes else "",
        shown(row.index_s, "s") if row.index_s else "",
        f"{row.found:.1f}",
        row.note,
    )
    return f"| {' | '.join(cells)} |"
