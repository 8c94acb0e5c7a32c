"""Every file of the store damaged, truncated, removed or replaced: no wrong and no silently empty answer. What can be
made again is made again without being asked, and said; the rest is refused with the next step."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

import pinakes
from kits.damage import WAYS, answers, files_of, laid_out_library, missing, rebuilt
from kits.store import copied
from pinakes import Library, PinakesError

ROUNDS = int(os.environ.get("PINAKES_DAMAGES", "120"))
SHARDS = 4


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[object]]:
    """A root whose index was asked everything once, and what a fresh one answers."""
    folder = tmp_path_factory.mktemp("sound")
    root = laid_out_library(folder / "root")
    truth = rebuilt(root, folder / "scratch")
    with pinakes.open(root) as library:
        library.sync()
        assert answers(library) == truth
    return root, truth


def restored(sound: Path, root: Path) -> None:
    """A sound index again."""
    shutil.rmtree(root / ".pinakes", ignore_errors=True)
    copied(sound / ".pinakes", root / ".pinakes")


def ask(library: Library, truth: list[object]) -> str:
    """Right, told what is missing, or refused with the next step. Anything else fails."""
    try:
        without = missing(library)
        found = answers(library)
    except PinakesError as error:
        assert error.next_step, error
        return "refused"
    if without or missing(library):
        return "told"
    assert found == truth
    return "right"


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
def test_whatever_happens_to_a_file_no_answer_is_wrong(
    sound: tuple[Path, list[object]], tmp_path: Path, shard: int, *, is_open: bool
) -> None:
    home, truth = sound
    root = Path(shutil.copytree(home, tmp_path / "root"))
    chance = random.Random(1000 * shard + is_open)
    ways = list(WAYS)
    for number in range(ROUNDS // SHARDS // 2):
        restored(home, root)
        library = pinakes.open(root)
        if is_open:
            assert answers(library) == truth
        files = files_of(root / ".pinakes")
        harmed = chance.choice([file for file in files if file.name.startswith("library.db")] if number % 3 else files)
        way = chance.choice(ways)
        what = f"round {number}: {harmed.relative_to(root)} {way}"
        WAYS[way](harmed, chance, files)
        try:
            before = ask(library, truth)
            library.refresh()
            # The first answer may say that a part is being made again.
            outcome = (before, ask(library, truth), ask(library, truth))
            assert outcome[-1] == "right", f"{what}: {outcome}"
        except BaseException as error:
            error.add_note(what)
            raise
        finally:
            library.close()
        with pinakes.open(root) as again:
            assert ask(again, truth) == "right", what
            assert all(one.is_sound for one in again.doctor()), what
    assert not (root / "loaded").exists()
    assert not (root / ".pinakes" / "loaded").exists()
