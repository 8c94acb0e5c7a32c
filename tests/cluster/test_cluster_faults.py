"""A cluster loses a server and its primary while it is asked and written to; `make cluster` does so again and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.faults import running
from cluster.load import Outcome
from kits.postgres import missing


def test_what_was_acknowledged_is_kept_and_what_is_answered_is_right(tmp_path: Path) -> None:
    if why := missing():
        pytest.skip(why)
    with running(tmp_path) as run:
        for fault in ("server killed", "primary killed, replica promoted"):
            report = run.inflict(fault)
            assert (report.lost, report.doubled) == (0, 0), fault
            assert report.outcomes[Outcome.RIGHT]
        assert run.bad_answers() == []
