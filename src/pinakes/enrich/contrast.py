"""How well a phrase tells its section from the rest: class-based TF-IDF, for many sections at once.

In come counted phrases, out comes a score per row and whether the row may be chosen at all. A phrase scores by how
often its section holds it, how few of the document's other sections do, and how few sections of the corpus hold its
words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from pinakes.enrich.candidates import CodeCounts, Phrases

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.enrich.candidates import Flags, IntArray

    Scores = NDArray[np.float64]

_FEWEST_SECTIONS = 3
"""Documents with fewer sections say nothing about which words are everywhere in them."""
_HELD_BY_LONGER = 0.5
"""Share of a word's occurrences inside its commonest longer phrase that do not count for the word."""
_EARLY = 0.3
_EARLY_WORDS = 60.0
"""A section's first words say what it is about; the advantage of `_EARLY` fades over so many words."""
_IN_PAGE_TITLE = 0.5
_TOUCHES_TITLE = 0.85


class Setting(Struct, frozen=True):
    """What the sections of a batch stand in."""

    keys: int
    """How many word keys there are."""
    document: IntArray
    """Per section, its document."""
    siblings: IntArray
    """Per document, how many of its sections hold words."""
    start: IntArray
    """Per section, where in the stream it begins."""
    stem: IntArray
    """Per key, what it shares with the other forms of its word."""
    titles: IntArray
    """Section × keys + stem for every word of every section's own title."""
    page_titles: IntArray
    """Section × keys + stem for every word of the title of the document a section stands in."""
    rarity: Scores
    """Per key, from 0 (in every section of the corpus) to 1 (in one)."""
    strength: Scores
    """Per key, how fit it is to end a keyword."""
    alone: Scores
    """Per key, how fit it is to be one."""


def contrast(phrases: Phrases, setting: Setting, max_doc_freq: float) -> tuple[Scores, Flags]:
    """Per row a score, and whether it may be chosen beside better ones."""
    words = phrases.words[phrases.phrase]
    is_word = words >= 0
    lengths = is_word.sum(axis=1)
    document = setting.document[phrases.section]
    siblings = setting.siblings[document]

    spread = _spread(document, phrases.phrase, len(phrases.words))
    among_siblings = np.log1p(siblings / spread) / np.log1p(siblings)
    in_corpus = np.where(is_word, setting.rarity[words], 0.0).sum(axis=1) / lengths
    score = np.log1p(_own_count(phrases, words, lengths)) * among_siblings * in_corpus
    score *= 1.0 + _EARLY * np.exp((setting.start[phrases.section] - phrases.first) / _EARLY_WORDS)
    score *= setting.strength[words[np.arange(len(words)), lengths - 1]]
    score *= np.where(lengths == 1, setting.alone[words[:, 0]], 1.0)

    stems = phrases.section[:, None] * setting.keys + setting.stem[words]
    in_title = (np.isin(stems, setting.titles) & is_word).sum(axis=1) / lengths
    in_page_title = (np.isin(stems, setting.page_titles) & is_word).sum(axis=1) / lengths
    score *= np.where(in_title > 0, _TOUCHES_TITLE, 1.0) * np.where(in_page_title == 1, _IN_PAGE_TITLE, 1.0)

    return score, ~((in_title == 1) | _is_everywhere(phrases, words, document, siblings, max_doc_freq))


def _spread(document: IntArray, phrase: IntArray, phrases: int) -> IntArray:
    """Per row, how many sections of its document hold its phrase."""
    _, inverse, counts = np.unique(document * max(phrases, 1) + phrase, return_inverse=True, return_counts=True)
    spread: IntArray = counts[inverse]
    return spread


def _own_count(phrases: Phrases, words: IntArray, lengths: IntArray) -> Scores:
    """Counts, less what a longer phrase of the section explains: “tier” is little beside three “tier promotion”s."""
    size = max(len(phrases.words), 1)
    pairs = phrases.section * size + phrases.phrase
    # A key's own phrase: phrases of one word come first in the table, ordered by key.
    single = (
        phrases.words[: int((phrases.words[:, 1:] < 0).all(axis=1).sum()), 0] if len(phrases.words) else words[:0, 0]
    )
    explained = np.zeros(len(pairs), dtype=np.float64)
    for column in range(words.shape[1]):
        rows = np.flatnonzero((lengths > 1) & (words[:, column] >= 0))
        owners = np.searchsorted(single, words[rows, column])
        np.maximum.at(explained, np.searchsorted(pairs, phrases.section[rows] * size + owners), phrases.count[rows])
    return phrases.count - _HELD_BY_LONGER * explained


def _is_everywhere(
    phrases: Phrases, words: IntArray, document: IntArray, siblings: IntArray, max_doc_freq: float
) -> Flags:
    """Whether all the words of a row occur in more than `max_doc_freq` of its document's sections."""
    single = (words[:, 1:] < 0).all(axis=1)
    size = int(words.max(initial=0)) + 1
    sections = CodeCounts(document[single] * size + words[single, 0])
    common = np.ones(len(words), dtype=np.bool_)
    for column in range(words.shape[1]):
        occurs = sections.of(document * size + words[:, column])
        common &= (words[:, column] < 0) | (occurs > max_doc_freq * siblings)
    return common & (siblings >= _FEWEST_SECTIONS)
