"""What training reads: passages, pairs that belong together, and questions with known answers.

    passages.jsonl.xz   [page, "Title › Heading …what it says", repository]
    pairs.jsonl.xz      [kind, query, number of the passage, whether without its headings, what is left out of it]
    sets.jsonl.xz       {"name": …, "texts": […], "keys": […], "questions": [{"text", "style", "grades": {key: grade}}]}
    words.jsonl.xz      "webhook": words that documentation is full of, the most common first

All of it is text, so that the machine that trains needs no Pinakes.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"[*_`#>|]+")


def plain(text: str) -> str:
    """Without the signs of Markdown, on one line."""
    return _SPACE.sub(" ", _MARKS.sub(" ", text)).strip()


@dataclass(frozen=True, slots=True)
class Passage:
    """A section as search embeds it."""

    page: int
    """Number of the document it is from; passages of one page are each other's hardest negatives."""
    text: str
    """`title › headings`, a blank line, what it says."""
    repository: int = 0
    """Number of the repository it is from: near misses are looked for among what is about the same thing."""

    @property
    def bare(self) -> str:
        """What it says, without its headings: those before it, and its own where it begins with that."""
        headings, _, said = self.text.partition("\n\n")
        first, _, rest = said.partition("\n\n")
        return plain(rest if plain(headings).endswith(plain(first)) else said)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts that should be near each other."""

    kind: str
    query: str
    passage: int
    is_bare: bool
    """Whether the passage is shown without its headings, because the query is made of them."""
    without: str = ""
    """What is taken out of the passage, because the query is made of it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with known answers."""

    text: str
    style: str
    grades: Mapping[str, float]
    """By key of a text, how much it answers."""


@dataclass(frozen=True, slots=True)
class Exam:
    """Texts and questions about them."""

    name: str
    texts: tuple[str, ...]
    keys: tuple[str, ...]
    questions: tuple[Asked, ...]


def write_lines(path: Path, rows: Iterable[object]) -> int:
    """One JSON value a line, packed; the same rows give the same bytes."""
    count = 0
    with lzma.open(path, "wb", preset=3) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
            count += 1
    return count


def _lines(path: Path) -> Iterator[object]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


@dataclass(frozen=True, slots=True)
class Material:
    """Everything a training run reads."""

    passages: Sequence[Passage]
    pairs: Sequence[Pair]
    exams: Sequence[Exam]
    words: Sequence[str]


def save(folder: Path, made: Material) -> None:
    """Write the material of a training run."""
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "passages.jsonl.xz", ([one.page, one.text, one.repository] for one in made.passages))
    write_lines(
        folder / "pairs.jsonl.xz", ([one.kind, one.query, one.passage, one.is_bare, one.without] for one in made.pairs)
    )
    write_lines(folder / "sets.jsonl.xz", (asdict(exam) for exam in made.exams))
    write_lines(folder / "words.jsonl.xz", made.words)


def load(folder: Path) -> Material:
    """Read it again."""
    passages = [Passage(*row) for row in _lines(folder / "passages.jsonl.xz")]  # type: ignore[misc]
    pairs = [Pair(*row) for row in _lines(folder / "pairs.jsonl.xz")]  # type: ignore[misc]
    exams = []
    for row in _lines(folder / "sets.jsonl.xz"):
        assert isinstance(row, dict)
        questions = tuple(Asked(one["text"], one["style"], one["grades"]) for one in row["questions"])
        exams.append(Exam(row["name"], tuple(row["texts"]), tuple(row["keys"]), questions))
    return Material(passages, pairs, exams, [str(word) for word in _lines(folder / "words.jsonl.xz")])


def tiny(whole: Material, most: int = 120) -> Material:
    """So little of it that a run takes seconds."""
    pairs = sorted(whole.pairs, key=lambda pair: not pair.kind.startswith(("written", "hurried")))[:most]
    kept = sorted({pair.passage for pair in pairs} | set(range(min(most, len(whole.passages)))))
    places = {number: place for place, number in enumerate(kept)}
    exams = [
        replace(exam, texts=exam.texts[:60], keys=exam.keys[:60], questions=exam.questions[:8]) for exam in whole.exams
    ]
    return Material(
        [whole.passages[number] for number in kept],
        [replace(pair, passage=places[pair.passage]) for pair in pairs],
        exams,
        whole.words,
    )
