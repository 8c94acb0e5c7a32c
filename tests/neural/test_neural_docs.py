"""The sentence model that comes with Pinakes."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pinakes.errors import ModelFailed
from pinakes.neural import embedder_name, load_embedder
from pinakes.neural.model_files import EMBED, model_files

onnxruntime = pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")

REFERENCE = Path(__file__).parent / "docs_reference.json"
"""Made by training/reference.py with torch, from the weights before they were rounded."""


def test_its_folder_is_whole_and_says_whose_it_is() -> None:
    names = {path.relative_to(EMBED).as_posix() for path in model_files(EMBED)}
    assert names == {
        "model.onnx",
        "config.json",
        "tokenizer.json",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
    }
    assert "Apache License" in (EMBED / "LICENSE").read_text(encoding="utf-8")
    notice = (EMBED / "NOTICE").read_text(encoding="utf-8")
    assert "granite-embedding-30m-english" in notice and "fine-tuned" in notice
    assert sum(path.stat().st_size for path in model_files(EMBED)) < 32_500_000


def test_its_vectors_are_nearly_those_of_the_weights_before_they_were_rounded() -> None:
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    truth = np.frombuffer(base64.b64decode(reference["vectors"]), dtype=np.float16).reshape(-1, 384)
    found = load_embedder("docs").encode(reference["texts"])
    near = (found * truth.astype(np.float32)).sum(axis=1)
    assert near.min() > 0.985, dict(zip(reference["texts"], near.tolist(), strict=True))
    assert near.mean() > 0.99


def test_texts_that_mean_the_same_in_other_words_are_near_each_other() -> None:
    texts = (
        "Changing the password of somebody else's account",
        "How administrators reset another user's login credentials",
        "Sorting the rows of a table by one of its columns",
    )
    one, same, other = load_embedder("docs").encode(texts)
    assert one @ same > one @ other + 0.2


def test_it_is_a_model_in_a_folder_like_any_other() -> None:
    embedder = load_embedder("docs")
    assert embedder.name == embedder_name("docs") == embedder_name("minilm") == embedder_name(str(EMBED))
    assert np.linalg.norm(embedder.encode(["tide"])[0]) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("harm", ["empty", "half", "nonsense"])
def test_a_damaged_model_is_named_with_what_to_do(tmp_path: Path, harm: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(EMBED, folder)
    whole = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(
        {"empty": b"", "half": whole[: len(whole) // 2], "nonsense": b"not a model\n" * 99}[harm]
    )
    with pytest.raises(ModelFailed, match=r"model\.onnx cannot be run"):
        load_embedder(str(folder)).encode(["tide"])


def test_running_it_writes_nothing_and_reports_to_nobody(tmp_path: Path) -> None:
    program = "from pinakes.neural import load_embedder; load_embedder('docs').encode(['tide'])"
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(tmp_path))
    # On machines that build and test, onnxruntime is silent by itself.
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "SYSTEMROOT")}
    subprocess.run([sys.executable, "-c", program], env={**kept, **places}, cwd=tmp_path, check=True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_without_onnxruntime_the_extra_is_named() -> None:
    program = (
        "import sys; sys.modules['onnxruntime'] = None; from pinakes.neural import load_embedder;"
        "from pinakes.errors import ExtraMissing\n"
        "try: load_embedder('docs').encode(['tide'])\n"
        "except ExtraMissing as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install pinakes" in done.stdout
