"""Graded questions: a folder with a corpus and what somebody judged to be the right answers.

The format, one JSON object a line in ``queries.jsonl`` (or ``eval.jsonl``)::

    {"id": "q1", "query": "how do I …", "style": "howto",
     "relevant": [{"path": "guide/auth.md", "heading": "tokens", "grade": 2}]}

`path` is relative to the corpus, `heading` an anchor of the section (empty: the text before the first heading), grade 2
answers and 1 helps. A question without anything relevant asks whether the library knows to say nothing. `paths`, when
it is there, lists folders and globs: only there may be looked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from pinakes.errors import ConfigError

NAMES = ("queries.jsonl", "eval.jsonl")


class Judgement(Struct, frozen=True):
    """A section that answers, or helps to."""

    path: str
    heading: str
    grade: int


class Question(Struct, frozen=True):
    """One question and its judged sections."""

    id: str
    text: str
    style: str
    relevant: tuple[Judgement, ...]
    """None when nothing answers it."""
    paths: tuple[str, ...] = ()
    """Where to look, as in `Filter.paths`; none for everywhere."""


def as_line(question: Question) -> str:
    """A question as `load_questions` reads it."""
    held: dict[str, object] = {
        "id": question.id,
        "query": question.text,
        "style": question.style,
        "relevant": [{"path": one.path, "heading": one.heading, "grade": one.grade} for one in question.relevant],
    }
    if question.paths:
        held["paths"] = list(question.paths)
    return json.dumps(held, ensure_ascii=False)


def load_questions(place: Path) -> tuple[Question, ...]:
    """The questions of a file, or of the folder that holds one; raises `ConfigError` naming the line that is wrong."""
    file = next((place / name for name in NAMES if (place / name).is_file()), place)
    if not file.is_file():
        raise ConfigError(f"{place} holds no questions.", f"Name a file, or a folder with {' or '.join(NAMES)}.")
    return tuple(_question(line, where) for line, where in read_lines(file))


def read_lines(file: Path) -> Iterator[tuple[str, str]]:
    """Lines that hold something, each with where it stands; raises `ConfigError` when the file is no text."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as trouble:
        raise ConfigError(f"{file} cannot be read: {trouble.strerror}.", "Check the file; a set needs it.") from trouble
    except UnicodeDecodeError as trouble:
        raise ConfigError(f"{file} is not UTF-8.", "Save it as UTF-8.") from trouble
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield line, f"{file}, line {number}"


def _question(line: str, where: str) -> Question:
    try:
        held = json.loads(line)
        relevant = tuple(
            Judgement(str(one["path"]), str(one.get("heading", "")), int(one.get("grade", 2)))
            for one in held.get("relevant", ())
            if int(one.get("grade", 2)) > 0  # judged, and found to be wrong
        )
        paths = tuple(str(one) for one in held.get("paths", ()))
        return Question(str(held["id"]), str(held["query"]), str(held.get("style", "all")), relevant, paths)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{where} is not a question: {error}.", 'It needs at least "id" and "query".') from error
