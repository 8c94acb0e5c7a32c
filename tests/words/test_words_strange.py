"""Files of a word index that somebody put there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tantivy import Document, Index

from kits.vectors import filled
from pinakes.errors import StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.words import open_words

TEXTS = {"a.md": "# Tide\n\nHigh water.\n", "b.md": "# Crane\n\nForty tonnes.\n"}


@pytest.mark.parametrize("spelling", ["absolute", "relative"])
def test_the_engine_removes_no_files_that_are_not_its_own(tmp_path: Path, spelling: str) -> None:
    """Its list of files to remove may have come with an archive."""
    victim = tmp_path / "victim"
    victim.write_text("dear to the user")
    name = str(victim) if spelling == "absolute" else "../../victim"
    store = filled(TEXTS)
    words = open_words(OwnFolder(tmp_path / "words", 2))
    words.update(store)
    (managed,) = (tmp_path / "words").glob("*/.managed.json")
    managed.write_text(json.dumps([*json.loads(managed.read_text()), name]))
    for number in range(3):
        more = filled({**TEXTS, f"{number}.md": "# More\n\nMore of it.\n"})
        open_words(OwnFolder(tmp_path / "words", 2)).update(more)
    assert victim.exists()


def test_the_engine_left_alone_would_remove_them(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("dear to the user")
    open_words(OwnFolder(tmp_path / "words", 2)).update(filled(TEXTS))
    (managed,) = (tmp_path / "words").glob("*/.managed.json")
    managed.write_text(json.dumps([*json.loads(managed.read_text()), str(victim)]))
    writer = Index.open(str(managed.parent)).writer(15_000_000, 1)
    added = Document()
    added.add_text("words", "more")
    writer.add_document(added)
    writer.commit()
    writer.wait_merging_threads()
    assert not victim.exists(), "the engine no longer removes such files: the check can go"


@pytest.mark.parametrize("place", ["words", "words/index-0", "words/index-0/meta.json", "words/manifest.json"])
def test_links_are_refused(tmp_path: Path, place: str) -> None:
    open_words(OwnFolder(tmp_path / "words", 2)).update(filled(TEXTS))
    away = (tmp_path / place).rename(tmp_path / "away")
    (tmp_path / place).symlink_to(away)
    with pytest.raises(StoreStrange, match="is a link"):
        _ = open_words(OwnFolder(tmp_path / "words", 2)).now
    with pytest.raises(StoreStrange, match="is a link"):
        open_words(OwnFolder(tmp_path / "words", 2)).update(filled(TEXTS))


def test_the_files_are_for_their_owner_only(tmp_path: Path) -> None:
    open_words(OwnFolder(tmp_path / "words", 2)).update(filled(TEXTS))
    rights = {path.name: path.stat().st_mode & 0o077 for path in (tmp_path / "words").rglob("*")}
    assert set(rights.values()) == {0}, rights
