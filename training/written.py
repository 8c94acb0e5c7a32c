"""Questions that people wrote for sections of documentation, in words of their own.

    sections.jsonl    {"id", "source", "file", "title", "path": [headings], "text"}
    questions.jsonl   {"id", "q": ["…", "…", "…"]}

A folder of these two files, packed or not, enters; with the passages of a repository, pairs of a question and the
passage that answers it leave. The first questions of a section are sentences (`written`), the last one is what
somebody types in a hurry (`hurried`).
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from training.material import Pair, Passage, plain

WRITTEN, HURRIED = "written", "hurried"
LEAST_SHARED = 0.6
"""Share of a section's words that the passage must hold to be taken for it."""
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class WrittenFor:
    """A section and the questions that it answers."""

    file: str
    """Counted from the repository's top, or from the folder above it."""
    text: str
    """Its headings and what it says."""
    questions: tuple[str, ...]

    def pairs(self, passage: int) -> Iterator[Pair]:
        """One for each question."""
        for place, question in enumerate(self.questions):
            kind = HURRIED if place and place == len(self.questions) - 1 else WRITTEN
            yield Pair(kind, question, passage, is_bare=False)


def read_written(folder: Path) -> tuple[WrittenFor, ...]:
    """All sections that somebody would ask for."""
    asked = {str(row["id"]): _texts(row["q"]) for row in _rows(folder, "questions.jsonl")}
    return tuple(
        WrittenFor(
            str(row["file"]),
            plain(" ".join((str(row["title"]), *_texts(row["path"]), str(row["text"])))),
            asked[str(row["id"])],
        )
        for row in _rows(folder, "sections.jsonl")
        if asked.get(str(row["id"]))
    )


def about(written: Sequence[WrittenFor], folder: Path) -> Mapping[str, list[WrittenFor]]:
    """Those about a repository, by the path of their file in it."""
    found: dict[str, list[WrittenFor]] = defaultdict(list)
    for one in written:
        inside = one.file.removeprefix(f"{folder.name}/")
        if (folder / inside).is_file():
            found[inside].append(one)
    return found


def answer(one: WrittenFor, passages: Mapping[int, Passage]) -> int | None:
    """The number of the passage that says what the section says; None when none of them does."""
    wanted = _words(one.text)
    shares = {number: _shared(wanted, passage) for number, passage in passages.items()}
    best = max(shares, key=lambda number: shares[number], default=None)
    return best if best is not None and shares[best] >= LEAST_SHARED else None


def _shared(wanted: frozenset[str], passage: Passage) -> float:
    """Words of both against those of the shorter one, and a little more for the one that is as long."""
    held = _words(plain(passage.text))
    both = len(wanted & held)
    return both / max(1, min(len(wanted), len(held))) * 0.9 + both / max(1, len(wanted | held)) * 0.1


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _rows(folder: Path, name: str) -> Iterator[Mapping[str, object]]:
    path = folder / name
    data = path.read_bytes() if path.is_file() else gzip.decompress((folder / f"{name}.gz").read_bytes())
    return (json.loads(line) for line in data.decode("utf-8").splitlines() if line)


def _texts(held: object) -> tuple[str, ...]:
    return tuple(str(one) for one in held) if isinstance(held, list) else ()
