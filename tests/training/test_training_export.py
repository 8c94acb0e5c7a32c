"""A BERT model's weights become a folder that Pinakes opens; the same models written out in numpy say what is right."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest
from training.__main__ import main
from training.export import export
from training.unpacked import unpack

from kits.bert import (
    WIDTH,
    WORDS,
    numbers,
    plain_answers,
    plain_bert,
    random_weights,
    scorer_weights,
    write_model,
    write_safetensors,
    write_settings,
)
from pinakes.errors import ConfigError
from pinakes.neural import load_embedder, load_reranker

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")

TEXTS = ("How to rotate access tokens", "tide", "ships in the harbour", "tokens " * 400)
QUESTION = "how to rotate tokens"
PASSAGES = ("tokens", "rotate access tokens", "tide in the harbour", "", "harbour " * 400)
SCORER = ("BertForSequenceClassification",)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small BERT with random weights, as others keep it."""
    model = tmp_path / "model"
    model.mkdir()
    write_settings(model)
    write_safetensors(model / "model.safetensors", random_weights())
    return model


@pytest.mark.parametrize("takes_first", [False, True])
def test_a_rounded_model_gives_nearly_the_vectors_of_the_plain_one(folder: Path, takes_first: bool) -> None:  # noqa: FBT001
    if takes_first:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    export(folder, folder, folder)
    found = load_embedder(str(folder)).encode(TEXTS)
    assert found.shape == (len(TEXTS), WIDTH)
    for vector, text in zip(found, TEXTS, strict=True):
        tokens = plain_bert(random_weights(), numbers(text))
        truth = tokens[0] if takes_first else tokens.mean(axis=0)
        assert vector @ truth / np.linalg.norm(truth) > 0.99
    assert found[0] @ found[1] < 0.99


def test_weights_under_another_usual_name_are_the_same_model(folder: Path, tmp_path: Path) -> None:
    export(folder, folder, tmp_path / "one")
    write_safetensors(
        folder / "model.safetensors", {f"bert.{name}": values for name, values in random_weights().items()}
    )
    export(folder, folder, tmp_path / "two")
    assert (tmp_path / "one" / "model.onnx").read_bytes() == (tmp_path / "two" / "model.onnx").read_bytes()


