"""What a map is worth: can a reader who sees nothing else pick the right files and sections?

    python -m benchmarks.map_reading PLACE [--first REVISION] [--kept FOLDER]

A set of graded questions enters (see docs/eval.md), or a folder of documents, from which questions are made (link texts
and first sentences of sections). For each budget and each way to print a map, two fixed readers choose the five files
and the five sections whose printed lines fit a question best: one by the words they share, rare ones more, one by
static embeddings. A line is read together with the path it stands under. Recall of graded pages and sections leaves.

The ways: `map` as the library draws it; `paths`, a list of all paths until the budget ends; `headings`, files with all
their headings in the order of their paths until the budget ends; `ranked`, files by PageRank, each with all of its
headings or not at all; and with `--first`, the program of an earlier revision, run from git.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks.clock import say
from pinakes.evaluation.headings import Headings
from pinakes.evaluation.makers import make_questions
from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import open_set
from pinakes.graph.measures import section_ranks
from pinakes.library import Library, open_library
from pinakes.neural import load_embedder
from pinakes.outline import Map, MapRequest
from pinakes.ports import Embedder
from pinakes.records import DOCS, Outline, Ref
from pinakes.render import one_line
from pinakes.tokens import count_tokens
from pinakes.words.tokenize import Terms, english

_FOLDER = re.compile(r"\S.*/( …\d+)?")
BUDGETS = (1000, 2000, 4000, 8000)
PICKED = 5
MADE = ("link", "sentence")
MADE_OF_EACH = 500

Place = tuple[str, int]
"""A path and the position of a section; 0 for the file itself."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a reader sees of a file or a section."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question and the places that answer it or help to."""

    text: str
    pages: frozenset[str]
    sections: frozenset[Place]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.map_reading", description=__doc__)
    parser.add_argument("place", type=Path, help="a set of graded questions, or a folder of documents")
    parser.add_argument("--first", default="", help="a revision whose program draws its map, too")
    parser.add_argument("--kept", type=Path, help="where the indexes go, to be used again; a temporary folder else")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        kept = asked.kept or Path(scratch)
        found = open_set(asked.place, kept) if (asked.place / "queries.jsonl").exists() else None
        root = (found.root if found else None) or asked.place
        with open_library(root, {"store": kept / "store"}) as library:
            say("indexing")
            library.sync()
            questions = found.questions if found else _made(library)
            wanted = _wanted(library, questions)
            ways = {"map": lambda budget: list(_drawn(library, budget)), **_rivals(library)}
            if asked.first:
                say(f"indexing with {asked.first}")
                ways["first"] = _first(asked.first, root, kept, Path(scratch), _outlines(library))
            sys.stdout.write(_table(ways, wanted))
            shares = ", ".join(f"{path_share(library.map('', MapRequest(budget))):.0%}" for budget in BUDGETS)
            sys.stdout.write(f"\npaths take {shares} of the characters of the map\n")


def _table(ways: Mapping[str, Callable[[int], list[Line]]], wanted: Sequence[Wanted]) -> str:
    rows = [
        f"{len(wanted)} questions; recall of pages / of sections among the {PICKED} picked, by words and by meaning",
        "",
        "| budget | way | lines | tokens | pages, words | pages, meaning | sections, words | sections, meaning |",
        "|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    embedder = load_embedder()
    for budget in BUDGETS:
        for name, way in ways.items():
            say(f"{name} in {budget} tokens")
            lines = way(budget)
            tokens = sum(count_tokens(line.text) + 1 for line in lines)
            figures = [_recall(lines, wanted, read) for read in (_by_words(lines), _by_meaning(lines, embedder))]
            pages, sections = zip(*figures, strict=True)
            shares = " | ".join(f"{share:.3f}" for share in (*pages, *sections))
            rows.append(f"| {budget:,} | {name} | {len(lines):,} | {tokens:,} | {shares} |")
    return "\n".join(rows) + "\n"


def path_share(drawn: Map) -> float:
    """Which share of the characters of a map are paths: lines of folders, names of files, targets of links and the
    table of short names; their indentation included."""
    text = drawn.text()
    names = {block.id.rpartition("/")[2] for block in drawn.blocks}
    taken = 0
    for line in text.split("\n"):
        said = line.lstrip()
        if said.startswith(("→ ", "links: ")) or line in drawn.aliases or _FOLDER.fullmatch(said):
            taken += len(line) + 1
        elif not said.startswith(("#", "legend: ", ">")):
            taken += max((len(line) - len(said) + len(name) for name in names if said.startswith(name)), default=0)
    return taken / max(len(text), 1)


# The ways to print a map.


def _drawn(library: Library, budget: int) -> Iterator[Line]:
    for block in library.map("", MapRequest(budget)).blocks:
        head, *below = block.text.split("\n")
        yield Line((block.id, 0), head)
        yield from _headings(block.file.outline, below)


def _rivals(library: Library) -> Mapping[str, Callable[[int], list[Line]]]:
    outlines = _outlines(library)
    ranks = section_ranks(outlines)
    by_rank = sorted(outlines, key=lambda outline: (-sum(ranks[outline.ref.path]), outline.ref.path))

    def whole(ordered: Sequence[Outline], budget: int, *, ends: bool) -> list[Line]:
        """Files with all their headings. The first that does not fit `ends` the map, or is only named."""
        found: list[Line] = []
        for outline in ordered:
            lines = [Line((outline.ref.path, 0), outline.ref.path)]
            lines += [
                Line((outline.ref.path, place), f"{'#' * section.level} {one_line(section.title)}")
                for place, section in enumerate(outline.sections[1:], 1)
            ]
            budget -= _cost(lines)
            if budget < 0 and ends:
                return found + _fitting(lines, budget + _cost(lines))
            if budget < 0:
                return found
            found += lines
        return found

    return {
        "paths": lambda budget: _fitting([Line((one.ref.path, 0), one.ref.path) for one in outlines], budget),
        "headings": lambda budget: whole(outlines, budget, ends=True),
        "ranked": lambda budget: whole(by_rank, budget, ends=False),
    }


def _fitting(lines: Sequence[Line], budget: int) -> list[Line]:
    found = []
    for line in lines:
        budget -= count_tokens(line.text) + 1
        if budget < 0:
            break
        found.append(line)
    return found


def _cost(lines: Sequence[Line]) -> int:
    return sum(count_tokens(line.text) + 1 for line in lines)


def _first(
    revision: str, root: Path, kept: Path, scratch: Path, outlines: Sequence[Outline]
) -> Callable[[int], list[Line]]:
    """The program of an earlier revision, whose maps name files by whole paths and short names explained above."""
    project = Path(__file__).resolve().parents[1]
    packed = subprocess.run(["git", "archive", revision, "src"], cwd=project, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(scratch / "first", filter="data")
    environment = {**os.environ, "PYTHONPATH": str(scratch / "first" / "src")}
    known = {outline.ref.path: outline for outline in outlines}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "pinakes", *arguments, "--root", str(root), "--store", str(kept / "first")]
        return subprocess.run(command, env=environment, cwd=scratch, capture_output=True, check=True, text=True).stdout

    run("sync")

    def way(budget: int) -> list[Line]:
        found: list[Line] = []
        names: dict[str, str] = {}
        outline, below = None, []
        for line in [*run("map", "--no-sync", "--budget", str(budget)).splitlines(), ""]:
            if line.startswith(" "):
                below.append(line)
                continue
            if outline is not None:
                found += _headings(outline, below)
            outline, below = None, []
            name, is_name, folder = line.partition(" = ")
            if line.startswith("@") and is_name:
                names[name] = folder
                continue
            short = line.split("/")[0] + "/"
            spelled = names[short] + line[len(short) :] if short in names else line
            path = next((spelled[:end] for end in _ends(spelled) if spelled[:end] in known), "")
            if path:
                outline = known[path]
                found.append(Line((path, 0), line))
        return found

    return way


def _ends(line: str) -> Iterator[int]:
    yield len(line)
    yield from (place for place, letter in enumerate(line) if letter == " ")


def _headings(outline: Outline, lines: Sequence[str]) -> Iterator[Line]:
    """The lines that are headings, each with the section that it is of: sections are printed in reading order."""
    place = 0
    for line in lines:
        marks, _, text = line.strip().partition(" ")
        if not marks or marks.strip("#"):
            continue
        for later in range(place + 1, len(outline.sections)):
            section = outline.sections[later]
            if min(section.level, 6) == len(marks) and text.startswith(one_line(section.title, 100).rstrip("…")):
                place = later
                yield Line((outline.ref.path, place), line.strip())
                break


# The readers.

Read = Callable[[str], "np.ndarray[tuple[int], np.dtype[np.float64]]"]
"""A question enters, a figure for each line leaves."""


def _with_path(line: Line) -> str:
    return f"{line.place[0].replace('/', ' ').replace('-', ' ').replace('_', ' ')} {line.text}"


def _by_words(lines: Sequence[Line]) -> Read:
    terms = Terms(english())
    sets = [set(terms.of(_with_path(line))[0].split()) for line in lines]
    often = Counter(term for one in sets for term in one)

    def read(question: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        weights = {term: log(1 + len(sets) / often[term]) for term in terms.of(question)[0].split() if term in often}
        return np.array([sum(weight for term, weight in weights.items() if term in one) for one in sets])

    return read


def _by_meaning(lines: Sequence[Line], embedder: Embedder) -> Read:
    vectors = np.asarray(embedder.encode([_with_path(line) for line in lines]), np.float64)

    def read(question: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        asked = np.asarray(embedder.encode([question])[0], np.float64)
        found: np.ndarray[tuple[int], np.dtype[np.float64]] = vectors @ asked
        return found

    return read


def _recall(lines: Sequence[Line], wanted: Sequence[Wanted], read: Read) -> tuple[float, float]:
    pages, sections = [], []
    for one in wanted:
        figures = read(one.text)
        # Of equals the first, as a reader would; lines that share nothing with the question are not picked.
        order = [place for place in np.argsort(-figures, kind="stable") if figures[place] > 0]
        files = list(dict.fromkeys(lines[place].place[0] for place in order))[:PICKED]
        picked = [lines[place].place for place in order if lines[place].place[1]][:PICKED]
        pages.append(len(one.pages.intersection(files)) / min(len(one.pages), PICKED))
        sections.append(len(one.sections.intersection(picked)) / min(len(one.sections), PICKED))
    return mean(pages), mean(sections)


# The questions.


def _made(library: Library) -> Sequence[Question]:
    made = make_questions(library.corpus().store, most=MADE_OF_EACH)
    return [question for question in made if question.style in MADE]


def _outlines(library: Library) -> Sequence[Outline]:
    return sorted(library.corpus().index.outlines(DOCS, ""), key=lambda outline: outline.ref.path)


def _wanted(library: Library, questions: Sequence[Question]) -> Sequence[Wanted]:
    """Questions that have an answer; judged headings as positions."""
    found = []
    known: dict[str, Headings] = {}
    for question in questions:
        places: set[Place] = set()
        for judged in question.relevant:
            if judged.path not in known:
                document = library.corpus().store.document(Ref(DOCS, judged.path))
                if document is None:
                    continue
                known[judged.path] = Headings(document)
            position = known[judged.path].find(judged.heading)
            places.add((judged.path, position or 0))
        if places:
            inner = frozenset(place for place in places if place[1]) or frozenset(places)
            found.append(Wanted(question.text, frozenset(path for path, _ in places), inner))
    return found


if __name__ == "__main__":
    main()
