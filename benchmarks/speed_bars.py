"""What speed is held to, beside what was measured.

Figures enter, a table leaves: what is asked of each figure, and whether it is reached. The bars are those of two cores
and a quiet machine; where another one measures, the column *reached* says less than the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpeedBar:
    """A figure and what it is held to."""

    what: str
    unit: str
    bar: float
    figure: float | None = None
    """None where it was not measured."""
    is_least: bool = False
    """Whether the figure must be at least the bar; else it must be below."""

    @property
    def is_reached(self) -> bool | None:
        if self.figure is None:
            return None
        return self.figure >= self.bar if self.is_least else self.figure < self.bar

    @property
    def row(self) -> str:
        """The bar as a row of a table."""
        told = {True: "reached", False: "not reached", None: "not measured"}[self.is_reached]
        asked = f"{'at least' if self.is_least else 'under'} {_number(self.bar)} {self.unit}".rstrip()
        figure = "–" if self.figure is None else f"{_number(self.figure)} {self.unit}".rstrip()
        return f"| {self.what} | {figure} | {asked} | {told} |"


def table(bars: Iterable[SpeedBar]) -> Iterator[str]:
    """The lines of a table with all of them; none without bars."""
    rows = [bar.row for bar in bars]
    if rows:
        yield from ("", "| bar | figure | asked | |", "|---|---:|---:|---|", *rows)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
