"""Asking a library whose documents did not change writes nothing: no file of the index is touched, made or removed."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.damage import files_of, laid_out_library
from kits.hostile import pinakes as run
from kits.hostile import synced


def files(store: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file with its identity, its time and its content; not the memory that SQLite shares between processes."""
    return {
        str(path.relative_to(store)): (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())
        for path in files_of(store)
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A library that answered every question below once."""
    root = laid_out_library(tmp_path / "root")
    synced(root)
    for words in QUESTIONS:
        assert run(root, *words).code == 0
    return root


QUESTIONS = (["search", "how does storage work"], ["map"], ["read", "storage/page-0.md"])


@pytest.mark.parametrize("words", [*QUESTIONS, ["sync"]], ids=lambda words: words[0])
def test_a_question_that_finds_nothing_new_writes_nothing(root: Path, words: list[str]) -> None:
    before = files(root / ".pinakes")
    assert run(root, *words).code == 0
    assert files(root / ".pinakes") == before


def test_a_refresh_that_finds_nothing_new_writes_nothing(root: Path) -> None:
    with pinakes.open(root) as library:
        library.search("how does storage work")
        before = files(root / ".pinakes")
        generation = library.generation
        assert library.refresh() == ""
        report = library.corpus().refresh().report
        assert report is not None
        assert report.put == ()
        assert (library.generation, files(root / ".pinakes")) == (generation, before)
        (root / "storage" / "page-0.md").write_text("# Storage, again\n")
        assert library.refresh() == ""
        assert library.generation > generation
