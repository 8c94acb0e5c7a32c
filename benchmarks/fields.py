"""What would a weight of its own for each field of a document be worth? Words alone, by BM25F, in memory.

    python -m benchmarks.fields [--sets SET…] [--folders FOLDER…] [--kept FOLDER]

Sets of graded questions enter, and folders, whose questions are made from their documents (docs/eval.md). For each
field the NDCG@10 leaves that a weight from 0 to 5 gives while all others stay as they are today; where no question can
tell, the row says in how many documents the field occurs. The index is not touched: this decides whether it should be.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path

from benchmarks.asked import opened
from benchmarks.clock import say
from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import open_set
from pinakes.evaluation.verdicts import evaluate
from pinakes.library import Library
from pinakes.prose import visible
from pinakes.records import Document, Query, QuestionKind, Results, Slice
from pinakes.words import parse_question
from pinakes.words.tokenize import Terms, english

TODAY = {
    "body": 1.0,
    "title": 1.3,
    "headings": 1.3,
    "keywords": 1.0,
    "description": 1.0,
    "tags": 1.0,
    "aliases": 1.0,
    "author": 1.0,
    "path": 1.0,
}
"""All words count 1, what a section is called 0.3 more. Fields of the page stand in its first section only."""
WEIGHTS = (0.0, 1.0, 1.3, 2.0, 3.0, 5.0)
_K1, _B = 1.2, 0.75
_LIMIT = 15


class Fields:
    """Every section of a library with the terms of each of its fields."""

    def __init__(self, library: Library) -> None:
        self._terms = Terms(english())
        self._slices: list[Slice] = []
        self._postings: dict[str, dict[int, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
        self._lengths: list[int] = []
        self.having: Counter[str] = Counter()
        """In how many documents each field occurs; in how many sections, for headings."""
        reader = library.corpus().store
        for outline in library.outlines():
            document = reader.document(outline.ref)
            assert document is not None
            first = True
            places = reader.places([document.section_ref(at) for at in range(len(document.sections))])
            slices = reader.slices(list(places.values()))
            for position in range(len(document.sections)):
                ref = document.section_ref(position)
                if ref in places and places[ref] in slices:
                    self._add(document, position, slices[places[ref]], is_first=first)
                    first = False
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def _add(self, document: Document, position: int, found: Slice, *, is_first: bool) -> None:
        known, trail = document.metadata, document.trail(position)
        texts = {
            "body": visible(document, document.own(position)),
            "title": document.title,
            "headings": " ".join(title for title in trail if title != document.title),
        }
        if is_first:
            texts |= {
                "keywords": " ".join(known.keywords),
                "description": known.description,
                "tags": " ".join(document.tags),
                "aliases": " ".join(known.aliases),
                "author": known.author,
                "path": document.ref.path.rpartition(".")[0],
            }
            self.having.update(name for name, text in texts.items() if text and name != "headings")
        self.having["headings"] += bool(texts["headings"])
        number, length = len(self._slices), 0
        for name, text in texts.items():
            line, besides = self._terms.of(text)
            counted = Counter((line + " " + besides).split())
            length += sum(counted.values())
            for term, times in counted.items():
                self._postings[term][number][name] = times
        self._slices.append(found)
        self._lengths.append(length)

    def search(self, text: str, weights: Mapping[str, float]) -> Results:
        """BM25F: the weighted counts of all fields are added before they saturate."""
        scores: dict[int, float] = defaultdict(float)
        size = len(self._slices)
        for term in {stem for word in parse_question(text).terms for stem in self._terms.of(word)[0].split()}:
            held = self._postings.get(term, {})
            rarity = log(1 + (size - len(held) + 0.5) / (len(held) + 0.5))
            for number, fields in held.items():
                times = sum(weights[name] * count for name, count in fields.items())
                scores[number] += rarity * times / (times + _K1 * (1 - _B + _B * self._lengths[number] / self._mean))
        best = sorted(scores, key=lambda number: (-scores[number], number))[:_LIMIT]
        hits = tuple(self._slices[number].hit(scores[number], (), (), ()) for number in best if scores[number])
        return Results(Query(text), QuestionKind.EXPLORATORY, hits, ())


def rows(library: Library, questions: Sequence[Question]) -> Iterator[str]:
    """A row for each field: NDCG@10 by its weight."""
    fields = Fields(library)
    reader = library.corpus().store

    def asked_by(weights: Mapping[str, float]) -> Callable[[Question], Results]:
        return lambda one: fields.search(one.text, weights)

    for name in TODAY:
        if not fields.having[name] or name == "body":
            continue
        cells = []
        for weight in WEIGHTS:
            found = evaluate(questions, asked_by({**TODAY, name: weight}), reader)
            cells.append(f"{found.row().ndcg:.3f}")
        yield f"| {name}, in {fields.having[name]:,}, now {TODAY[name]:g} | {' | '.join(cells)} |"


def print_table(name: str, library: Library, questions: Sequence[Question]) -> None:
    say(f"{name}: {len(questions)} questions")
    print(f"{name}: NDCG@10 of {len(questions)} questions by the weight of each field\n")
    print(f"| field | {' | '.join(f'{weight:g}' for weight in WEIGHTS)} |")
    print("|---" + "|---:" * len(WEIGHTS) + "|")
    print("\n".join(rows(library, questions)), end="\n\n")


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
