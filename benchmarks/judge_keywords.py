"""Are keywords those that a person would choose? A sheet for a judge, and two measures that need none.

    python -m benchmarks.judge_keywords FOLDER… [--before REVISION] [--sections 1000] [--sheet 200] [--keybert 100]

Folders of documents enter. With `--sheet`, so many random sections leave with their keywords, to be judged by eye.
Otherwise the keywords of random sections are asked as questions, to plain BM25 over the sections of the folder and to
the static embedder: the mean of 1/rank of their own section leaves, beside the keywords that an older revision makes
(its source is taken from git and run in a process of its own) and, on fewer sections, beside KeyBERT's way with
MiniLM. Also: how many of the sections whose title occurs five times or more have keywords, and share them with none.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import Stemmer

from benchmarks.folder import open_folder
from benchmarks.keywords import keybert
from benchmarks.made_keywords import made_keywords
from pinakes.neural import load_embedder
from pinakes.parse import parse
from pinakes.prose import visible
from pinakes.records import Document

SEED = 20261116
FEWEST_CHARACTERS = 150
NAMESAKES = 5
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"\w+")

Place = tuple[str, int]
"""A document's path and the number of a section in it."""
Made = Mapping[str, Sequence[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The sections of a folder that say something."""

    places: list[Place]
    titles: list[str]
    texts: list[str]


class Words:
    """Plain BM25 over the sections of a shelf: stems, the title and the text."""

    def __init__(self, shelf: Shelf) -> None:
        self._stem = Stemmer.Stemmer("english").stemWords
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(len(shelf.texts))
        for number, (title, text) in enumerate(zip(shelf.titles, shelf.texts, strict=True)):
            terms = self._terms(f"{title} {text}")
            lengths[number] = len(terms)
            for term, times in Counter(terms).items():
                postings[term].append((number, times))
        norm = _K1 * (1 - _B + _B * lengths / lengths.mean())
        self._size = len(lengths)
        self._scores = {}
        for term, held in postings.items():
            rows, times = np.array(held).T
            idf = np.log(1 + (self._size - len(rows) + 0.5) / (len(rows) + 0.5))
            self._scores[term] = rows, idf * times / (times + norm[rows])

    def _terms(self, text: str) -> list[str]:
        found: list[str] = self._stem(_WORD.findall(text.lower().replace("_", " ")))
        return found

    def scores(self, question: str) -> np.ndarray:
        found = np.zeros(self._size)
        for term in self._terms(question):
            if term in self._scores:
                rows, values = self._scores[term]
                found[rows] += values
        return found


class Meanings:
    """The cosine of the static embedder."""

    def __init__(self, shelf: Shelf) -> None:
        self._embedder = load_embedder("static")
        self._vectors = self._embedder.encode(shelf.texts)

    def scores(self, question: str) -> np.ndarray:
        found: np.ndarray = self._vectors @ self._embedder.encode([question])[0]
        return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge_keywords", description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--before", help="a revision of git to compare with")
    parser.add_argument("--sections", type=int, default=1000, help="so many sections of each folder are asked")
    parser.add_argument("--keybert", type=int, default=100, help="so many of them also by KeyBERT's way; 0 for none")
    parser.add_argument("--sheet", type=int, default=0, help="print so many sections for a judge and nothing else")
    asked = parser.parse_args()
    for folder in asked.folders:
        documents = [parse(raw) for raw in open_folder(folder).markdown.raws]
        shelf = _shelf(documents)
        made: dict[str, Made] = {"now": made_keywords(folder)}
        chosen = random.Random(SEED).sample(range(len(shelf.places)), min(asked.sections, len(shelf.places)))
        if asked.sheet:
            print(_sheet(shelf, made["now"], chosen[: asked.sheet // len(asked.folders)]))
            continue
        if asked.before:
            made = {asked.before: _made_before(asked.before, folder), **made}
        print(f"\n{folder.name}: {len(shelf.places):,} sections with text, {len(chosen):,} asked")
        print(f"{'keywords':<24} {'BM25':>6} {'static':>6} {'none':>6}   namesakes: with, alone")
        readers = Words(shelf), Meanings(shelf)
        for name, words in made.items():
            named = _namesakes(documents, words)
            print(f"{name:<24} {_line(shelf, readers, chosen, _questions(shelf, words, chosen))}   {named}")
        if asked.keybert and find_spec("sklearn"):
            few = chosen[: asked.keybert]
            print(f"on {len(few)} of them")
            for name, words in made.items():
                print(f"{name:<24} {_line(shelf, readers, few, _questions(shelf, words, few))}")
            wanted = [len(_of(made["now"], shelf.places[number])) for number in few]
            theirs = keybert([shelf.texts[number] for number in few], load_embedder("docs").encode)
            said = [" ".join(phrases[:most]) for phrases, most in zip(theirs, wanted, strict=True)]
            print(f"{'KeyBERT, MiniLM':<24} {_line(shelf, readers, few, said)}")


def _shelf(documents: Sequence[Document]) -> Shelf:
    shelf = Shelf([], [], [])
    for document in documents:
        for number, section in enumerate(document.sections):
            text = visible(document, document.own(number))
            if len(text) >= FEWEST_CHARACTERS:
                shelf.places.append((document.ref.path, number))
                shelf.titles.append(section.title or document.title)
                shelf.texts.append(text)
    return shelf


def _made_before(revision: str, folder: Path) -> Made:
    with tempfile.TemporaryDirectory() as kept:
        packed = subprocess.run(["git", "archive", revision, "src/pinakes"], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", kept], input=packed, check=True)
        environment = os.environ | {"PYTHONPATH": f"{kept}/src"}
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks.made_keywords", str(folder.resolve())],
            check=True,
            capture_output=True,
            env=environment,
        ).stdout
    made: Made = json.loads(told)
    return made


def _of(made: Made, place: Place) -> Sequence[str]:
    return made[place[0]][place[1]]


def _questions(shelf: Shelf, made: Made, chosen: Sequence[int]) -> list[str]:
    return [" ".join(_of(made, shelf.places[number])) for number in chosen]


def _line(shelf: Shelf, readers: Sequence[Words | Meanings], chosen: Sequence[int], questions: Sequence[str]) -> str:
    means = []
    for reader in readers:
        total = 0.0
        for number, question in zip(chosen, questions, strict=True):
            if question:
                scores = reader.scores(question)
                total += 1 / (1 + (scores > scores[number]).sum() + 0.5 * ((scores == scores[number]).sum() - 1))
        means.append(total / len(chosen))
    return " ".join(f"{mean:6.3f}" for mean in means) + f" {sum(not question for question in questions):>6}"


def _namesakes(documents: Sequence[Document], made: Made) -> str:
    """Of the sections whose title occurs five times or more, how many have keywords and share them with none."""
    named: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for document in documents:
        for number, section in enumerate(document.sections):
            text = document.own(number).length
            if section.title and text >= FEWEST_CHARACTERS:
                named[section.title.lower()].append(tuple(_of(made, (document.ref.path, number))))
    groups = [group for group in named.values() if len(group) >= NAMESAKES]
    alone = sum(times == 1 for group in groups for words, times in Counter(group).items() if words)
    return f"{sum(bool(words) for group in groups for words in group):,} {alone:,} of {sum(map(len, groups)):,}"


def _sheet(shelf: Shelf, made: Made, chosen: Sequence[int]) -> str:
    lines = ["| section | keywords | begins | fit (0 to n) |", "|---|---|---|---|"]
    for number in chosen:
        path, _ = place = shelf.places[number]
        begins = " ".join(shelf.texts[number].split())[:160].replace("|", "/")
        lines.append(f"| {path} “{shelf.titles[number]}” | {', '.join(_of(made, place))} | {begins} | |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
