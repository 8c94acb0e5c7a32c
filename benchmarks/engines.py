"""Does a library answer alike from a folder and from a database, and how fast is each?

    python -m benchmarks.engines SET [--store URL] [--model static]
    python -m benchmarks.engines FOLDER [--store URL] --passages 100000 [--kept FOLDER] [--rounds 3] [--most 200]
    python -m benchmarks.engines FOLDER [--store URL] --passages 1000000 --libraries 50

A set of graded questions enters (a folder with `corpus/` and `queries.jsonl`): the NDCG of both engines leaves, and how
much of the first ten hits is the same. A folder of Markdown enters with `--passages`: about so many section-level
passages are laid out from it and indexed by both, and the times leave, of indexing and of answers in the same run,
question by question in turns. With `--libraries` they are laid out in as many libraries, and the times of answers are
those of all libraries and of the one that a question was made from. The database is that of PINAKES_STORE_URL; what is
made there is removed again, unless `--kept` names a folder for all of it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clock import say
from benchmarks.folder import open_folder
from benchmarks.search.grow import lay_out, lay_out_libraries, passages_each
from benchmarks.table import machine
from pinakes.config import load_config
from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import open_set
from pinakes.evaluation.speed import Spread, sample, spread
from pinakes.evaluation.verdicts import Evaluation, evaluate
from pinakes.library import Library, open_library
from pinakes.library.databases import migrate_database, remove_library
from pinakes.library.everywhere import Opener, search_libraries
from pinakes.records import Query
from pinakes.sources import FolderSource

TEN = 10
MOST_NDCG_APART, LEAST_ALIKE = 0.005, 0.95
FOLDER, DATABASE = "SQLite", "PostgreSQL"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How much two evaluations of the same questions have in common."""

    ndcg: Mapping[str, float]
    alike: float
    """Of the first ten hits of each question, the share that the other engine has among its first ten."""
    in_order: float
    """Questions whose first ten are the same in the same order."""

    @property
    def is_kept(self) -> bool:
        one, other = self.ndcg.values()
        return abs(one - other) <= MOST_NDCG_APART and self.alike >= LEAST_ALIKE


def compare(one: Evaluation, other: Evaluation) -> Agreement:
    """Both must have been asked the same questions."""
    shares, in_order = [], 0
    for left, right in zip(one.verdicts, other.verdicts, strict=True):
        mine, theirs = ([hit.ref for hit in verdict.results.hits[:TEN]] for verdict in (left, right))
        shares.append(len({*mine} & {*theirs}) / max(1, len({*mine} | {*theirs})) if mine != theirs else 1.0)
        in_order += mine == theirs
    ndcg = {FOLDER: one.row().ndcg, DATABASE: other.row().ndcg}
    return Agreement(ndcg, sum(shares) / max(1, len(shares)), in_order / max(1, len(shares)))


def opened(root: Path, kept: Path, url: str, model: str) -> tuple[Library, str]:
    """The library of a folder, in a folder or with a `url` in that database, and what it is called there."""
    settings: dict[str, object] = {"keywords.enabled": False, "history.enabled": False, "neural.model": model}
    name = f"benchmark {root.resolve()} {model}"
    if url:
        settings |= {"store": kept / "beside", "store.url": url, "store.library": name}
    else:
        settings |= {"store": kept / "index", "store.url": ""}  # whatever the environment names
    return open_library(root, settings), name


def indexed(library: Library, questions: Sequence[Question]) -> tuple[float, float]:
    """Seconds until the rows are there, and until the first answer by words and vectors."""
    started = time.perf_counter()
    library.sync()
    rows = time.perf_counter() - started
    library.search(Query(questions[0].text if questions else "index"))
    return rows, time.perf_counter() - started


def answered(libraries: Mapping[str, Library], questions: Sequence[Question], rounds: int) -> dict[str, Spread]:
    """How long answers take: every engine is asked a question before the next one is."""
    for one in libraries.values():
        for question in questions:
            one.search(Query(question.text))
    seconds: dict[str, list[float]] = {name: [] for name in libraries}
    for question in [*questions] * rounds:
        for name, one in libraries.items():
            started = time.perf_counter()
            one.search(Query(question.text))
            seconds[name].append(time.perf_counter() - started)
    return {name: spread(some) for name, some in seconds.items()}


