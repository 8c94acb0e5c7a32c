"""How a keyword is written: as its section first writes it, without a capital that only a sentence's beginning gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pinakes.enrich.candidates import CodeCounts, Stream
from pinakes.enrich.words import without_ending

if TYPE_CHECKING:
    from pinakes.enrich.candidates import IntArray


def writer(stream: Stream, document: IntArray) -> Callable[[int, int], str]:
    """A function from a position in the stream and a number of words to the phrase as it should be shown.

    `document` gives each section's document: a word that the document writes small, or with a capital only where a
    clause begins, is shown small; `Docker` in mid-sentence stays `Docker`.
    """
    words = stream.forms.words
    size = len(stream.forms.key_numbers) + 1
    of_key = document[stream.section] * size + stream.key
    is_border = np.array([*(not word.shown for word in words), True], dtype=np.bool_)[stream.form]
    is_capital = np.array([*(word.is_capitalised for word in words), False], dtype=np.bool_)[stream.form]
    is_small = np.array([*(word.shown.islower() for word in words), False], dtype=np.bool_)[stream.form]
    begins = np.concatenate([np.ones(1, dtype=np.bool_), is_border[:-1]])[: len(is_border)]
    as_name, as_word = CodeCounts(of_key[is_capital & ~begins]), CodeCounts(of_key[is_small])
    is_sentence_case = is_capital & (as_name.of(of_key) <= as_word.of(of_key))

    def write(first: int, length: int) -> str:
        parts: list[str] = []
        for position in range(first, first + length):
            word = words[stream.form[position]]
            text = without_ending(word) if position == first + length - 1 else word.shown
            parts.append(text.lower() if is_sentence_case[position] else text)
        return " ".join(parts)

    return write
