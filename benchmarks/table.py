"""The figures of a run and the two ways to print them: a Markdown table for people, plain data for programs.

Figures enter, text or data leaves. Nothing is measured here, and nothing about where the files lie is printed.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from pinakes.processors import processors


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what was measured, and how it stands beside something comparable."""

    name: str
    value: float | None
    """None when it could not be measured; the note says why."""
    unit: str
    """``s`` for times, which are printed in milliseconds when short."""
    per: str
    """What it was measured over: how many files, bytes or sections."""
    beside: str = ""
    """The same figure as a ratio to a peer or to a limit of the machine, measured in the same run."""
    note: str = ""
    """What the work produced, or how it was timed."""


@dataclass(frozen=True, slots=True)
class Group:
    """The rows that answer one question."""

    title: str
    figures: tuple[Figure, ...]


def not_installed(name: str, unit: str, packages: str) -> Figure:
    """The row of a peer that is not here."""
    return Figure(name, None, unit, "", note=f"not installed: pip install {packages}")


def ratio(value: float, other: float, name: str) -> str:
    """How many times `other` goes into `value`, as words."""
    return f"{_digits(value / other)} × {name}" if other else ""


def machine() -> str:
    """The machine in one line, without its name."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{platform.system()} {platform.machine()}, {processors()} cores, {python}"


def as_markdown(title: str, groups: Iterable[Group]) -> str:
    """One table; a bold row opens each group."""
    lines = [title, "", "| what | figure | beside | over | how |", "|---|---:|---|---|---|"]
    for group in groups:
        lines.append(f"| **{group.title}** | | | | |")
        lines.extend(_row(figure) for figure in group.figures)
    return "\n".join(lines)


def as_data(title: str, groups: Sequence[Group]) -> dict[str, object]:
    """The same as plain values, times in seconds."""
    return {"title": title, "groups": [asdict(group) for group in groups]}


def shown(value: float | None, unit: str) -> str:
    """A value with three digits that matter and its unit."""
    if value is None:
        return "–"
    if unit == "s" and value < 1:
        return f"{_digits(value * 1000)} ms"
    return f"{_digits(value)} {unit}"


def _row(figure: Figure) -> str:
    cells = (figure.name, shown(figure.value, figure.unit), figure.beside, figure.per, figure.note)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _digits(value: float) -> str:
    """Three digits that matter, never an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