def test_the_same_weights_are_exported_to_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 64}')
    (folder / "1_Pooling" / "config.json").write_text("{}")
    for name in ("LICENSE", "NOTICE"):
        (folder / name).write_text(f"{name} of the base")
    parts = tmp_path / "parts"
    parts.mkdir()
    packed = (folder / "model.safetensors").read_bytes()
    for number, start in enumerate(range(0, len(packed), len(packed) // 11 + 1)):
        (parts / f"transformer.{number}").write_bytes(packed[start : start + len(packed) // 11 + 1])
    sums = set()
    for weights, to in ((folder, tmp_path / "one"), (parts, tmp_path / "two")):
        export(weights, folder, to)
        sums.add(hashlib.sha256((to / "model.onnx").read_bytes()).hexdigest())
        names = {path.relative_to(to).as_posix() for path in to.rglob("*") if path.is_file()}
        settings = {"config.json", "tokenizer.json", "sentence_bert_config.json", "1_Pooling/config.json"}
        assert names == {"model.onnx", "LICENSE", "NOTICE"} | settings
        vectors = load_embedder(str(to)).encode(["tide", "harbour"])
    assert len(sums) == 1
    export(folder, folder, tmp_path / "exact", is_exact=True)
    exact = load_embedder(str(tmp_path / "exact")).encode(["tide", "harbour"])
    assert (exact * vectors).sum(axis=1).min() > 0.95  # the weights as they are
    assert exact.tobytes() != vectors.tobytes()


@pytest.mark.parametrize("takes_first", [False, True])
def test_what_was_exported_is_taken_apart_again_and_exported_to_the_same_bytes(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    takes_first: bool,  # noqa: FBT001
) -> None:
    if takes_first:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    export(folder, folder, tmp_path / "one")
    (tmp_path / "one" / "pinakes.json").write_text('{"noise": 0.5}')
    arguments = ["unpack", str(tmp_path / "one" / "model.onnx"), "--to", str(tmp_path / "plain")]
    monkeypatch.setattr(sys, "argv", ["training", *arguments])
    main()
    export(tmp_path / "plain", tmp_path / "plain", tmp_path / "two")
    assert (tmp_path / "one" / "model.onnx").read_bytes() == (tmp_path / "two" / "model.onnx").read_bytes()
    export(tmp_path / "plain", tmp_path / "plain", tmp_path / "exact", is_exact=True)
    assert (tmp_path / "exact" / "pinakes.json").read_text() == '{"noise": 0.5}'
    rounded, exact = (load_embedder(str(tmp_path / name)).encode(TEXTS) for name in ("one", "exact"))
    assert (exact * rounded).sum(axis=1).min() > 0.99
    assert exact.tobytes() != rounded.tobytes()
    (tmp_path / "one" / "config.json").write_text('{"model_type": "t5"}')
    with pytest.raises(SystemExit, match="“t5”"):
        main()


def test_a_cross_encoder_that_was_exported_is_taken_apart_again(tmp_path: Path) -> None:
    write_model(tmp_path / "one", scorer_weights(), architectures=SCORER)
    unpack(tmp_path / "one" / "model.onnx", tmp_path / "plain")
    export(tmp_path / "plain", tmp_path / "plain", tmp_path / "two")
    assert (tmp_path / "one" / "model.onnx").read_bytes() == (tmp_path / "two" / "model.onnx").read_bytes()


def test_a_notice_that_is_there_is_not_replaced(folder: Path, tmp_path: Path) -> None:
    (folder / "NOTICE").write_text("of the base")
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "NOTICE").write_text("what was changed")
    export(folder, folder, tmp_path / "to")
    assert (tmp_path / "to" / "NOTICE").read_text() == "what was changed"


def test_a_folder_is_converted_where_it_lies(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["training", "export", "--transformer", str(folder), "--to", str(folder)])
    main()
    assert str(folder) in capsys.readouterr().out
    assert load_embedder(str(folder)).encode(["tide"]).shape == (1, WIDTH)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [({"model_type": "t5"}, "“t5”"), ({"hidden_size": None}, "hidden_size"), ({"num_hidden_layers": "6"}, "layers")],
)
def test_settings_that_make_no_sense_are_named(
    folder: Path, changed: dict[str, object], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_settings(folder, **changed)
    monkeypatch.setattr(sys, "argv", ["training", "export", "--transformer", str(folder), "--to", str(folder)])
    with pytest.raises(SystemExit, match=complaint):
        main()


def test_weights_that_are_not_all_there_are_named(folder: Path) -> None:
    weights = random_weights()
    del weights["encoder.layer.1.output.dense.bias"]
    write_safetensors(folder / "model.safetensors", weights)
    with pytest.raises(ConfigError, match=r"layer\.1\.output\.dense\.bias"):
        export(folder, folder, folder)
    for harm in (b"", b"\x80\x04not numbers", (folder / "model.safetensors").read_bytes()[:-8]):
        (folder / "model.safetensors").write_bytes(harm)
        with pytest.raises(ConfigError, match="is not a BERT encoder"):
            export(folder, folder, folder)


@pytest.mark.parametrize("labels", [1, 2])
def test_scores_are_nearly_those_of_the_plain_model(tmp_path: Path, labels: int) -> None:
    judge = write_model(tmp_path / "judge", scorer_weights(labels), architectures=SCORER)
    rng = np.random.default_rng(3)
    passages = [*PASSAGES, *(" ".join(rng.choice(WORDS[4:11], size)) for size in range(2, 60))]
    found = load_reranker(str(judge)).score(QUESTION, passages)
    told = [plain_answers(labels, QUESTION, passage) for passage in passages]
    truth = [answers[0] if labels == 1 else answers[1] - answers[0] for answers in told]
    # A model of thirty-two random numbers a word is rounded far more coarsely than a real one.
    assert np.corrcoef(found, truth)[0, 1] > 0.95
    assert np.abs(np.mean(found) - np.mean(truth)) < 0.2 * np.std(truth)


def test_an_encoder_without_a_classifier_is_no_cross_encoder(folder: Path) -> None:
    write_settings(folder, architectures=SCORER)
    with pytest.raises(ConfigError, match=r"pooler\.dense\.weight"):
        export(folder, folder, folder)
