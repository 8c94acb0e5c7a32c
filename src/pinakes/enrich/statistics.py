"""How common words are in the corpus: in how many sections each occurs.

In come documents, out comes a table that prints as one line of JSON and reads back. Words rarer than what the bounded
table holds count as occurring once, which is what makes them telling.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pinakes.records import Document, Layout

_MOST_WORDS = 50_000
_MOST_COUNTED = 1_000_000
"""Distinct words held while counting; then those met once so far are let go."""


@dataclass(frozen=True)
class Statistics:
    """In how many sections of a corpus each word occurs."""

    sections: int = 0
    """All sections of all documents counted."""
    with_text: int = 0
    """Those that hold prose."""
    words: Mapping[str, int] = field(default_factory=dict)
    """Word key to number of sections, for words in more than one section; the most common ones."""

    def dumps(self) -> str:
        """One line; equal statistics print equally."""
        words = dict(sorted(self.words.items()))
        return json.dumps([self.sections, self.with_text, words], ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Statistics:
        """What `dumps` printed; anything else, such as the empty text, reads as no statistics."""
        try:
            sections, with_text, words = json.loads(text)
            return cls(int(sections), int(with_text), {str(word): int(count) for word, count in words.items()})
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            return cls()

    @cached_property
    def digest(self) -> str:
        """Equal digests mean equal statistics."""
        return hashlib.blake2b(self.dumps().encode("utf-8", "replace"), digest_size=8).hexdigest()


def count(documents: Iterable[Document]) -> Statistics:
    """Count a corpus, one document in memory at a time."""
    # Not at the top: the patterns behind these take a while to build, and options are read at every start.
    from pinakes.enrich.texts import bodies
    from pinakes.enrich.words import tokens, word_form

    counts: Counter[str] = Counter()
    sections = with_text = 0
    for document in documents:
        sections += len(document.sections)
        if document.stamp.media.layout is Layout.DRAWING:
            continue
        for body in bodies(document):
            keys = {word_form(token).key for token in set(tokens(body.prose()))}
            keys.discard("")
            with_text += bool(keys)
            counts.update(keys)
        if len(counts) > _MOST_COUNTED:
            counts = Counter({word: number for word, number in counts.items() if number > 1})
    common = sorted(
        ((number, word) for word, number in counts.items() if number > 1), key=lambda item: (-item[0], item[1])
    )
    return Statistics(sections, with_text, {word: number for number, word in common[:_MOST_WORDS]})
