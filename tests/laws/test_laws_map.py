"""Laws of the map on real pages: never over budget, the same bytes every time, one edit in one block."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import pinakes
from pinakes import Library, MapRequest
from pinakes.tokens import count_tokens

BUDGETS = (1, 7, 20, 50, 100, 300, 1000, 3000, 8000, 20_000, 60_000)


@pytest.fixture(scope="module")
def pages(laid_out: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for project in sorted((laid_out / "docs-dev" / "corpus").iterdir()):
        shutil.copytree(project, folder / project.name)
    return folder


@pytest.fixture(scope="module")
def library(pages: Path) -> Iterator[Library]:
    with pinakes.open(pages) as opened:
        opened.sync()
        yield opened


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_map_never_exceeds_its_budget(library: Library, budget: int) -> None:
    for focus in ("", "how do I declare a dependency?"):
        drawn = library.map("", MapRequest(budget_tokens=budget, summary=True, tokens=True), focus=focus)
        assert count_tokens(drawn.text()) <= budget


def test_two_indexes_of_the_same_pages_give_the_same_bytes(library: Library, pages: Path, tmp_path: Path) -> None:
    with pinakes.open(pages, {"store": tmp_path / "another"}) as other:
        other.sync()
        for budget in (0, 3000):
            assert other.map("", MapRequest(budget)).text() == library.map("", MapRequest(budget)).text()


def test_an_edited_page_changes_one_block(pages: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(pages, copy, ignore=shutil.ignore_patterns(".pinakes"))
    with pinakes.open(copy, {"keywords.enabled": False}) as library:
        library.sync()
        before = {budget: library.map("", MapRequest(budget)) for budget in (0, 3000)}
        edited = sorted(copy.rglob("*.md"))[7]
        edited.write_text(edited.read_text(encoding="utf-8") + "\nOne more paragraph.\n" * 6, encoding="utf-8")
        library.sync()
        for budget, earlier in before.items():
            digests = earlier.block_digests()
            now = library.map("", MapRequest(budget)).block_digests()
            assert len([block for block in digests if now.get(block) != digests[block]]) <= 1
            assert now.keys() == digests.keys()
        whole = library.map("", MapRequest(0), since=before[0].hash)
        assert len(whole.blocks) == 1
