"""`python -m benchmarks.search FOLDER`: libraries of several sizes, all asked the same, one table a size.

Tables go to stdout, progress to stderr. FOLDER is only read; what is built goes to the folder named by --kept and is
used again by the next run, or to a temporary folder that is gone afterwards.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.clock import say
from benchmarks.folder import Folder, open_folder
from benchmarks.search.contenders import CONTENDERS
from benchmarks.search.grow import lay_out, passages_each
from benchmarks.search.race import Run, built, can_build, race
from benchmarks.search.report import Row, Size, as_data, as_markdown
from benchmarks.search.shelf import Shelf, bytes_in
from benchmarks.table import machine
from pinakes.config import load_config
from pinakes.evaluation.questions import Question
from pinakes.evaluation.speed import cold_start, open_questions, sample, spread
from pinakes.library import open_library
from pinakes.sources import FolderSource

NOTHING, TROUBLE = 1, 2
USUAL_SIZES = (20_000, 150_000, 1_000_000)


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments, build, measure, print; returns the exit code."""
    wanted = _arguments().parse_args(arguments)
    if not wanted.folder.is_dir():
        say(f"{wanted.folder} is not a folder. Name a folder that holds Markdown.")
        return TROUBLE
    folder = open_folder(wanted.folder.resolve())
    if not folder.markdown.raws:
        say(f"There is no Markdown in {wanted.folder}. Name a folder that holds some.")
        return NOTHING
    with tempfile.TemporaryDirectory(prefix="pinakes-bench-") as scratch:
        kept = wanted.kept or Path(scratch)
        shelves = [_shelf(folder, size, kept.resolve()) for size in sorted(wanted.passages)]
        asked = open_questions(wanted.questions) if wanted.questions else _made(shelves[0])
        questions = sample([one for one in asked if not one.paths], wanted.most)
        if not questions:
            say("There are no questions to ask. Name a file with some with --questions.")
            return NOTHING
        sizes = []
        for shelf in shelves:
            sizes.append(_measured(shelf, questions, wanted.rounds, wanted.rivals))
            if not wanted.json:
                print(as_markdown(sizes[-1]), end="\n\n", flush=True)
    print(json.dumps({"machine": machine(), "sizes": list(map(as_data, sizes))}) if wanted.json else f"{machine()}.")
    return 0


def _shelf(folder: Folder, passages: int, kept: Path) -> Shelf:
    """A library of about so many passages, and the passages as others get them."""
    shelf = Shelf(kept / str(passages))

    def make() -> dict[str, float]:
        say(f"{passages:,} passages: writing documents")
        shutil.rmtree(shelf.place, ignore_errors=True)
        source = FolderSource(folder.root, load_config(folder.root).sources)
        documents = max(1, round(passages / passages_each(source, folder.markdown.raws)))
        lay_out(folder.markdown.raws, documents, shelf.corpus)
        return {"documents": documents}

    shelf.once("corpus", make)
    for name in ("pinakes", "passages"):
        built(name, shelf)
    return shelf


def _made(shelf: Shelf) -> tuple[Question, ...]:
    """Questions about the smallest library: what it holds is in the larger ones too."""
    file = shelf.place / "questions.json"
    if not file.is_file():
        say("making questions")
        with open_library(shelf.corpus, {"store": shelf.store, "keywords.enabled": False}) as library:
            texts = [question.text for question in library.questions() if not question.paths]
        file.write_text(json.dumps(texts), encoding="utf-8")
    return tuple(Question(text, text, "all", ()) for text in json.loads(file.read_text(encoding="utf-8")))


def _measured(shelf: Shelf, questions: Sequence[Question], rounds: int, rivals: Sequence[str]) -> Size:
    asked = shelf.place / "asked.json"
    asked.write_text(json.dumps([question.text for question in questions]), encoding="utf-8")
    wanted = {name: one for name, one in CONTENDERS.items() if not one.beside or one.indexed in rivals}
    absent = {
        name: f"not installed: pip install {' '.join(one.missing)}" for name, one in wanted.items() if one.missing
    }
    passages = int(built("passages", shelf)["passages"])
    for name, one in wanted.items():
        if passages > one.most:
            absent[name] = f"keeps everything in memory; asked up to {one.most:,} passages"
        if one.indexed and name not in absent and not can_build(one.indexed, shelf):
            absent[name] = "its index could not be made; stderr says why"
    runs = {run.name: run for run in race([name for name in wanted if name not in absent], shelf, asked, rounds)}
    rows = tuple(
        Row(name, None, note=absent[name]) if name in absent else _row(runs[name], runs, shelf) for name in wanted
    )
    where = ["--root", str(shelf.corpus), "--store", str(shelf.store), "--no-sync"]
    return Size(
        passages,
        int(shelf.once("corpus", dict)["documents"]),
        len(questions),
        rounds,
        rows,
        cold_start(where, questions),
        built("pinakes", shelf),
    )


def _row(run: Run, runs: dict[str, Run], shelf: Shelf) -> Row:
    who = CONTENDERS[run.name]
    times = spread(run.seconds)
    peer = runs.get(who.beside)
    if who.indexed:
        disk, index_s = bytes_in(shelf.indexed(who.indexed)), built(who.indexed, shelf)["seconds"]
    else:
        part, took = who.owns
        disk, index_s = bytes_in(shelf.store / part), built("pinakes", shelf)[took]
    return Row(
        run.name,
        times.p50_s,
        times.p95_s,
        times.p99_s,
        times.p50_s / spread(peer.seconds).p50_s if peer else None,
        run.rate,
        run.cold_s,
        run.resident_bytes,
        disk,
        index_s,
        run.found,
        who.gives,
    )


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.search", description="Measure search at several sizes, beside others."
    )
    rivals = tuple(dict.fromkeys(one.indexed for one in CONTENDERS.values() if one.indexed))
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder that holds Markdown; it is only read")
    parser.add_argument(
        "--passages", type=_sizes, default=USUAL_SIZES, metavar="N,…", help="sizes (default: 20000,150000,1000000)"
    )
    parser.add_argument(
        "--rivals",
        type=lambda text: _chosen(text, rivals),
        default=rivals,
        metavar="NAME,…",
        help=f"who else is asked (default: {','.join(rivals)}); none for nobody",
    )
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="where libraries are kept for the next run")
    parser.add_argument("--questions", type=Path, metavar="FILE", help="one a line, or a set; default: made")
    parser.add_argument("--most", type=_number, default=200, metavar="N", help="questions asked at most (default: 200)")
    parser.add_argument("--rounds", type=_number, default=3, metavar="N", help="times each is asked (default: 3)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("name a whole number from 1 on")
    return int(text)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_number(part.strip()) for part in text.split(",")))


def _chosen(text: str, known: Sequence[str]) -> tuple[str, ...]:
    names = () if text == "none" else tuple(part.strip() for part in text.split(","))
    if unknown := [name for name in names if name not in known]:
        raise argparse.ArgumentTypeError(f"there is no {unknown[0]}; choose from {', '.join(known)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
