"""Which sections a question is about, by the words of their headings, keywords and paths.

A question and outlines enter, addresses leave, for maps that are focused on a question before there is a search.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log

from pinakes.records import Outline, Ref

_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_MOST = 24
_NEAR = 0.5
"""Sections that score less than this share of the best one are not meant."""
_SMALL_WORDS = frozenset(
    {
        *(
            "a",
            "an",
            "and",
            "are",
            "can",
            "do",
            "doe",
            "for",
            "from",
            "how",
            "i",
            "in",
            "is",
            "it",
            "my",
            "of",
            "on",
            "or",
        ),
        *("the", "to", "use", "what", "when", "where", "which", "who", "why", "with", "you", "your"),
    }
)
_TITLE, _KEYWORD, _PATH = 3.0, 1.5, 1.0


def sections_about(outlines: Sequence[Outline], question: str) -> tuple[Ref, ...]:
    """The sections nearest to the question, the best first; none when no word of it is known."""
    asked = _words(question)
    asked = asked - _SMALL_WORDS or asked
    if not asked:
        return ()
    found: list[tuple[frozenset[str], frozenset[str], frozenset[str], Ref]] = []
    seen: Counter[str] = Counter()
    for outline in outlines:
        path = asked & _words(outline.ref.path)
        for place, section in enumerate(outline.sections):
            heading, labels = section.title if place else outline.title, " ".join(section.keywords)
            # Most sections share no word with the question; a look at the letters is ten times faster than cutting.
            folded = f"{heading} {labels}".casefold()
            if not path and not any(word in folded for word in asked):
                continue
            title, keywords = asked & _words(heading), asked & _words(labels)
            if title or keywords or path:
                seen.update(title | keywords | path)
                found.append((title, keywords, path, Ref(outline.ref.corpus, outline.ref.path, section.anchor)))
    weight = {word: log(1 + len(found) / count) for word, count in seen.items()}
    scored = [
        (
            sum(
                weight[word] * ((word in title) * _TITLE + (word in keywords) * _KEYWORD + (word in path) * _PATH)
                for word in title | keywords | path
            ),
            ref,
        )
        for title, keywords, path, ref in found
    ]
    scored.sort(key=lambda item: (-item[0], item[1]))
    return tuple(ref for score, ref in scored[:_MOST] if score >= scored[0][0] * _NEAR)


def _words(text: str) -> frozenset[str]:
    """Words without case and plural endings; pairs of characters where words are not spaced."""
    words: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        for run in _WIDE.findall(word):
            words.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        words.add(word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word)
    return frozenset(words)
