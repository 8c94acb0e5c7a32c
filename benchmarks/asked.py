"""Questions as people type them: the hits they see, for somebody to judge, and whether doubt is told.

    python -m benchmarks.asked QUESTIONS FOLDER [--rows 1-17] [--hits 3] [--model static] [--kept FOLDER]
    python -m benchmarks.asked --sets SET… [--model static] [--kept FOLDER]
    python -m benchmarks.asked --typed NAME=FOLDER… [--hits 3] [--model static] [--kept FOLDER]

The first form takes the questions from the first column, called *question*, of the tables of a Markdown file, and
prints each with its hits as `pinakes search` shows them. The second takes sets of graded questions (see docs/eval.md),
and prints how many of those without an answer carry visible doubt, how many of those with one do, and what a threshold
of belief would mark. The third takes `asked.tsv`, which says of each question what an answer must hold: a question is
answered well where the first hit holds it, and partly where a later one among `--hits` does. The hits are printed, too.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from benchmarks.clock import say
from pinakes.evaluation.sets import open_set
from pinakes.evaluation.verdicts import Evaluation
from pinakes.library import Library, open_library
from pinakes.records import Query, Results
from pinakes.render import results_text
from pinakes.render.excerpt import excerpt

TYPED = Path(__file__).with_name("asked.tsv")
_DOUBT = re.compile(r"^(?:Nothing answers|Nothing found|weak\b)", re.IGNORECASE | re.MULTILINE)
_THRESHOLDS = (0.05, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4, 0.5)


class Typed(NamedTuple):
    """A question somebody typed."""

    folder: str
    question: str
    answer: re.Pattern[str]
    """What a hit must hold."""


def has_doubt(text: str) -> bool:
    """Whether somebody who reads this answer is told that it may be none."""
    return bool(_DOUBT.search(text))


def questions_of(file: Path) -> list[str]:
    """The first cells of every table whose first column is called *question*."""
    found: list[str] = []
    is_open = False
    for line in file.read_text(encoding="utf-8").splitlines():
        cell = line.strip().strip("|").partition(" | ")[0].strip()
        if not line.startswith("|"):
            is_open = False
        elif cell == "question":
            is_open = True
        elif is_open and cell.strip("-:| ") and cell != "all":
            found.append(cell)
    return found


def doubt_rows(name: str, found: Evaluation) -> Iterator[str]:
    """What is shown today, then what each threshold of belief would mark."""
    no = [one.results for one in found.verdicts if not one.is_answerable]
    yes = [one.results for one in found.verdicts if one.is_answerable]
    told = [sum(has_doubt(results_text(one, explain=False)) for one in group) for group in (no, yes)]
    yield f"| {name} | shown today | {told[0]} of {len(no)} | {told[1]} of {len(yes)} |"
    for threshold in _THRESHOLDS:
        less = [sum(not one.evidence or one.evidence.belief < threshold for one in group) for group in (no, yes)]
        yield f"| | belief below {threshold:.2f} | {less[0]} of {len(no)} | {less[1]} of {len(yes)} |"


@contextmanager
def opened(folder: Path, kept: Path, model: str = "static") -> Iterator[Library]:
    """The synced library of a folder, with its index elsewhere."""
    store = kept / sha256(f"{folder.resolve()} {model}".encode()).hexdigest()[:12]
    settings = {"store": store, "neural.model": model, "keywords.enabled": False, "history.enabled": False}
    with open_library(folder, settings) as library:
        say(f"index of {folder.name}")
        library.sync()
        yield library


def print_hits(questions: Sequence[str], library: Library, hits: int) -> None:
    for number, question in enumerate(questions, 1):
        answer = library.search(Query(question, limit=hits, profile=library.config.search.profile))
        belief = f"{answer.evidence.belief:.2f}" if answer.evidence else "–"
        print(f"### {number}. {question}\n\nbelief {belief}\n\n```\n{results_text(answer, explain=False)}\n```\n")


def typed_questions(file: Path) -> Iterator[Typed]:
    """The lines of `asked.tsv`."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            folder, question, answer = line.split("\t")
            yield Typed(folder, question, re.compile(answer, re.IGNORECASE | re.MULTILINE))


def verdict(asked: Typed, answer: Results) -> str:
    """Good, partly or failed: by the place of the first hit whose address, title or text as shown holds an answer."""
    shown = [f"{hit.ref}\n{' › '.join(hit.trail)}\n{excerpt(hit).text}" for page in answer.pages() for hit in page]
    place = next((place for place, text in enumerate(shown) if asked.answer.search(text)), None)
    return "failed" if place is None else "partly" if place else "good"


def print_verdicts(folders: Mapping[str, Path], given: argparse.Namespace, kept: Path) -> None:
    """The hits of each question with a verdict, and how many there are of each."""
    counts: Counter[str] = Counter()
    asked = list(typed_questions(TYPED))
    for name, folder in folders.items():
        with opened(folder, kept, given.model) as library:
            for one in (one for one in asked if one.folder == name):
                answer = library.search(Query(one.question, limit=given.hits, group=True))
                counts[said := verdict(one, answer)] += 1
                print(f"### {one.question}\n\n{said}\n\n```\n{results_text(answer, explain=False)}\n```\n")
    print(", ".join(f"{said} {counts[said]}" for said in ("good", "partly", "failed")))


def measure(given: argparse.Namespace, kept: Path) -> None:
    if given.questions:
        first, _, last = given.rows.partition("-")
        asked = questions_of(given.questions)[int(first or 1) - 1 : int(last) if last else None]
        with opened(given.folder, kept, given.model) as library:
            print_hits(asked, library, given.hits)
    if given.sets:
        print("| set | doubt | without an answer | with one |\n|---|---|---:|---:|")
    if given.typed:
        print_verdicts(
            {name: Path(folder) for name, _, folder in (one.partition("=") for one in given.typed)}, given, kept
        )
    for place in given.sets:
        held = open_set(place, kept)
        assert held.root is not None, "the set needs a corpus of its own"
        with opened(held.root, kept, given.model) as library:
            print("\n".join(doubt_rows(place.name, library.eval(held.questions, level=held.level))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path, nargs="?", help="a Markdown file with tables of questions")
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), help="what they are asked of")
    parser.add_argument("--rows", default="1-", help="which of the questions, counted from 1")
    parser.add_argument("--hits", type=int, default=3)
    parser.add_argument("--sets", type=Path, nargs="*", default=[])
    parser.add_argument("--typed", nargs="*", default=[], help="folders that asked.tsv asks, as NAME=FOLDER")
    parser.add_argument("--model", default="static")
    parser.add_argument("--kept", type=Path, help="where indexes are kept for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-asked-") as folder:
        measure(given, given.kept or Path(folder))


if __name__ == "__main__":
    main()
