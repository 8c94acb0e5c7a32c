"""What is the weight of each field of a document worth? Words alone, by the word index itself.

    python -m benchmarks.fields [--sets SET…] [--folders FOLDER…] [--kept FOLDER]

Sets of graded questions enter, and folders, whose questions are made from their documents (docs/eval.md). An index is
made for each weight of each field while all others stay as they are, and for each weight of all of them together
(`ABOUT_WEIGHT`). A table of NDCG@10 leaves.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.asked import opened
from benchmarks.clock import say
from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import open_set
from pinakes.evaluation.verdicts import evaluate
from pinakes.library import Library
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader
from pinakes.records import ParsedQuestion, Query, QuestionKind, Results, Scored, best_first
from pinakes.words import ask, parse_question
from pinakes.words.engine import add_rows, create, open_index, writing
from pinakes.words.fields import FIELDS, rows
from pinakes.words.manifest import Manifest
from pinakes.words.snapshot import OpenIndex, WordSnapshot
from pinakes.words.tokenize import Terms, as_written, english

COUNTS = (0, 1, 3, 6)
SHARES = (0.0, 0.035, 0.07, 0.15, 0.3, 0.5)
_CANDIDATES = 60
_LIMIT = 15


def indexed(reader: Reader, folder: Path, weights: Mapping[str, int]) -> WordSnapshot:
    """All documents, each field as often in `about` as it weighs."""
    place = OwnFolder(folder, 1)
    prose, code = Terms(english()), Terms(as_written)
    with writing(create(place), place, much=True) as writer:
        for numbered in reader.documents_by_number(reader.feed(0).changed):
            add_rows(writer, numbered.number, tuple(rows(numbered, prose, code, weights)))
    index = open_index(place)
    return WordSnapshot(place, english(), OpenIndex(index.searcher(), index.schema, Manifest("", "", 0, "", {})))


def measured(index: WordSnapshot, questions: Sequence[Question], reader: Reader) -> float:
    """NDCG@10 by words alone, which look twice, as in search."""

    def best(asked: ParsedQuestion) -> list[Scored]:
        found = index.match(asked, None, _CANDIDATES)
        return best_first(map(Scored._make, index.scores(asked, [one.chunk for one in found]).items()))[:_LIMIT]

    def answer(question: Question) -> Results:
        found = best(parse_question(question.text))
        slices = reader.slices([one.chunk for one in found])
        hits = tuple(slices[one.chunk].hit(one.score, (), (), ()) for one in found)
        return Results(Query(question.text), QuestionKind.EXPLORATORY, hits, ())

    return evaluate(questions, answer, reader).row().ndcg


def table(library: Library, questions: Sequence[Question], folder: Path) -> Iterator[str]:
    """A row for all fields together, by their weight, and one for each, by its count."""
    reader = library.corpus().store
    usual = ask.SHARES
    index = indexed(reader, folder / "usual", FIELDS)
    cells = []
    for share in SHARES:
        ask.SHARES = (("words", 1.0), ("about", share))
        cells.append(f"{share:g}: {measured(index, questions, reader):.4f}")
    ask.SHARES = usual
    yield f"| all, now {ask.ABOUT_WEIGHT:g} | {', '.join(cells)} |"
    for name, now in FIELDS.items():
        say(name)
        cells = []
        for times in COUNTS:
            index = indexed(reader, folder / f"{name}-{times}", {**FIELDS, name: times})
            cells.append(f"{times}: {measured(index, questions, reader):.4f}")
        yield f"| {name}, now {now} | {', '.join(cells)} |"


def print_table(name: str, library: Library, questions: Sequence[Question]) -> None:
    say(f"{name}: {len(questions)} questions")
    print(
        f"{name}: NDCG@10 of {len(questions)} questions by the weight of each field\n\n| field | NDCG@10 |\n|---|---|"
    )
    with tempfile.TemporaryDirectory(prefix="pinakes-fields-") as folder:
        for row in table(library, questions, Path(folder)):
            print(row, flush=True)
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, nargs="*", default=[])
    parser.add_argument("--folders", type=Path, nargs="*", default=[])
    parser.add_argument("--kept", type=Path, help="where indexes are kept for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-fields-") as folder:
        kept = given.kept or Path(folder)
        for place in given.sets:
            held = open_set(place, kept)
            assert held.root is not None, "the set needs a corpus of its own"
            with opened(held.root, kept) as library:
                print_table(place.name, library, held.questions)
        for place in given.folders:
            with opened(place, kept) as library:
                print_table(place.name, library, library.questions())


if __name__ == "__main__":
    main()
