"""A folder where everything of one size is kept, so that a later run builds nothing again.

corpus/           the documents
store/            Pinakes' index of them
passages.jsonl    every section-level passage as others get it: its headings and its text, a string a line
vectors.npy       their vectors by the static embedder, float32, in the same order
indexed/NAME/     what a rival made of them
built/NAME.json   what making it took; there when it is whole
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Ask = Callable[[str], int]
"""From a question to how many answers there are."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The kept folder of one size."""

    place: Path

    @property
    def corpus(self) -> Path:
        return self.place / "corpus"

    @property
    def store(self) -> Path:
        return self.place / "store"

    @property
    def vectors(self) -> Path:
        return self.place / "vectors.npy"

    @property
    def passages(self) -> Path:
        return self.place / "passages.jsonl"

    def indexed(self, name: str) -> Path:
        return self.place / "indexed" / name

    def texts(self) -> Iterator[str]:
        with self.passages.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    def once(self, name: str, make: Callable[[], dict[str, float]]) -> dict[str, float]:
        """What making something took: made now, or read from when it was."""
        note = self.place / "built" / f"{name}.json"
        if note.is_file():
            known: dict[str, float] = json.loads(note.read_text(encoding="utf-8"))
            return known
        shutil.rmtree(self.indexed(name), ignore_errors=True)
        took = make()
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(took), encoding="utf-8")
        return took


def bytes_in(folder: Path) -> int:
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)
