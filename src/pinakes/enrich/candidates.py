"""Which phrases a section offers, counted for many sections at once, and how each is written.

In come tokens per section, out comes a table with one row per section and phrase. Only counting happens here, with
arrays instead of loops over phrases; what a count is worth is decided in `contrast.py`. `writer` shows a phrase as its
section first writes it, without a capital that only a sentence's beginning gave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from pinakes.enrich.words import WordForm, without_ending, word_form

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]
    Weights = NDArray[np.float64]
    Flags = NDArray[np.bool_]


class Forms(dict[str, int]):
    """Tokens and their numbers in this batch; a token gets one when it is first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[WordForm] = []
        self.key_numbers: dict[str, int] = {}
        self.key_of: list[int] = []

    def __missing__(self, token: str) -> int:
        word = word_form(token)
        number = self[token] = len(self.words)
        self.words.append(word)
        self.key_of.append(self.key_numbers.setdefault(word.key, len(self.key_numbers)) if word.key else -1)
        return number


class Stream(Struct, frozen=True):
    """All sections' tokens behind one another, a border after each section."""

    forms: Forms
    form: IntArray
    """Per position, the token's number in `forms`; -1 after a section's end."""
    start: IntArray
    """Per section, where it begins."""
    section: IntArray
    """Per position, the section it stands in."""
    key: IntArray
    """Per position, the word's key; -1 where no keyword may reach."""


class CodeCounts:
    """How often each code occurs, asked for many codes at once."""

    def __init__(self, codes: IntArray) -> None:
        self._codes, self._counts = np.unique(codes, return_counts=True)

    def of(self, codes: IntArray) -> IntArray:
        if not len(self._codes):
            return np.zeros(codes.shape, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        return np.where(self._codes[at] == codes, self._counts[at], 0)


class Phrases(Struct, frozen=True):
    """One row per section and phrase found in it, ordered by section, then phrase."""

    section: IntArray
    phrase: IntArray
    """The phrase's row in `words`."""
    count: Weights
    """How often the section holds it; occurrences that cut a longer phrase count less, names being defined more."""
    first: IntArray
    """Position in the stream where the section first holds it."""
    words: IntArray
    """Per phrase its words' keys, filled up with -1."""
    stands: Flags
    """Per phrase, whether it may be a keyword; the others are counted for what they contain."""


def lay_out(sections: Sequence[Sequence[str]], forms: Forms) -> Stream:
    """Number the tokens of each section."""
    numbers: list[int] = []
    lengths: list[int] = []
    for tokens in sections:
        numbers += [forms[token] for token in tokens]
        numbers.append(-1)
        lengths.append(len(tokens) + 1)
    form = np.array(numbers, dtype=np.int64)
    key_of = np.array([*forms.key_of, -1], dtype=np.int64)
    start = np.cumsum([0, *lengths[:-1]], dtype=np.int64)[: len(lengths)]
    return Stream(forms, form, start, np.repeat(np.arange(len(sections)), lengths), key_of[form])


_CUT_BEFORE, _CUT_AFTER = 0.9, 0.5
"""What an occurrence counts that goes on to its left, or to its right: in English the last word is the thing."""


def find_phrases(stream: Stream, longest: int, is_verb: Flags) -> Phrases:
    """Every run of one to `longest` keyed words that stand side by side; `is_verb` says per key what no subject is."""
    words = stream.forms.words
    verbal = np.append(is_verb, False)[stream.key]
    alone = np.array([*(word.stands_alone for word in words), False], dtype=np.bool_)[stream.form] & ~verbal
    leads = np.array([*(word.may_lead for word in words), False], dtype=np.bool_)[stream.form] & ~verbal
    worth = np.array([*(word.weight for word in words), 0.0])[stream.form]
    size = len(stream.forms.key_numbers) + 1
    starts = np.flatnonzero(stream.key >= 0)
    codes, inverse = np.unique(stream.key[starts], return_inverse=True)
    table = codes[:, None]
    stands = np.zeros(len(codes), dtype=np.bool_)
    stands[inverse[alone[starts]]] = True
    found = [(starts, inverse)]
    weights = [worth[starts]]
    tables, standing, total = [table], [stands], len(codes)
    for length in range(2, longest + 1):
        ends = starts + length - 1
        going_on = (stream.key[ends] >= 0) & leads[starts] & (stream.key[ends] != stream.key[ends - 1])
        starts, inverse = starts[going_on], inverse[going_on]
        codes, rows, inverse = np.unique(
            inverse * size + stream.key[starts + length - 1], return_index=True, return_inverse=True
        )
        table = stream.key[starts[rows][:, None] + np.arange(length)]
        stands = np.zeros(len(codes), dtype=np.bool_)
        stands[inverse[alone[starts] | alone[starts + length - 1]]] = True
        found.append((starts, inverse + total))
        is_cut_after = stream.key[starts + length] >= 0
        weights.append(
            np.where(is_cut_after, _CUT_AFTER, np.where(stream.key[starts - 1] >= 0, _CUT_BEFORE, 1.0)) * worth[starts]
        )
        tables.append(table)
        standing.append(stands)
        total += len(codes)
    positions = np.concatenate([start for start, _ in found])
    phrases = np.concatenate([phrase for _, phrase in found])
    total = max(total, 1)
    pairs, rows, inverse = np.unique(
        stream.section[positions] * total + phrases, return_index=True, return_inverse=True
    )
    padded = [np.pad(some, ((0, 0), (0, longest - some.shape[1])), constant_values=-1) for some in tables]
    return Phrases(
        section=pairs // total,
        phrase=pairs % total,
        count=np.bincount(inverse, weights=np.concatenate(weights), minlength=len(pairs)).astype(np.float64),
        first=positions[rows],
        words=np.concatenate(padded),
        stands=np.concatenate(standing),
    )


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