@dataclass(frozen=True, slots=True)
class AskedLibraries:
    """What an engine answers about many libraries."""

    all_s: Spread
    one_s: Spread
    firsts: Sequence[str]
    """The first hit of all libraries, for each question."""


def asked_libraries(
    engines: Mapping[str, Mapping[str, Library]], questions: Sequence[tuple[str, Question]], rounds: int
) -> dict[str, AskedLibraries]:
    """Every engine is asked a question, of all libraries and of that it was made from, before the next one is."""
    seconds: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in engines}
    firsts: dict[str, list[str]] = {name: [] for name in engines}
    for turn in range(rounds + 1):  # the first is not counted: it reads what the others find in memory
        for home, question in questions:
            for name, libraries in engines.items():
                openers = {one: _opener(opened) for one, opened in libraries.items()}
                started = time.perf_counter()
                found = search_libraries(openers, lambda _, text=question.text: Query(text))  # type: ignore[misc]
                between = time.perf_counter()
                libraries[home].search(Query(question.text))
                if turn:
                    seconds[name][0].append(between - started)
                    seconds[name][1].append(time.perf_counter() - between)
                else:
                    firsts[name].append(" ".join(f"{hit.home} {hit.ref}" for hit in found.hits[:1]))
    return {name: AskedLibraries(spread(every), spread(one), firsts[name]) for name, (every, one) in seconds.items()}


def _opener(library: Library) -> Opener:
    return lambda: nullcontext(library)


def main(arguments: list[str] | None = None) -> int:
    wanted = _arguments().parse_args(arguments)
    if not wanted.store:
        say("Name a database with --store or PINAKES_STORE_URL.")
        return 2
    migrate_database(wanted.store)
    with ExitStack() as stack:
        kept = wanted.kept or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pinakes-engines-")))
        if wanted.libraries:
            return _many_libraries(wanted, kept, stack)
        root = _laid_out(wanted.place, wanted.passages, kept) if wanted.passages else wanted.place
        found = open_set(root) if not wanted.passages else None
        folder, _ = opened(found.root if found and found.root else root, kept, "", wanted.model)
        database, name = opened(found.root if found and found.root else root, kept, wanted.store, wanted.model)
        stack.callback(folder.close)
        stack.callback(database.close)
        if not wanted.kept:
            stack.callback(remove_library, wanted.store, name)
        libraries = {FOLDER: folder, DATABASE: database}
        took = {}
        for engine, one in libraries.items():
            say(f"{engine}: indexing")
            took[engine] = indexed(one, found.questions if found else ())
        agreed = None
        if found is not None:
            agreed = _judged(libraries, found.questions)
        else:
            questions = sample(folder.questions(), wanted.most)
            say(f"{len(questions)} questions")
            _print_speed(libraries, took, answered(libraries, questions, wanted.rounds))
            agreed = _agreed(libraries, questions)
    print(f"{machine()}.")
    return 0 if agreed.is_kept else 1


