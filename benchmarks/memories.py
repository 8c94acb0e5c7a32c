"""How long does it take to remember, and to recall?

    python -m benchmarks.memories FOLDER [--memories N]

A copy of FOLDER enters, a table leaves: milliseconds to write a memory that points at real sections and to find it
again, beside the plainest thing that could be done instead, a file written and synced to disk, and a search for the
words in all files.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
from pathlib import Path

import pinakes
from benchmarks.clock import repeated, say
from pinakes.records import Ref


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=50)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "root")
        shutil.copytree(asked.folder, root, ignore=shutil.ignore_patterns(".git", ".pinakes", ".memories"))
        say("indexing the documents")
        with pinakes.open(root) as library:
            library.sync()
            _measure(library, asked.memories, asked.rounds)


def _measure(library: pinakes.Library, count: int, rounds: int) -> None:
    chance = random.Random(1)
    sections = [
        str(Ref("", outline.ref.path, section.anchor))[1:]
        for outline in library.outlines()
        for section in outline.sections[1:]
    ]
    words = [word for section in sections for word in section.partition("#")[2].split("-") if word.isalpha()]

    def text() -> str:
        said = " ".join(chance.choices(words, k=30))
        return f"We plan to change [[{chance.choice(sections)}]] because {said}."

    folder = library.root / ".memories"
    say(f"writing {count:,} memories")
    for _ in range(count):
        library.memories.remember(text())
    library.memories.recall("warm up")
    numbers = iter(range(1_000_000))

    def plain() -> None:
        with (folder / f".plain-{next(numbers)}").open("w") as file:
            file.write(text())
            file.flush()
            os.fsync(file.fileno())

    def found() -> None:
        word = f"zebra{next(numbers)}"
        made = library.memories.remember(f"{text()} {word}")
        assert library.memories.recall(word).found[0].memory.id == made.id

    def grep() -> None:
        wanted = chance.choice(words).encode()
        [path for path in folder.glob("*.md") if wanted in path.read_bytes()]

    name = library.memories.remember("first", "Appended").id
    refs = [outline.ref for outline in library.outlines()][:10]
    rows = {
        "a plain file, written and synced": repeated(plain, rounds),
        "remember, with a link": repeated(lambda: library.memories.remember(text()), rounds),
        "append": repeated(lambda: library.memories.append(name, "more"), rounds),
        "remember and the recall that finds it": repeated(found, min(rounds, 10)),
        "all files searched for a word": repeated(grep, min(rounds, 10)),
        "recall": repeated(lambda: library.memories.recall(" ".join(chance.choices(words, k=3))), rounds),
        "list, with marks": repeated(library.memories.list, 3),
        "who points at ten documents": repeated(lambda: library.memories.pointing(refs), min(rounds, 10)),
    }
    base = rows["a plain file, written and synced"].median
    print(f"{'':<40}{'median ms':>10}{'best ms':>10}{'× plain file':>14}")
    for name, times in rows.items():
        ratio = times.median / base
        print(f"{name:<40}{1000 * times.median:>10.1f}{1000 * times.best:>10.1f}{ratio:>14.1f}")


if __name__ == "__main__":
    main()
