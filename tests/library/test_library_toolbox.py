"""What a search answers from is looked at again when another process has changed it."""

import subprocess
import sys
from pathlib import Path

import pytest

import pinakes
from pinakes.records import Query


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tide.md").write_text("# Tide\n\nHigh water comes twice a day.\n")
    (folder / "pinakes.toml").write_text('[neural]\nmodel = "static"\n')
    return folder


def elsewhere(root: Path, work: str) -> None:
    """Do `work` with the library in a process of its own."""
    script = f"import pinakes\nwith pinakes.open({str(root)!r}) as library:\n    {work}\n"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def paths(library: pinakes.Library, question: str, profile: str = "balanced") -> list[str]:
    return [hit.ref.path for hit in library.search(Query(question, profile=profile)).hits]


@pytest.mark.parametrize("profile", ["fast", "balanced"])
def test_a_document_that_another_process_indexed_is_in_the_next_answer(root: Path, profile: str) -> None:
    with pinakes.open(root) as library:
        library.sync()
        assert paths(library, "anchorage", profile) == []
        (root / "anchor.md").write_text("# Anchorage\n\nAn anchorage is sheltered water.\n")
        elsewhere(root, "library.sync()")
        assert paths(library, "anchorage", profile)[:1] == ["anchor.md"]


def test_an_index_built_anew_in_the_same_place_by_another_process_answers_next(root: Path) -> None:
    with pinakes.open(root) as library:
        library.sync()
        assert paths(library, "tide") == ["tide.md"]
        before = library.generation
        (root / "tide.md").rename(root / "ebb.md")
        (root / "anchor.md").write_text("# Anchorage\n\nAn anchorage is sheltered.\n")
        elsewhere(root, "library.sync(rebuild=True)")
        assert library.generation <= before  # it counts from the start: generations alone would not tell
        assert paths(library, "tide")[:1] == ["ebb.md"]


@pytest.mark.parametrize("part", ["words", "vectors"])
def test_a_part_that_was_damaged_in_place_is_made_again_before_the_next_answer(root: Path, part: str) -> None:
    with pinakes.open(root) as library:
        library.sync()
        before = library.search("tide")
        for file in (library.config.store / part).rglob("*"):
            if file.is_file() and not file.name.startswith("."):
                file.write_bytes(b"\0" * file.stat().st_size)
        after = library.search("tide")
        assert [(hit.ref, hit.votes) for hit in after.hits] == [(hit.ref, hit.votes) for hit in before.hits]
        assert after.missing == ()


def test_a_word_index_that_cannot_be_opened_is_made_again_before_the_first_answer(root: Path) -> None:
    with pinakes.open(root) as library:
        library.sync()
        assert paths(library, "high water") == ["tide.md"]
    (managed,) = (root / ".pinakes" / "words").glob("*/.managed.json")
    managed.write_text('["../../../tide.md"]')
    with pinakes.open(root) as library:
        assert paths(library, "high water") == ["tide.md"]
        assert "made again" in " ".join(library.corpus().healed)
