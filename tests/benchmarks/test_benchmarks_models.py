"""Embedders are compared in one run on a small set and a small repository. What is measured is not asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.bars import Bar, bars, difference
from benchmarks.wordllama import WordllamaEmbedder, wordllama_folder

from kits.bert import scorer_weights, write_model
from kits.trees import write_tree

HOME = Path(__file__).resolve().parents[2]
LONG = "A page that nobody asks for says something about the weather, the time of day and what there was to eat. " * 6
FILES = {
    "tokens.md": f"# Tokens\n\n{LONG}\n\n## Renewing a token\n\n{LONG} Tokens last for a day, then ask again.\n",
    "links.md": f"# Links\n\n{LONG}\n\n## Broken links everywhere\n\n{LONG} Renewing a [token](tokens.md) helps.\n",
}
QUESTIONS = [
    {"id": "1", "query": "how long do tokens last?", "style": "paraphrase"},
    {"id": "2", "query": "broken links", "style": "keyword"},
    {"id": "3", "query": "submarine volcanoes of Iceland", "style": "unanswerable"},
]
ANSWERS = [("tokens.md", "renewing-a-token"), ("links.md", "broken-links-everywhere")]


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    lines = []
    for question, (path, heading) in zip(QUESTIONS, [*ANSWERS, ("", "")], strict=True):
        relevant = [{"path": path, "heading": heading, "grade": 2}] if path else []
        lines.append(json.dumps({**question, "relevant": relevant}))
    files = {f"corpus/{name}": text for name, text in FILES.items()}
    return write_tree(tmp_path / "graded", {**files, "queries.jsonl": "\n".join(lines)})


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.models", *arguments]
    return subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=100)


def test_a_small_set_gives_every_figure_and_every_bar(graded: Path, tmp_path: Path) -> None:
    repository = write_tree(tmp_path / "repository", FILES)
    done = run("--embedders", "static", "again=static", "--sets", str(graded), "--held-out", str(repository), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["figures"].keys() == {"static", "again"}
    figures = told["figures"]["static"].keys()
    assert figures >= {
        "passages of 100 words a second",
        "one passage, ms of processor",
        "one question, ms",
        *(
            f"graded {style}{way}"
            for style in ("", "keyword ", "paraphrase ")
            for way in ("alone", "fused", "by words", "thorough")
        ),
        *(f"graded in 2,000 tokens {way}" for way in ("fused", "by words", "thorough")),
        "graded left empty rightly",
        "graded left empty wrongly",
        "graded separation",
        *(f"held-out{kind} {way}" for kind in ("", ", own questions,") for way in ("alone", "fused")),
        "held-out alone, sentence",
        "held-out fused left empty",
    }
    by_name = {one["what"]: one["is_reached"] for one in told["bars"]}
    assert by_name["static fused, documentation, first generation"] is True
    assert by_name["minilm alone over the original, documentation"] is None


def test_a_table_names_the_bars_and_the_difference_to_the_original(graded: Path) -> None:
    done = run("--embedders", "minilm=static", "original=static", "--sets", str(graded))
    assert done.returncode == 0, done.stderr
    assert "| | minilm | original |" in done.stdout
    assert "| minilm over original, graded alone | +0.000 | +0.000 to +0.000 |" in done.stdout
    assert "| minilm alone over the original, documentation | +0.040 | +0.000 | not reached |" in done.stdout
    assert "| minilm fused over the original, paraphrases | +0.000 | +0.000 | reached |" in done.stdout


def test_rounded_models_are_compared_with_their_float_weights_and_a_cross_encoder_with_none(
    graded: Path, tmp_path: Path
) -> None:
    repository = write_tree(tmp_path / "repository", FILES)
    judge = write_model(tmp_path / "judge", scorer_weights(), architectures=("BertForSequenceClassification",))
    given = ["--embedders", "docs=static", "docs-float=static", "--reranker", f"onnx:{judge}", "--json"]
    done = run(*given, "--sets", str(graded), "--held-out", str(repository))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    figures = told["figures"]
    assert "held-out alone" in figures["docs"].keys() - figures["docs-float"].keys()
    assert figures["docs-rerank"]["20 passages, ms"] > 0.0
    assert "graded in 2,000 tokens thorough" in figures["docs-rerank"]
    differences = {one["what"]: one["mean"] for one in told["differences"]}
    assert differences == {"docs over docs-float, graded alone": 0.0, "docs over docs-float, graded fused": 0.0}
    by_name = {one["what"]: one["is_reached"] for one in told["bars"]}
    assert by_name["docs alone over its float weights, documentation"] is True
    assert by_name["docs-rerank over docs, thorough, documentation"] is not None
    assert by_name["docs-rerank, 20 passages, ms"] is not None


def test_nothing_to_measure_on_is_trouble() -> None:
    done = run("--embedders", "static")
    assert done.returncode == 2
    assert "--held-out" in done.stderr


def test_the_mean_over_other_texts_needs_all_of_them() -> None:
    figures = {"minilm": {"a alone": 0.5, "b alone": 0.5}, "original": {"a alone": 0.51, "b alone": 0.495}}
    whole = bars(figures, "docs", ["a", "b"])
    lacking = bars(figures, "docs", ["a", "b", "c"])
    what = "minilm alone over the original, other texts"
    assert Bar(what, "-0.005", "-0.003", is_reached=True) in whole
    assert Bar(what, "-0.005", "–", is_reached=None) in lacking


def test_the_second_generation_is_held_to_more_than_the_first() -> None:
    figures = {
        "docs": {
            "d fused": 0.79,
            "held-out fused": 0.56,
            "a alone": 0.5,
            "one question, ms": 2.0,
            "d left empty wrongly": 1.0,
        },
        "minilm": {"held-out fused": 0.54},
        "granite": {"a alone": 0.505},
        "static": {"d fused": 0.7, "a fused": 0.6, "a by words": 0.61},
    }
    reached = {one.what: one.is_reached for one in bars(figures, "d", ["a"])}
    assert reached["docs fused, documentation"] is True
    assert reached["docs fused over minilm, held-out repositories, what was taken out"] is False
    assert reached["docs alone over granite, other texts"] is True
    assert reached["docs, one question, ms"] is True
    assert reached["docs, questions with an answer left empty"] is False
    assert reached["docs alone over its float weights, documentation"] is None
    assert reached["static fused, documentation"] is False
    assert reached["static fused over words alone, a"] is False


def test_a_difference_that_is_always_there_is_told_from_one_that_is_not() -> None:
    sure = difference("sure", [0.6] * 50, [0.5] * 50)
    assert (round(sure.low, 6), round(sure.high, 6)) == (0.1, 0.1)
    unsure = difference("unsure", [1.0, 0.0] * 25, [0.0, 1.0] * 25)
    assert unsure.low < 0.0 < unsure.high


def test_the_table_before_ours_gives_unit_vectors() -> None:
    folder = wordllama_folder()
    if folder is None:
        pytest.skip("wordllama is not installed")
    vectors = WordllamaEmbedder(folder).encode(["Renewing a token", "設定ファイル", ""])
    assert [round(float((row * row).sum()), 2) for row in vectors] == [1.0, 1.0, 0.0]
