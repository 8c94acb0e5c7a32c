"""Transcripts, compared as text. A story is a file; adding one needs no Python. README.md has the steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.git import needs_git
from kits.stories import Player, steps

STORIES = sorted(Path(__file__).parent.glob("*.story"))


def _marked(story: Path) -> object:
    is_git = any(step.word == "commit" for step in steps(story.read_text(encoding="utf-8")))
    return pytest.param(story, id=story.stem, marks=[needs_git] if is_git else [])


@pytest.mark.parametrize("story", [_marked(story) for story in STORIES])
def test_what_is_told_happens(story: Path, tmp_path: Path) -> None:
    Player(tmp_path / "library").play(story.read_text(encoding="utf-8"))
