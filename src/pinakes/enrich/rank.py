"""From words to keywords, for many sections at once: phrases, contrast, closeness of meaning, choice.

In come sections as words, out come their keywords. The order of work stands in `rank`; each step is a room of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

import numpy as np

from pinakes.enrich.candidates import Forms, Phrases, Stream, find_phrases, lay_out
from pinakes.enrich.choose import Meaning, Shortlist, choose
from pinakes.enrich.contrast import Setting, contrast
from pinakes.enrich.keywords import Text
from pinakes.enrich.options import KeywordOptions
from pinakes.enrich.shown import writer
from pinakes.enrich.statistics import Statistics
from pinakes.enrich.words import read, stem, strength, tokens
from pinakes.records import Document

if TYPE_CHECKING:
    from pinakes.enrich.candidates import Flags, Numbers
    from pinakes.enrich.contrast import Scores
    from pinakes.ports import Embedder

_CHANCE = 3
"""Sections up to which a word counts as equally rare."""


def rank(
    documents: Sequence[Document],
    texts: Sequence[Text],
    statistics: Statistics,
    embedder: Embedder | None,
    options: KeywordOptions,
) -> Iterator[tuple[Text, tuple[str, ...]]]:
    """Each section that has keywords, and them, best first."""
    if not any(text.wanted and text.tokens for text in texts):
        return
    forms = Forms()
    stream = lay_out([text.tokens for text in texts], forms)
    phrases = find_phrases(stream, max(options.ngram, 1))
    setting = _setting(documents, texts, stream, phrases, statistics)
    score, may_join = contrast(phrases, setting, options.max_doc_freq)
    wanted = np.array([text.wanted for text in texts], dtype=np.int64)
    rows, shortlist = _shortlist(phrases, score, may_join, setting.stem, wanted)
    write = writer(stream, setting.document)
    lengths = (phrases.words[phrases.phrase[rows]] >= 0).sum(axis=1)
    shown = [write(first, length) for first, length in zip(phrases.first[rows].tolist(), lengths.tolist(), strict=True)]
    asked = [texts[section] for section in np.unique(phrases.section[rows]).tolist()]
    has_meaning = np.array([text.length >= options.contrast_only_chars for text in asked], dtype=np.bool_)
    meaning = _meaning(embedder, shown, [text.prose for text in asked], shortlist, has_meaning) if embedder else None
    for text, chosen in zip(asked, choose(shortlist, meaning, options.diversity, options.min_score), strict=True):
        yield text, tuple(dict.fromkeys(shown[candidate] for candidate in chosen))


def _setting(
    documents: Sequence[Document], texts: Sequence[Text], stream: Stream, phrases: Phrases, statistics: Statistics
) -> Setting:
    forms = stream.forms
    document = np.array([text.document for text in texts], dtype=np.int64)
    siblings = np.zeros(len(documents), dtype=np.int64)
    np.add.at(siblings, document[np.unique(phrases.section)], 1)
    stem_numbers: dict[str, int] = {}
    stems = [stem_numbers.setdefault(stem(key), len(stem_numbers)) for key in forms.key_numbers]
    titles: list[int] = []
    page_titles: list[int] = []
    size = max(len(forms.key_numbers), 1)
    pages = [_stems(page.title, stem_numbers) for page in documents]
    for row, text in enumerate(texts):
        own = _stems(documents[text.document].sections[text.position].title, stem_numbers)
        titles += [row * size + number for number in own]
        page_titles += [row * size + number for number in pages[text.document]]
    return Setting(
        keys=size,
        start=stream.start,
        document=document,
        siblings=siblings,
        stem=np.array(stems, dtype=np.int64),
        titles=np.array(titles, dtype=np.int64),
        page_titles=np.array(page_titles, dtype=np.int64),
        rarity=_rarity(forms, statistics),
        strength=np.array([strength(key) for key in forms.key_numbers]),
    )


def _stems(title: str, numbers: Mapping[str, int]) -> set[int]:
    """The stems of a title's words, so far as any section of the batch uses them."""
    return {numbers[found] for token in tokens(title) if (found := stem(read(token).key)) in numbers}


def _rarity(forms: Forms, statistics: Statistics) -> Scores:
    """The square root of the usual logarithm, level up to three sections: what is rarest is more often a chance word
    than the subject (measured: headings are named by 65 % of their sections' keywords instead of 59 %)."""
    if not statistics.with_text:
        return np.ones(len(forms.key_numbers))
    counts = np.array([statistics.words.get(key, 1) for key in forms.key_numbers], dtype=np.float64)
    share = np.maximum(counts, _CHANCE) / (statistics.with_text + _CHANCE)
    return np.sqrt(np.clip(np.log(share) / log(_CHANCE / (statistics.with_text + _CHANCE)), 0.0001, 1.0))


def _shortlist(
    phrases: Phrases, score: Scores, may_join: Flags, stem_of: Numbers, wanted: Numbers
) -> tuple[Numbers, Shortlist]:
    """The rows of `phrases` worth a closer look, and the same per section, side by side."""
    width = 2 * int(wanted.max(initial=0)) + 2
    rows = np.flatnonzero(phrases.stands[phrases.phrase] & (wanted[phrases.section] > 0))
    order = np.lexsort((phrases.first[rows], -np.round(score[rows], 9), ~may_join[rows], phrases.section[rows]))
    rows = rows[order]
    section = phrases.section[rows]
    starts = np.flatnonzero(np.diff(section, prepend=-1))
    place = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    # Where nothing else is left, the best of what should not be chosen still is.
    kept = (place < width) & (may_join[rows] | (place == 0))
    rows, section, place = rows[kept], section[kept], place[kept]
    sections, line = np.unique(section, return_inverse=True)
    candidate = np.full((len(sections), width), -1, dtype=np.int64)
    candidate[line, place] = np.arange(len(rows))
    values = np.zeros(candidate.shape)
    values[line, place] = score[rows]
    words = np.full((*candidate.shape, phrases.words.shape[1]), -1, dtype=np.int64)
    keys = phrases.words[phrases.phrase[rows]]
    words[line, place] = np.where(keys >= 0, stem_of[keys], -1)
    return rows, Shortlist(candidate, values, words, wanted[sections])


def _meaning(
    embedder: Embedder, shown: Sequence[str], proses: Sequence[str], shortlist: Shortlist, is_asked: Flags
) -> Meaning:
    phrases = np.zeros((len(shown), embedder.dimensions), dtype=np.float32)
    sections = np.zeros((len(proses), embedder.dimensions), dtype=np.float32)
    rows = np.flatnonzero(is_asked)
    if len(rows):
        sections[rows] = embedder.encode([proses[row] for row in rows.tolist()])
        candidates = shortlist.candidate[rows]
        chosen: list[int] = candidates[candidates >= 0].tolist()
        distinct = {phrase: number for number, phrase in enumerate(dict.fromkeys(shown[one] for one in chosen))}
        phrases[chosen] = embedder.encode(tuple(distinct))[[distinct[shown[one]] for one in chosen]]
    return Meaning(phrases, sections)
