"""Transcripts, compared as text. A story is a file; adding one needs no Python. README.md has the steps."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from kits.git import needs_git
from kits.stories import Player, steps

needs_client = pytest.mark.skipif(find_spec("anthropic") is None, reason="the extra “work” is not installed")
STORIES = sorted(Path(__file__).parent.glob("*.story"))


def _marked(story: Path) -> object:
    words = {step.word for step in steps(story.read_text(encoding="utf-8"))}
    marks = [mark for word, mark in (("commit", needs_git), ("model", needs_client)) if word in words]
    return pytest.param(story, id=story.stem, marks=marks)


@pytest.mark.parametrize("story", [_marked(story) for story in STORIES])
def test_what_is_told_happens(story: Path, tmp_path: Path) -> None:
    Player(tmp_path / "library").play(story.read_text(encoding="utf-8"))