def _many_libraries(wanted: argparse.Namespace, kept: Path, stack: ExitStack) -> int:
    engines: dict[str, dict[str, Library]] = {FOLDER: {}, DATABASE: {}}
    took = dict.fromkeys(engines, 0.0)
    for number, root in enumerate(_laid_out_libraries(wanted, kept)):
        for engine, url in ((FOLDER, ""), (DATABASE, wanted.store)):
            library, name = opened(root, kept / str(number), url, wanted.model)
            engines[engine][root.name] = library
            stack.callback(library.close)
            if url and not wanted.kept:
                stack.callback(remove_library, url, name)
            took[engine] += indexed(library, ())[1]
        say(f"{number + 1} libraries indexed")
    some = max(1, wanted.most // wanted.libraries)
    questions = [
        (name, question) for name, one in engines[FOLDER].items() for question in sample(one.questions(), some)
    ]
    say(f"{len(questions)} questions")
    answered_all = asked_libraries(engines, questions, wanted.rounds)
    passages = sum(one.corpus().passages for one in engines[FOLDER].values())
    print(f"{passages:,} passages in {wanted.libraries} libraries")
    print("| engine | passages/s | all: p50, ms | p95, ms | p99, ms | one: p50, ms | p95, ms | p99, ms |")
    print("|---|---|---|---|---|---|---|---|")
    for name, found in answered_all.items():
        times = [seconds for one in (found.all_s, found.one_s) for seconds in (one.p50_s, one.p95_s, one.p99_s)]
        print(f"| {name} | {passages / took[name]:,.0f} | {' | '.join(f'{1000 * one:.1f}' for one in times)} |")
    one, other = (found.firsts for found in answered_all.values())
    print(f"the same first hit    {sum(map(str.__eq__, one, other)) / max(1, len(one)):.3f}")
    print(f"{machine()}.")
    return 0


def _judged(libraries: Mapping[str, Library], questions: Sequence[Question]) -> Agreement:
    agreed = _agreed(libraries, questions)
    print(f"{len(questions)} questions")
    for name, figure in agreed.ndcg.items():
        print(f"NDCG@10, {name:<11} {figure:.4f}")
    return agreed


def _agreed(libraries: Mapping[str, Library], questions: Sequence[Question]) -> Agreement:
    agreed = compare(*(_evaluated(one, questions) for one in libraries.values()))
    print(f"first ten alike       {agreed.alike:.3f}")
    print(f"the same in order     {agreed.in_order:.3f}")
    return agreed


def _evaluated(library: Library, questions: Sequence[Question]) -> Evaluation:
    return evaluate(questions, lambda question: library.search(Query(question.text)), library.corpus().store)


def _print_speed(
    libraries: Mapping[str, Library], took: Mapping[str, tuple[float, float]], speed: Mapping[str, Spread]
) -> None:
    print("| engine | passages | rows, s | searchable, s | passages/s | p50, ms | p95, ms | p99, ms |")
    print("|---|---|---|---|---|---|---|---|")
    for name, one in libraries.items():
        passages, (rows, whole), asked = one.corpus().passages, took[name], speed[name]
        times = " | ".join(f"{1000 * seconds:.1f}" for seconds in (asked.p50_s, asked.p95_s, asked.p99_s))
        print(f"| {name} | {passages:,} | {rows:.1f} | {whole:.1f} | {passages / whole:,.0f} | {times} |")


def _laid_out_libraries(wanted: argparse.Namespace, kept: Path) -> Sequence[Path]:
    top = kept / f"libraries-{wanted.libraries}-{wanted.passages}"
    if not top.is_dir():
        folder = open_folder(wanted.place.resolve())
        source = FolderSource(folder.root, load_config(folder.root).sources)
        documents = max(wanted.libraries, round(wanted.passages / passages_each(source, folder.markdown.raws)))
        say(f"about {wanted.passages:,} passages in {wanted.libraries} libraries: writing documents")
        lay_out_libraries(folder.markdown.raws, documents, wanted.libraries, top)
    return sorted(top.iterdir())


def _laid_out(place: Path, passages: int, kept: Path) -> Path:
    root = kept / f"documents-{passages}"
    if not root.is_dir():
        folder = open_folder(place.resolve())
        source = FolderSource(folder.root, load_config(folder.root).sources)
        say(f"about {passages:,} passages: writing documents")
        lay_out(folder.markdown.raws, max(1, round(passages / passages_each(source, folder.markdown.raws))), root)
    return root


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("place", type=Path, help="a set of graded questions, or with --passages a folder of Markdown")
    parser.add_argument("--store", default=os.environ.get("PINAKES_STORE_URL", ""), help="the database")
    parser.add_argument("--passages", type=int, default=0, help="lay out about so many passages and measure times")
    parser.add_argument("--libraries", type=int, default=0, help="with --passages: in so many libraries")
    parser.add_argument("--kept", type=Path, help="keep documents and indexes here for the next run")
    parser.add_argument("--rounds", type=int, default=3, help="how often each question is timed")
    parser.add_argument("--most", type=int, default=200, help="questions")
    parser.add_argument("--model", default="static", help="the embedder")
    return parser


if __name__ == "__main__":
    sys.exit(main())
