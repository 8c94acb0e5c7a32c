"""How common words are in the corpus, and which of them are verbs there.

In come documents, out comes a table that prints as one line of JSON and reads back. Words rarer than what the bounded
table holds count as occurring once, which is what makes them telling.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import Struct, field

from pinakes.records import Document, Layout

_BEFORE_VERBS = """
can could don't may might must should they to To we We will would you You
"""
_BEFORE_NOUNS = """
a A an An any by each every for its no of our the The their these this This with your Your
"""
_AFTER_IMPERATIVES = """
a an any each in into it on out that the these this to up whether your
"""
_VERBAL, _NOMINAL, _OBJECTS = map(frozenset, map(str.split, (_BEFORE_VERBS, _BEFORE_NOUNS, _AFTER_IMPERATIVES)))
_ENDS_OF_SENTENCES = ".!?:\x02"
_EVIDENCE = 3
"""Sections that must show a word as a verb."""
_MOST_WORDS = 50_000
_MOST_COUNTED = 1_000_000
"""Distinct words held while counting; then those met once so far are let go."""


class Statistics(Struct, frozen=True, dict=True):
    """In how many sections of a corpus each word occurs."""

    sections: int = 0
    """All sections of all documents counted."""
    with_text: int = 0
    """Those that hold prose."""
    words: Mapping[str, int] = field(default_factory=dict)
    """Word key to number of sections, for words in more than one section; the most common ones."""
    verbs: Mapping[str, int] = field(default_factory=dict)
    """Word key to the percentage of its telling occurrences that are verbal, from half on: what follows “to”, “you can”
    or the beginning of a sentence before “the” is a verb there, what follows “the” or “of” is not."""

    def verbal(self, key: str) -> float:
        """The share of verbal occurrences; 0 where it is not known or below a half."""
        return self.verbs.get(key, 0) / 100

    def dumps(self) -> str:
        """One line; equal statistics print equally."""
        words, verbs = dict(sorted(self.words.items())), dict(sorted(self.verbs.items()))
        return json.dumps([self.sections, self.with_text, words, verbs], ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Statistics:
        """What `dumps` printed; anything else, such as the empty text, reads as no statistics."""
        try:
            sections, with_text, words, verbs = json.loads(text)
            return cls(int(sections), int(with_text), _numbers(words), _numbers(verbs))
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            return cls()

    @cached_property
    def digest(self) -> str:
        """Equal digests mean equal statistics."""
        return hashlib.blake2b(self.dumps().encode("utf-8", "replace"), digest_size=8).hexdigest()


class WordTally:
    """The counts of some documents, on their way to `Statistics`; two may be added up."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._verbal: Counter[str] = Counter()
        self._nominal: Counter[str] = Counter()
        self._sections = self._with_text = 0
        self._room = _MOST_COUNTED

    @property
    def words(self) -> int:
        """Distinct ones."""
        return len(self._counts)

    def add(self, document: Document) -> None:
        # Not at the top: the patterns behind these take a while to build, and options are read at every start.
        from pinakes.enrich.texts import bodies
        from pinakes.enrich.words import tokens, word_form

        self._sections += len(document.sections)
        if document.stamp.media.layout is Layout.DRAWING:
            return
        for body in bodies(document):
            found = tokens(body.prose())
            keys = {word_form(token).key for token in set(found)}
            keys.discard("")
            self._with_text += bool(keys)
            self._counts.update(keys)
            for role, words in zip((self._verbal, self._nominal), _roles(found), strict=True):
                role.update({word_form(word).key for word in words})
        self._shorten()

    def join(self, other: WordTally) -> None:
        """Add what was counted elsewhere."""
        self._sections += other._sections
        self._with_text += other._with_text
        for mine, its in (
            (self._counts, other._counts),
            (self._verbal, other._verbal),
            (self._nominal, other._nominal),
        ):
            mine.update(its)
        self._shorten()

    def _shorten(self) -> None:
        if len(self._counts) > self._room:
            self._counts = Counter({word: number for word, number in self._counts.items() if number > 1})
            # Where most stay, the next look is far off: all of them are looked at for it.
            self._room = max(_MOST_COUNTED, 2 * len(self._counts))

    def statistics(self) -> Statistics:
        counts = self._counts.items()
        common = sorted(((number, word) for word, number in counts if number > 1), key=lambda one: (-one[0], one[1]))
        return Statistics(
            self._sections,
            self._with_text,
            {word: number for number, word in common[:_MOST_WORDS]},
            _verbs(self._verbal, self._nominal),
        )


def count(documents: Iterable[Document]) -> Statistics:
    """Count a corpus, one document in memory at a time."""
    tally = WordTally()
    for document in documents:
        tally.add(document)
    return tally.statistics()


def _roles(found: Sequence[str]) -> tuple[set[str], set[str]]:
    """The English words that are verbs here, and those that are not, so far as their neighbours tell."""
    pairs = set(pairwise(found))
    verbs = {word for before, word in pairs if before in _VERBAL}
    following = zip([".", *found], found, found[1:], strict=False)
    verbs |= {
        word
        for before, word, after in following
        if after in _OBJECTS and before[-1] in _ENDS_OF_SENTENCES and word.istitle()
    }
    return verbs, {word for before, word in pairs if before in _NOMINAL}


def _verbs(verbal: Mapping[str, int], nominal: Mapping[str, int]) -> dict[str, int]:
    shares = {key: 100 * times // (times + nominal.get(key, 0)) for key, times in verbal.items() if times >= _EVIDENCE}
    return {key: share for key, share in shares.items() if key and share >= 50}


def _numbers(table: Mapping[str, int]) -> dict[str, int]:
    return {str(word): int(count) for word, count in table.items()}
