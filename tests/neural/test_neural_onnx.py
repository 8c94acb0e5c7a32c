"""Models from a folder: turned into ONNX of our own making, or run as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kits.bert import WIDTH, numbers, plain_bert, random_weights, write_safetensors, write_settings
from pinakes.errors import ConfigError
from pinakes.neural import embedder_name, load_embedder
from pinakes.neural.onnx_graph import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")

TEXTS = ("How to rotate access tokens", "tide", "ships in the harbour", "tokens " * 400)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small BERT with random weights."""
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
    found = load_embedder(str(folder)).encode(TEXTS)
    assert found.shape == (len(TEXTS), WIDTH)
    for vector, text in zip(found, TEXTS, strict=True):
        tokens = plain_bert(random_weights(), numbers(text))
        truth = tokens[0] if takes_first else tokens.mean(axis=0)
        assert vector @ truth / np.linalg.norm(truth) > 0.99
    assert found[0] @ found[1] < 0.99


def test_weights_under_another_usual_name_are_the_same_model(folder: Path) -> None:
    before = load_embedder(str(folder)).encode(TEXTS)
    write_safetensors(
        folder / "model.safetensors", {f"bert.{name}": values for name, values in random_weights().items()}
    )
    assert load_embedder(f"onnx:{folder}").encode(TEXTS).tobytes() == before.tobytes()


def test_naming_a_model_loads_nothing_and_other_weights_are_another_name(folder: Path) -> None:
    program = (
        "import sys; from pinakes.neural import embedder_name; print(embedder_name(sys.argv[1]));"
        "assert not {'numpy', 'tokenizers', 'onnxruntime'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    name = load_embedder(str(folder)).name
    assert done.stdout.strip() == embedder_name(f"onnx:{folder}") == name
    write_safetensors(folder / "model.safetensors", random_weights(seed=6))
    assert embedder_name(str(folder)) != name


def test_a_built_model_is_kept_and_one_that_was_damaged_is_built_again(folder: Path, tmp_path: Path) -> None:
    built = tmp_path / "cache" / "models"
    fresh = load_embedder(str(folder), built).encode(TEXTS)
    (kept,) = built.iterdir()
    assert kept.stem == embedder_name(str(folder))
    whole = kept.read_bytes()
    for harm in (b"", whole[: len(whole) // 2], whole[:-1] + b"\0", b"\0" * len(whole)):
        kept.write_bytes(harm)
        assert load_embedder(str(folder), built).encode(TEXTS).tobytes() == fresh.tobytes()
        assert kept.read_bytes() == whole
    assert list(built.iterdir()) == [kept]


def test_the_kept_model_spares_reading_the_weights(folder: Path, tmp_path: Path) -> None:
    fresh = load_embedder(str(folder), tmp_path).encode(TEXTS)
    again = load_embedder(str(folder), tmp_path)
    (folder / "model.safetensors").unlink()
    assert again.encode(TEXTS).tobytes() == fresh.tobytes()


def test_without_a_place_to_keep_it_the_model_still_works(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    vectors = load_embedder(str(folder), tmp_path / "file").encode(TEXTS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_a_folder_with_an_exported_model_is_run_as_it_is(folder: Path) -> None:
    table = random_weights()["embeddings.word_embeddings.weight"]
    graph = Graph()
    rows = graph.node("Gather", (graph.array("table", table), "input_ids"), ("rows",))
    mask = graph.node("Cast", ("attention_mask",), ("mask",), settings={"to": 1})
    mask = graph.node("Unsqueeze", (mask, graph.array("last", np.array([2]))), ("wide",))
    graph.node("Mul", (rows, mask), ("last_hidden_state",))
    taken = {"input_ids": ("int64", 2), "attention_mask": ("int64", 2)}
    (folder / "model.safetensors").unlink()
    (folder / "model.onnx").write_bytes(graph.model(taken, {"last_hidden_state": ("float32", 3)}))
    write_settings(folder, model_type="something else")
    for vector, text in zip(load_embedder(str(folder)).encode(TEXTS), TEXTS, strict=True):
        truth = table[numbers(text)].mean(axis=0)
        assert vector @ truth / np.linalg.norm(truth) > 0.999


def test_a_folder_without_a_model_is_refused_with_what_it_lacks(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no model\.safetensors"):
        load_embedder(str(tmp_path / "nowhere"))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"there is no tokenizer\.json"):
        embedder_name(str(folder))


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [({"model_type": "t5"}, "“t5”"), ({"hidden_size": None}, "hidden_size"), ({"num_hidden_layers": "6"}, "layers")],
)
def test_settings_that_make_no_sense_are_named(folder: Path, changed: dict[str, object], complaint: str) -> None:
    write_settings(folder, **changed)
    with pytest.raises(ConfigError, match=complaint):
        load_embedder(str(folder))


def test_weights_that_are_not_all_there_are_named(folder: Path) -> None:
    weights = random_weights()
    del weights["encoder.layer.1.output.dense.bias"]
    write_safetensors(folder / "model.safetensors", weights)
    with pytest.raises(ConfigError, match=r"layer\.1\.output\.dense\.bias"):
        load_embedder(str(folder)).encode(["tide"])
    for harm in (b"", b"\x80\x04not numbers", (folder / "model.safetensors").read_bytes()[:-8]):
        (folder / "model.safetensors").write_bytes(harm)
        with pytest.raises(ConfigError, match="is not a BERT encoder"):
            load_embedder(str(folder)).encode(["tide"])


def test_without_onnxruntime_the_extra_is_named(folder: Path) -> None:
    program = (
        "import sys; sys.modules['onnxruntime'] = None; from pinakes.neural import load_embedder;"
        "load_embedder(sys.argv[1]).encode(['tide'])"
    )
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True)
    assert "pip install pinakes[onnx]" in done.stderr
