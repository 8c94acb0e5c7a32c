"""Ways to damage files, and what a library answers, so that one can tell whether anybody noticed."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.records import Query

DOCUMENTS = 40

Way = Callable[[Path, random.Random, Sequence[Path]], None]


def _flip(path: Path, chance: random.Random, _: Sequence[Path]) -> None:
    data = bytearray(path.read_bytes() or b"\0")
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _scratch(path: Path, chance: random.Random, __: Sequence[Path]) -> None:
    data = bytearray(path.read_bytes() or b"\0")
    for _ in range(64):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path.write_bytes(data)


def _hole(path: Path, chance: random.Random, _: Sequence[Path]) -> None:
    data = bytearray(path.read_bytes())
    start = chance.randrange(len(data) + 1)
    data[start : start + 4096] = bytes(min(4096, len(data) - start))
    path.write_bytes(data)


def _cut(path: Path, chance: random.Random, _: Sequence[Path]) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data) + 1)])


def _longer(path: Path, chance: random.Random, _: Sequence[Path]) -> None:
    path.write_bytes(path.read_bytes() + chance.randbytes(chance.randrange(1, 9000)))


def _garbage(path: Path, chance: random.Random, _: Sequence[Path]) -> None:
    path.write_bytes(chance.randbytes(path.stat().st_size or 99))


def _another(path: Path, chance: random.Random, others: Sequence[Path]) -> None:
    path.write_bytes(chance.choice(others).read_bytes())


def _folder(path: Path, _: random.Random, __: Sequence[Path]) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("something")


class Planted:
    """Leaves a trace where it is loaded."""

    def __init__(self, trace: Path) -> None:
        self.trace = str(trace)

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return (os.mkdir, (self.trace,))


def _pickle(path: Path, _: random.Random, __: Sequence[Path]) -> None:
    path.write_bytes(pickle.dumps(Planted(path.parents[2] / "loaded")))


WAYS: dict[str, Way] = {
    "one bit": _flip,
    "scratched": _scratch,
    "a hole": _hole,
    "cut": _cut,
    "emptied": lambda path, _, __: os.truncate(path, 0),
    "longer": _longer,
    "garbage": _garbage,
    "another file": _another,
    "removed": lambda path, _, __: path.unlink(),
    "a folder": _folder,
    "a pickle": _pickle,
}


def files_of(store: Path) -> list[Path]:
    """Every file of an index, in a fixed order, but those that were set aside, and the memory that processes share
    while they have it open: a system ends whoever uses such memory after somebody cut it short."""
    return sorted(
        path
        for path in store.rglob("*")
        if path.is_file() and not path.name.endswith("-shm") and not path.relative_to(store).parts[0].startswith("set-")
    )


def laid_out_library(folder: Path) -> Path:
    """A project with linked documents."""
    subjects = ("storage", "network", "printing", "backup", "colour")
    return write_tree(
        folder,
        {"docs/.keep": ""}
        | {
            f"{subjects[number % 5]}/page-{number}.md": f"# {subjects[number % 5].title()} of part {number}\n\n"
            f"How {subjects[number % 5]} works in part {number}: see [the next](../{subjects[(number + 1) % 5]}/"
            f"page-{(number + 1) % DOCUMENTS}.md#details) and word{number}.\n\n## Details\n\n"
            f"Details of {subjects[(number + 2) % 5]}, number {number}, `setting_{number}`.\n"
            for number in range(DOCUMENTS)
        },
    )


QUESTIONS = ("how does storage work", "word17", "details of printing number", "backup setting_23")


def answers(library: Library) -> list[object]:
    """What is asked of the library, as plain values: hits, the map, links, counts."""
    found = [library.search(Query(question, limit=5)) for question in QUESTIONS]
    return [
        [[(str(hit.ref), hit.text, round(hit.score, 4)) for hit in one.hits] for one in found],
        library.map_text().text,
        [str(edge) for edge in library.links("network/page-1.md").incoming],
        library.read("colour/page-4.md#details").text,
        library.status().counts,
    ]


def missing(library: Library) -> list[str]:
    """What answers were given without."""
    return [note for question in QUESTIONS for note in library.search(Query(question, limit=5)).missing]


def rebuilt(root: Path, scratch: Path) -> list[object]:
    """The answers of an index that was just built from the same documents."""
    with pinakes.open(root, {"store": scratch}) as library:
        library.sync()
        found = answers(library)
    shutil.rmtree(scratch)
    return found
