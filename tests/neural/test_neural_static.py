"""The static embedder beyond what every embedder promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tokenizers

from pinakes.errors import ConfigError, ExtraMissing
from pinakes.neural import load_embedder
from pinakes.neural.pieces import WORD, cut, read_vocabulary
from pinakes.neural.static import StaticEmbedder

TOKENIZER = Path(tokenizers.__file__).parents[1] / "wordllama/tokenizers/l2_supercat_tokenizer_config.json"


def run(program: str, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *flags, "-c", program], capture_output=True, text=True)


def test_words_are_cut_as_the_tokenizers_library_cuts_them() -> None:
    library = tokenizers.Tokenizer.from_file(str(TOKENIZER))
    vocabulary = read_vocabulary(TOKENIZER)
    text = Path(__file__).read_text(encoding="utf-8") + " naïve Ωmega ﬁnal Straße žluťoučký Привет مرحبا 1234567 ªº𝒳"
    words = sorted(set(WORD.findall(text)))
    assert len(words) > 100
    for word in words:
        assert list(cut(word, vocabulary)) == library.encode(word, add_special_tokens=False).ids


def test_the_room_loads_no_numerics_until_an_embedder_is_made() -> None:
    done = run("import sys, pinakes.neural; assert not {'numpy', 'tokenizers', 'wordllama'} & set(sys.modules)")
    assert done.returncode == 0, done.stderr


def test_encoding_imports_neither_the_weights_package_nor_the_tokenizers() -> None:
    done = run(
        "import sys; from pinakes.neural import load_embedder; load_embedder().encode(['question']);"
        "assert not {'tokenizers', 'wordllama', 'huggingface_hub', 'socket'} & set(sys.modules)"
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_embedder_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="“bert”"):
        load_embedder("bert")


def test_missing_weights_are_reported_with_the_next_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "wordllama").mkdir()
    (tmp_path / "wordllama" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ExtraMissing, match="pip install wordllama"):
        load_embedder()


def test_vectors_survive_being_kept_as_float16() -> None:
    vectors = StaticEmbedder().encode(("one text", "another text about tokens"))
    assert np.array_equal(vectors.astype(np.float16).astype(np.float32), vectors)


def test_repeating_a_word_does_not_drown_the_others() -> None:
    spam, both, other = StaticEmbedder().encode(("token " * 50, "token " * 50 + "harbour", "harbour"))
    assert both @ other > 0.1
    assert spam @ both < 0.999
