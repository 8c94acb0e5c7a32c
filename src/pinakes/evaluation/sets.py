"""Where questions and their documents come from.

A place enters (a folder with ``corpus/`` and ``queries.jsonl``, a folder in the format of BEIR, a file of questions),
a `QuestionSet` leaves: which folder to index, what to ask, and how to judge. Nothing is ever written into a set; what
has to be laid out goes into a folder of our own.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from pinakes.errors import ConfigError
from pinakes.evaluation.questions import Judgement, Question, load_questions, read_lines
from pinakes.evaluation.verdicts import JudgingLevel
from pinakes.user_folders import cache_path

_LONGEST_NAME = 150


class QuestionSet(Struct, frozen=True):
    """Questions and the folder of documents they are about."""

    root: Path | None
    """None when the questions are about whatever library they are asked of."""
    questions: tuple[Question, ...]
    level: JudgingLevel = JudgingLevel.SECTION


def kept_place(place: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """The user's own cache folder for what is made from the set at `place`."""
    real = os.path.realpath(place)
    name = f"{os.path.basename(real) or 'set'}-{sha256(os.fsencode(real)).hexdigest()[:12]}"
    folder = cache_path("eval", environment)
    if folder is None:
        raise ConfigError("There is no folder for caches.", "Set XDG_CACHE_HOME or HOME, or name one with --store.")
    return folder / name


def open_set(place: Path, kept: Path | None = None) -> QuestionSet:
    """The set at `place`; documents that have no files of their own become files in `kept` or in the user's cache."""
    if (place / "corpus.jsonl").is_file():
        folder = (kept or kept_place(place)) / "corpus"
        return QuestionSet(_lay_out(place / "corpus.jsonl", folder), _beir_questions(place), JudgingLevel.DOCUMENT)
    corpus = place / "corpus"
    return QuestionSet(corpus if corpus.is_dir() else None, load_questions(place))


def _lay_out(corpus: Path, folder: Path) -> Path:
    """Every line of a corpus as a file named by its id, since titles repeat; once for each state of the corpus."""
    state = corpus.stat()
    done = folder.with_name(f"{folder.name}.done")
    mark = f"{state.st_size} {state.st_mtime_ns}\n"
    if done.is_file() and done.read_text(encoding="utf-8") == mark:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for held, where in _lines(corpus):
        try:
            name, title, text = str(held["_id"]), " ".join(str(held.get("title") or "").split()), str(held["text"])
        except KeyError as error:
            raise ConfigError(f"{where}: there is no {error}.", 'A document needs "_id" and "text".') from error
        # Without a title it may be anything, code for instance, where a comment is no heading.
        body = f"# {title}\n\n{text}\n" if title else f"{text}\n"
        (folder / file_name(name, has_title=bool(title))).write_text(body, encoding="utf-8")
    done.write_text(mark, encoding="utf-8")
    return folder


def file_name(identity: str, *, has_title: bool) -> str:
    """A document's id as the name of a file, different for different ids."""
    safe = quote(identity, safe=" ")
    if len(safe) > _LONGEST_NAME:
        safe = sha256(identity.encode()).hexdigest()
    return f"d{safe}.md" if has_title else f"d{safe}.txt"


def _beir_questions(place: Path) -> tuple[Question, ...]:
    has_title = {
        str(held.get("_id")): bool(str(held.get("title") or "").split()) for held, _ in _lines(place / "corpus.jsonl")
    }
    relevant: dict[str, list[Judgement]] = defaultdict(list)
    for number, (row, where) in enumerate(read_lines(place / "qrels.tsv")):
        if not number:
            continue  # the names of the columns
        try:
            question, document, grade = row.split("\t")
            judged = int(grade)
        except ValueError as error:
            raise ConfigError(
                f"{where} is not a judgement: {error}.", "It needs three columns, separated by tabs."
            ) from error
        if judged > 0 and document in has_title:
            path = file_name(document, has_title=has_title[document])
            relevant[question].append(Judgement(path, "", judged))
    asked = [(str(held.get("_id")), str(held.get("text", ""))) for held, _ in _lines(place / "queries.jsonl")]
    return tuple(Question(name, text, "all", tuple(relevant[name])) for name, text in asked if name in relevant)


def _lines(file: Path) -> Iterator[tuple[dict[str, object], str]]:
    for line, where in read_lines(file):
        try:
            held = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{where} is not JSON: {error}.", "Correct that line.") from error
        if not isinstance(held, dict):
            raise ConfigError(f"{where} is not an object.", "Correct that line.")
        yield held, where
