"""What every embedder promises."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.endpoint import serving
from pinakes.errors import ExtraMissing
from pinakes.neural import embedder_name, load_embedder
from pinakes.ports import Embedder

TEXTS = (
    "How to rotate access tokens",
    "",
    "   \n\t",
    "🎉🚀",
    "設定ファイルの場所を変更する",
    "Как обновить индекс",
    "max_retries = 3; C++ → std::vector<int>",
    "naïve café\u0301 \ud800 \x00",
    "the the the token",
)


@pytest.fixture(scope="module", params=["static", "docs", "endpoint"])
def model(request: pytest.FixtureRequest) -> Iterator[str]:
    """What the embedders that are installed are called; the endpoint is a server with the static one behind it."""
    name = str(request.param)
    if name == "endpoint":
        with serving() as server:
            yield server.address
        return
    try:
        load_embedder(name).encode(["installed?"])
    except ExtraMissing as error:
        pytest.skip(str(error))
    yield name


@pytest.fixture(scope="module")
def embedder(model: str) -> Embedder:
    return load_embedder(model)


def test_every_text_gets_one_row_of_the_promised_length(embedder: Embedder) -> None:
    vectors = embedder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert embedder.encode(()).shape == (0, embedder.dimensions)


def test_rows_have_length_one_or_zero(embedder: Embedder) -> None:
    lengths = np.linalg.norm(embedder.encode(TEXTS), axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-3) | (lengths == 0))
    assert lengths[0] > 0 and lengths[4] > 0 and lengths[5] > 0
    assert lengths[1] == 0 and lengths[2] == 0


def test_a_text_has_the_same_vector_whatever_it_comes_with(embedder: Embedder) -> None:
    crowd = [f"passage {n} about {word}" for n in range(40) for word in ("links", "tokens and budgets", "x" * n)]
    together = embedder.encode((*TEXTS, *crowd, *TEXTS))
    for row, text in enumerate((*TEXTS, *crowd)):
        assert together[row].tobytes() == embedder.encode((text,))[0].tobytes()
    assert together[: len(TEXTS)].tobytes() == together[-len(TEXTS) :].tobytes()


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.text(), max_size=6))
def test_any_text_can_be_encoded_in_any_order(embedder: Embedder, texts: list[str]) -> None:
    forward, backward = embedder.encode(texts), embedder.encode(texts[::-1])
    assert np.all(np.isfinite(forward))
    assert forward.tobytes() == backward[::-1].tobytes()


def test_a_megabyte_is_encoded_too(embedder: Embedder) -> None:
    numbered = " ".join(f"word{n}" for n in range(120_000))
    unbroken = "字" * 300_000
    letters = "x" * 1_000_000
    vectors = embedder.encode((numbered, unbroken, letters))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert vectors[0].tobytes() == embedder.encode((numbered,))[0].tobytes()


def test_vectors_and_name_are_the_same_in_every_process(model: str, embedder: Embedder) -> None:
    program = (
        "import hashlib, sys; from pinakes.neural import load_embedder; e = load_embedder(sys.argv[1]);"
        "t = ['How to rotate access tokens', '設定', 'a b a b c', ''];"
        "print(e.name, hashlib.sha256(e.encode(t).tobytes()).hexdigest())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program, model],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1", "random")
    }
    texts = ["How to rotate access tokens", "設定", "a b a b c", ""]
    assert printed == {f"{embedder.name} {hashlib.sha256(embedder.encode(texts).tobytes()).hexdigest()}"}


def test_texts_about_the_same_thing_are_closer_than_texts_that_are_not(embedder: Embedder) -> None:
    question, answer, other = embedder.encode(
        ("change the password", "How users reset their login credentials", "Sorting rows of a table by column")
    )
    assert question @ answer > question @ other


def test_an_embedder_can_be_named_without_being_loaded(model: str, embedder: Embedder) -> None:
    assert embedder_name(model) == embedder.name


def test_the_weight_of_meaning_is_a_share(embedder: Embedder) -> None:
    assert 0 < embedder.traits.dense_weight < 1
