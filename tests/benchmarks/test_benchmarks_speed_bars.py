"""A bar stands beside its figure and says whether it is reached."""

from __future__ import annotations

from benchmarks.speed_bars import SpeedBar, table


def test_bars_are_reached_or_not_or_were_not_measured() -> None:
    bars = (
        SpeedBar("first answer", "s", 4.0, 2.05),
        SpeedBar("p99", "ms", 250.0, 250.0),
        SpeedBar("searches a second", "", 220.0, 220.0, is_least=True),
        SpeedBar("memory", "MB", 400.0),
    )
    assert [*table(bars)][3:] == [
        "| first answer | 2.05 s | under 4 s | reached |",
        "| p99 | 250 ms | under 250 ms | not reached |",
        "| searches a second | 220 | at least 220 | reached |",
        "| memory | – | under 400 MB | not measured |",
    ]
    assert [*table(())] == []
