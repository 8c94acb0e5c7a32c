"""The static embedder beyond what every embedder promises."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.errors import ConfigError, ExtraMissing
from pinakes.neural import load_embedder
from pinakes.neural.model_files import EMBED, STATIC, static_files
from pinakes.neural.static import StaticEmbedder
from pinakes.neural.word_pieces import count_words, cut

PIECES = {piece: number for number, piece in enumerate(static_files().pieces.read_text(encoding="utf-8").split())}

EMBEDDER = StaticEmbedder()


def run(program: str, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *flags, "-c", program], capture_output=True, text=True)


def spelled(word: str) -> list[str]:
    names = list(PIECES)
    return [names[number] for number in cut(word.encode(), PIECES)]


def test_words_that_are_no_words_of_documentation_are_cut_as_the_base_model_cuts_them() -> None:
    library = tokenizers.Tokenizer.from_file(str(EMBED / "tokenizer.json"))
    library.no_padding()
    base = library.get_vocab()
    own = {word for word in PIECES if word not in base}
    text = Path(__file__).read_text(encoding="utf-8") + " naïve Straße žluťoučký Привет harbour 東京 1234567"
    compared = 0
    for word in sorted({word for word in count_words(text) if word.isalpha() and word.islower()}):
        if not any(part in own for part in spelled(word.decode())):
            assert spelled(word.decode()) == library.encode(word.decode(), add_special_tokens=False).tokens
            compared += 1
    assert compared > 60


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("webhook", ["webhook"]),
        ("JSON", ["json"]),
        ("getUserById", ["get", "user", "by", "id"]),
        ("HTTPResponse", ["http", "response"]),
        ("Café", ["cafe"]),
        ("tokens—schema", ["tokens", "schema"]),
        ("›", []),
        ("東京", ["東", "京"]),
    ],
)
def test_words_are_parted_as_they_are_spelled(word: str, pieces: list[str]) -> None:
    assert spelled(word) == pieces


def test_texts_in_scripts_that_no_piece_has_are_compared_by_their_letters() -> None:
    question, answer, other = StaticEmbedder().encode(("ภาษาไทย", "หนังสือภาษาไทยเล่มใหม่", "ਪੰਜਾਬੀ ਕਿਤਾਬ"))
    assert question @ answer > 0.3
    assert abs(question @ other) < 0.2


def test_what_is_neither_letter_nor_digit_parts_words() -> None:
    assert count_words("a_b: `c-d` (a)\n\nb/c") == {b"a": 2, b"b": 2, b"c": 2, b"d": 1}


def test_the_room_loads_no_numerics_until_an_embedder_is_made() -> None:
    done = run("import sys, pinakes.neural; assert not {'numpy', 'tokenizers', 'onnxruntime'} & set(sys.modules)")
    assert done.returncode == 0, done.stderr


def test_encoding_needs_nothing_but_numpy() -> None:
    done = run(
        "import sys; from pinakes.neural import load_embedder; load_embedder('static').encode(['question']);"
        "assert not {'tokenizers', 'onnxruntime', 'huggingface_hub', 'socket'} & set(sys.modules)"
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_embedder_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="“bert”"):
        load_embedder("bert")


def test_missing_and_damaged_weights_are_reported_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(ExtraMissing, match=r"rows\.npy.*Install Pinakes again"):
        StaticEmbedder(tmp_path)
    shutil.copytree(STATIC, tmp_path, dirs_exist_ok=True)
    (tmp_path / "rows.npy").write_bytes(b"nothing of the kind")
    with pytest.raises(ConfigError, match="Install Pinakes again"):
        StaticEmbedder(tmp_path).encode(["question"])


def test_a_licence_and_a_notice_lie_beside_the_table() -> None:
    assert "Apache License" in (STATIC / "LICENSE").read_text(encoding="utf-8")
    assert "granite-embedding-30m-english" in (STATIC / "NOTICE").read_text(encoding="utf-8")


def test_vectors_survive_being_kept_as_float16() -> None:
    vectors = StaticEmbedder().encode(("one text", "another text about tokens"))
    assert np.array_equal(vectors.astype(np.float16).astype(np.float32), vectors)


def test_repeating_a_word_does_not_drown_the_others() -> None:
    spam, both, other = StaticEmbedder().encode(("token " * 50, "token " * 50 + "harbour", "harbour"))
    assert both @ other > 0.1
    assert spam @ both < 0.999


def test_meaning_is_nearer_than_spelling() -> None:
    question, answer, other = StaticEmbedder().encode(
        ("delete a repository", "How to remove a project for good", "A repository of recipes for winter")
    )
    assert question @ answer > question @ other


def test_more_words_than_are_kept_give_the_same_vectors() -> None:
    texts = [f"word{number} other{number * 7} {number:x}q" for number in range(40_000)]
    embedder = StaticEmbedder()
    every = embedder.encode(texts)
    for place in (0, 17, 39_999):
        assert np.array_equal(embedder.encode([texts[place]])[0], every[place])
        assert np.array_equal(StaticEmbedder().encode([texts[place]])[0], every[place])


def test_threads_share_an_embedder() -> None:
    embedder = StaticEmbedder()
    texts = [[f"text {thread} {number} of many{number}" for number in range(200)] for thread in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.encode, texts))
    for given_texts, vectors in zip(texts, found, strict=True):
        assert np.array_equal(StaticEmbedder().encode(given_texts), vectors)


@settings(deadline=None)
@given(st.text())
def test_any_text_has_a_vector_of_length_one_or_none(text: str) -> None:
    (vector,) = EMBEDDER.encode([text])
    assert abs(np.linalg.norm(vector) - 1) < 2e-3 or not vector.any()
