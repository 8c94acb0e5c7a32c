"""A map that looks into few documents is the map of all of them, whatever happened to them before."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import pinakes
from pinakes.graph.measures import section_ranks
from pinakes.library import Library
from pinakes.outline import MapRequest, draw_map

_WORDS = ("Tide", "Harbour", "Anchor", "Lantern", "Rope", "Chart", "Overview", "See also", "Café Ünïcode")


@pytest.mark.parametrize("seed", range(4))
def test_maps_in_a_process_that_stays_are_those_drawn_from_everything(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = tmp_path / "docs"
    for number in range(60):
        _write(root, chance, number)
    with pinakes.open(root, {"keywords.enabled": False}) as library:
        library.sync()
        for _ in range(12):
            budget = chance.choice([60, 300, 900, 2500])
            part = chance.choice(["", "", "", "f1", "f0/g1"])
            assert library.map(part, MapRequest(budget)).text() == _slow(library, part, budget)
            _change(root, chance)
            library.sync()


def test_a_process_that_starts_later_finds_the_same_map(tmp_path: Path) -> None:
    chance = random.Random(9)
    for number in range(60):
        _write(tmp_path, chance, number)
    with pinakes.open(tmp_path, {"keywords.enabled": False}) as library:
        library.sync()
        library.map(request=MapRequest(500))
    for _ in range(4):
        _change(tmp_path, chance)
        with pinakes.open(tmp_path, {"keywords.enabled": False}) as library:
            library.sync()
            assert library.map(request=MapRequest(500)).text() == _slow(library, "", 500)


def _slow(library: Library, part: str, budget: int) -> str:
    """From the outlines of all documents, with ranks made for it."""
    ranks = section_ranks(library.outlines())
    return draw_map(library.outlines(part), ranks, MapRequest(budget), state="keywords: off").text()


def _write(root: Path, chance: random.Random, number: int) -> None:
    file = root / _path(number)
    file.parent.mkdir(parents=True, exist_ok=True)
    alias = f"---\naliases: [name{chance.randrange(6)}]\n---\n" if chance.random() < 0.2 else ""
    lines = [f"{alias}# {chance.choice(_WORDS)} {number}"]
    for _ in range(chance.randrange(5)):
        link = chance.choice(
            [f"[x](/{_path(chance.randrange(70))})", f"[[name{chance.randrange(6)}]]", "![p](/pic.png)", "nothing"]
        )
        lines += ["", f"## {chance.choice(_WORDS)}", "", f"Words and {link}.", *["more"] * chance.randrange(9)]
    file.write_text("\n".join(lines) + "\n", "utf-8")


def _path(number: int) -> str:
    return f"f{number % 3}/g{number % 2}/p{number}/index.md" if number % 4 else f"f{number % 3}/p{number}.md"


def _change(root: Path, chance: random.Random) -> None:
    """A word, a whole document, a new one, one gone, one elsewhere, or a picture that comes or goes."""
    file = chance.choice(sorted(root.rglob("*.md")))
    match chance.randrange(6):
        case 0:
            file.write_text(file.read_text("utf-8") + "\nOne more word.\n", "utf-8")
        case 1 | 2:
            _write(root, chance, chance.randrange(70))
        case 3:
            file.unlink()
        case 4:
            file.rename(file.with_name(f"moved-{chance.randrange(99)}.md"))
        case _:
            picture = root / "pic.png"
            if picture.exists():
                picture.unlink()
            else:
                picture.write_bytes(b"")
