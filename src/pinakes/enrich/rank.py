"""From words to keywords, for many sections at once: phrases, contrast, closeness of meaning, choice.

In come sections as words, out come their keywords. The order of work stands in `rank`; each step is a room of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

import numpy as np

from pinakes.enrich.candidates import Forms, Phrases, Stream, find_phrases, lay_out, writer
from pinakes.enrich.choose import Meaning, Shortlist, choose
from pinakes.enrich.contrast import Setting, contrast
from pinakes.enrich.keywords import KeywordOptions
from pinakes.enrich.statistics import Statistics
from pinakes.enrich.texts import SectionText
from pinakes.enrich.words import stem, strength, tokens, unmarked, word_form
from pinakes.records import Document

if TYPE_CHECKING:
    from pinakes.enrich.candidates import Flags, IntArray
    from pinakes.enrich.contrast import Scores
    from pinakes.ports import Embedder

_VERB = 0.8
"""Share of verbal occurrences from which a word is no subject."""
_VERB_AT_END = 0.4
"""How fit such a word is to end a phrase: “workers drain”, but also “monthly update”."""
_CHANCE = 3
"""Sections up to which a word counts as equally rare."""
_SPARE = 6
"""Candidates looked at beyond twice the number wanted; 24 more gain less than .006 by the same measure."""
_AT_ONCE = 512
"""Sections whose candidates are embedded and compared at a time: 6 MB of vectors."""


def rank(
    documents: Sequence[Document],
    texts: Sequence[SectionText],
    statistics: Statistics,
    embedder: Embedder | None,
    options: KeywordOptions,
) -> Iterator[tuple[SectionText, tuple[str, ...]]]:
    """Each section that has keywords, and them, best first."""
    if not any(text.wanted and text.tokens for text in texts):
        return
    forms = Forms()
    stream = lay_out([text.tokens for text in texts], forms)
    verbal = np.array([statistics.verbal(key) for key in forms.key_numbers])
    phrases = find_phrases(stream, max(options.ngram, 1), verbal >= _VERB)
    setting = _setting(documents, texts, stream, phrases, statistics, verbal)
    score, may_join = contrast(phrases, setting, options.max_doc_freq)
    shortlist = _shortlist(phrases, score, may_join, setting.stem, texts, 2 * options.top_n + _SPARE)
    write = writer(stream, setting.document)
    lengths = (phrases.words[phrases.phrase] >= 0).sum(axis=1)
    for first in range(0, len(shortlist.section), _AT_ONCE):
        block = shortlist.part(slice(first, first + _AT_ONCE))
        asked = [texts[section] for section in block.section.tolist()]
        rows = block.candidate[block.candidate >= 0].tolist()
        shown = {row: write(int(phrases.first[row]), int(lengths[row])) for row in rows}
        meaning = _meaning(embedder, block, shown, asked, options.contrast_only_chars) if embedder else None
        for text, chosen in zip(asked, choose(block, meaning, options.diversity, options.min_score), strict=True):
            yield text, tuple(dict.fromkeys(shown[row] for row in chosen))


def _setting(
    documents: Sequence[Document],
    texts: Sequence[SectionText],
    stream: Stream,
    phrases: Phrases,
    statistics: Statistics,
    verbal: Scores,
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
        strength=np.array([strength(key) for key in forms.key_numbers]) * np.where(verbal >= _VERB, _VERB_AT_END, 1.0),
        alone=1.0 - verbal,
    )


def _stems(title: str, numbers: Mapping[str, int]) -> set[int]:
    """The stems of a title's words, so far as any section of the batch uses them."""
    return {numbers[found] for token in tokens(title) if (found := stem(word_form(token).key)) in numbers}


def _rarity(forms: Forms, statistics: Statistics) -> Scores:
    """The square root of the usual logarithm, level up to three sections: what is rarest is more often a chance word
    than the subject. Measured by how many sections' first three keywords name what the heading names, when they may:
    .62 → .65, .58 → .62, .68 → .70, .64 → .69 on four bodies of documentation."""
    if not statistics.with_text:
        return np.ones(len(forms.key_numbers))
    counts = np.array([statistics.words.get(key, 1) for key in forms.key_numbers], dtype=np.float64)
    share = np.maximum(counts, _CHANCE) / (statistics.with_text + _CHANCE)
    return np.sqrt(np.clip(np.log(share) / log(_CHANCE / (statistics.with_text + _CHANCE)), 0.0001, 1.0))


def _shortlist(
    phrases: Phrases, score: Scores, may_join: Flags, stem_of: IntArray, texts: Sequence[SectionText], width: int
) -> Shortlist:
    """Each section's `width` best rows of `phrases`."""
    wanted = np.array([text.wanted for text in texts], dtype=np.int64)
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
    candidate[line, place] = rows
    values = np.zeros(candidate.shape)
    values[line, place] = score[rows]
    words = np.full((*candidate.shape, phrases.words.shape[1]), -1, dtype=np.int64)
    keys = phrases.words[phrases.phrase[rows]]
    words[line, place] = np.where(keys >= 0, stem_of[keys], -1)
    return Shortlist(sections, candidate, values, words, wanted[sections])


def _meaning(
    embedder: Embedder,
    block: Shortlist,
    shown: Mapping[int, str],
    asked: Sequence[SectionText],
    contrast_only_chars: int,
) -> Meaning:
    phrases = np.zeros((*block.candidate.shape, embedder.dimensions), dtype=np.float32)
    sections = np.zeros((len(asked), embedder.dimensions), dtype=np.float32)
    long = np.array([text.length >= contrast_only_chars for text in asked], dtype=np.bool_)
    if long.any():
        sections[long] = embedder.encode([unmarked(text.prose) for text in asked if text.length >= contrast_only_chars])
        cells = (block.candidate >= 0) & long[:, None]
        texts = [shown[row] for row in block.candidate[cells].tolist()]
        distinct = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        phrases[cells] = embedder.encode(tuple(distinct))[[distinct[text] for text in texts]]
    return Meaning(phrases, sections)
