"""Cross-encoders from a folder, against the same model written out in numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kits.bert import WIDTH, WORDS, numbers, plain_bert, random_weights, write_safetensors, write_settings
from pinakes.errors import ConfigError, ModelFailed
from pinakes.neural import load_reranker

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")

QUESTION = "how to rotate tokens"
PASSAGES = ("tokens", "rotate access tokens", "tide in the harbour", "", "harbour " * 400)


def scorer_weights(labels: int = 1) -> dict[str, np.typing.NDArray[np.float32]]:
    rng = np.random.default_rng(11)
    weights = {f"bert.{name}": values for name, values in random_weights().items()}
    for name, shape in (("bert.pooler.dense", (WIDTH, WIDTH)), ("classifier", (labels, WIDTH))):
        weights[f"{name}.weight"] = rng.normal(0, 0.3, shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(0, 0.3, shape[0]).astype(np.float32)
    return weights


def plain_answers(labels: int, question: str, passage: str) -> list[float]:
    weights = {name.removeprefix("bert."): values for name, values in scorer_weights(labels).items()}
    first, second = numbers(question), numbers(passage)[1:]
    second = [*second[: 256 - len(first) - 1], 3] if len(first) + len(second) > 256 else second
    kinds = [0] * len(first) + [1] * len(second)
    token = plain_bert(weights, first + second, kinds)[0]
    pooled = np.tanh(token @ weights["pooler.dense.weight"].T + weights["pooler.dense.bias"])
    answers: list[float] = (pooled @ weights["classifier.weight"].T + weights["classifier.bias"]).tolist()
    return answers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = tmp_path / "model"
    model.mkdir()
    write_settings(model, architectures=["BertForSequenceClassification"])
    write_safetensors(model / "model.safetensors", scorer_weights())
    return model


@pytest.mark.parametrize("labels", [1, 2])
def test_scores_are_nearly_those_of_the_plain_model(folder: Path, labels: int) -> None:
    write_safetensors(folder / "model.safetensors", scorer_weights(labels))
    rng = np.random.default_rng(3)
    passages = [*PASSAGES, *(" ".join(rng.choice(WORDS[4:11], size)) for size in range(2, 60))]
    found = load_reranker(str(folder)).score(QUESTION, passages)
    told = [plain_answers(labels, QUESTION, passage) for passage in passages]
    truth = [answers[0] if labels == 1 else answers[1] - answers[0] for answers in told]
    # A model of thirty-two random numbers a word is rounded far more coarsely than a real one.
    assert np.corrcoef(found, truth)[0, 1] > 0.95
    assert np.abs(np.mean(found) - np.mean(truth)) < 0.2 * np.std(truth)


def test_a_score_does_not_depend_on_the_company_and_order_matters(folder: Path) -> None:
    reranker = load_reranker(str(folder))
    together = reranker.score(QUESTION, PASSAGES)
    assert [reranker.score(QUESTION, [passage])[0] for passage in PASSAGES] == together
    assert reranker.score(PASSAGES[1], [QUESTION]) != reranker.score(QUESTION, [PASSAGES[1]])
    assert list(reranker.score(QUESTION, [])) == []


def test_a_built_reranker_is_kept_under_its_name(folder: Path, tmp_path: Path) -> None:
    fresh = load_reranker(str(folder), tmp_path / "built")
    scores = fresh.score(QUESTION, PASSAGES)
    assert [kept.stem for kept in (tmp_path / "built").iterdir()] == [fresh.name]
    assert load_reranker(str(folder), tmp_path / "built").score(QUESTION, PASSAGES) == scores


def test_any_text_can_be_scored(folder: Path) -> None:
    odd = ("\ud800 \x00", "字" * 5000, "🎉")
    scores = load_reranker(str(folder)).score("tide " * 1000, odd)
    assert np.isfinite(scores).all()


def test_an_encoder_without_a_classifier_is_no_reranker(folder: Path) -> None:
    write_safetensors(folder / "model.safetensors", random_weights())
    with pytest.raises(ConfigError, match=r"pooler\.dense\.weight"):
        load_reranker(str(folder)).score(QUESTION, PASSAGES)
    write_safetensors(folder / "model.safetensors", scorer_weights(labels=3))
    with pytest.raises(ModelFailed, match="3 answers"):
        load_reranker(str(folder)).score(QUESTION, PASSAGES)
    with pytest.raises(ConfigError, match="is not a reranker"):
        load_reranker("static")
