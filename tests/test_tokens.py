"""The token estimate: it adds up over lines, and stays close to a real tokenizer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.neural.model_files import EMBED
from pinakes.tokens import count_tokens

TEXT = st.text(st.characters(codec="utf-8"), max_size=200)


@given(TEXT, TEXT)
def test_lines_add_up_exactly(first: str, second: str) -> None:
    assert count_tokens(first + "\n" + second) == count_tokens(first) + 1 + count_tokens(second)


@given(TEXT)
def test_any_text_that_is_not_empty_costs_something(text: str) -> None:
    assert (count_tokens(text) > 0) == bool(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("a word", 2),
        ("        return x", 3),
        ("~280ln", 5),
        ("日本語", 4),
        ("\n\n\n", 3),
    ],
)
def test_pieces_are_cut_where_tokenizers_cut(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_word_costs_the_same_wherever_it_stands() -> None:
    assert count_tokens("## Heading (alpha, beta) [code] ~85ln ←3") == sum(
        count_tokens(part) for part in ("## Heading", " (alpha, beta)", " [code]", " ~85ln", " ←3")
    )


def test_the_estimate_is_close_to_a_real_tokenizer_on_documentation(laid_out: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(EMBED / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    files = sorted(laid_out.rglob("*.md"))[:120]
    texts = [file.read_text("utf-8", "replace") for file in files]
    exact = sum(len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts)
    assert 0.97 < sum(map(count_tokens, texts)) / exact < 1.1
