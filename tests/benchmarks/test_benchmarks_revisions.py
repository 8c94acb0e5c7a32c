"""The benchmark of revisions: a repository is laid out, and every revision of it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.revisions import main

from kits.git import needs_git
from kits.trees import write_tree


@needs_git
def test_every_revision_is_asked_and_its_time_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = {f"page-{number}.md": f"# Page {number}\n\nThe tide of day {number} is high.\n" for number in range(6)}
    main([str(write_tree(tmp_path / "pages", pages)), "--files", "6", "--changed", "2", "--revisions", "2"])
    told = capsys.readouterr().out
    assert "| 1 before the newest | 6 |" in told
    assert "| 2 before the newest | 6 |" in told
    assert "| the last again | 6 |" in told
