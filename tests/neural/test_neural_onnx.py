"""Embedders and cross-encoders from a folder, run as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from training.onnx_graph import Graph

from kits.bert import numbers, random_weights, scorer_weights, write_model, write_safetensors, write_settings
from pinakes.errors import ConfigError, ModelFailed
from pinakes.neural import embedder_name, load_embedder, load_reranker

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")

TEXTS = ("How to rotate access tokens", "tide", "ships in the harbour", "tokens " * 400)
QUESTION = "how to rotate tokens"
PASSAGES = ("tokens", "rotate access tokens", "tide in the harbour", "", "harbour " * 400)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small BERT with random weights."""
    return write_model(tmp_path / "model")


@pytest.fixture
def judge(tmp_path: Path) -> Path:
    """A small cross-encoder with random weights."""
    return write_model(tmp_path / "judge", scorer_weights(), architectures=["BertForSequenceClassification"])


def test_naming_a_model_loads_nothing_and_other_weights_are_another_name(folder: Path) -> None:
    program = (
        "import sys; from pinakes.neural import embedder_name; print(embedder_name(sys.argv[1]));"
        "assert not {'numpy', 'tokenizers', 'onnxruntime'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    name = load_embedder(str(folder)).name
    assert done.stdout.strip() == embedder_name(f"onnx:{folder}") == name
    write_model(folder, random_weights(seed=6))
    assert embedder_name(str(folder)) != name


def test_a_model_exported_by_others_is_run_as_it_is(folder: Path) -> None:
    table = random_weights()["embeddings.word_embeddings.weight"]
    graph = Graph()
    rows = graph.node("Gather", (graph.array("table", table), "input_ids"), ("rows",))
    mask = graph.node("Cast", ("attention_mask",), ("mask",), settings={"to": 1})
    mask = graph.node("Unsqueeze", (mask, graph.array("last", np.array([2]))), ("wide",))
    graph.node("Mul", (rows, mask), ("last_hidden_state",))
    taken = {"input_ids": ("int64", 2), "attention_mask": ("int64", 2)}
    (folder / "model.onnx").write_bytes(graph.model(taken, {"last_hidden_state": ("float32", 3)}))
    write_settings(folder, model_type="something else")
    for vector, text in zip(load_embedder(str(folder)).encode(TEXTS), TEXTS, strict=True):
        truth = table[numbers(text)].mean(axis=0)
        assert vector @ truth / np.linalg.norm(truth) > 0.999


def test_a_folder_with_both_kinds_of_weights_is_run_by_onnxruntime(folder: Path) -> None:
    before = load_embedder(str(folder))
    vectors = before.encode(TEXTS)
    write_safetensors(folder / "model.safetensors", random_weights(seed=6))
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    after = load_embedder(str(folder))
    assert after.name == before.name
    assert after.encode(TEXTS).tobytes() == vectors.tobytes()


def test_a_folder_without_a_model_is_refused_with_what_it_lacks(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no model\.onnx"):
        load_embedder(str(tmp_path / "nowhere"))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"there is no tokenizer\.json"):
        embedder_name(str(folder))


@pytest.mark.parametrize("width", [None, "32", 0])
def test_settings_that_make_no_sense_are_named(folder: Path, width: object) -> None:
    write_settings(folder, hidden_size=width)
    with pytest.raises(ConfigError, match="hidden_size"):
        load_embedder(str(folder))


def test_without_onnxruntime_the_extra_is_named(folder: Path) -> None:
    program = (
        "import sys; sys.modules['onnxruntime'] = None; from pinakes.neural import load_embedder;"
        "load_embedder(sys.argv[1]).encode(['tide'])"
    )
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True)
    assert "pip install pinakes" in done.stderr


def test_a_score_does_not_depend_on_the_company_and_order_matters(judge: Path) -> None:
    reranker = load_reranker(str(judge))
    together = reranker.score(QUESTION, PASSAGES)
    assert [reranker.score(QUESTION, [passage])[0] for passage in PASSAGES] == together
    assert reranker.score(PASSAGES[1], [QUESTION]) != reranker.score(QUESTION, [PASSAGES[1]])
    assert list(reranker.score(QUESTION, [])) == []


def test_any_text_can_be_scored(judge: Path) -> None:
    odd = ("\ud800 \x00", "字" * 5000, "🎉")
    scores = load_reranker(str(judge)).score("tide " * 1000, odd)
    assert np.isfinite(scores).all()


def test_a_model_with_other_answers_is_no_reranker(judge: Path) -> None:
    write_model(judge, scorer_weights(labels=3), architectures=["BertForSequenceClassification"])
    with pytest.raises(ModelFailed, match="3 answers"):
        load_reranker(str(judge)).score(QUESTION, PASSAGES)
    with pytest.raises(ConfigError, match="is not a reranker"):
        load_reranker("static")
