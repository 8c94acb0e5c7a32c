"""Which of many indexes is worth a whole search?

A question and the tools of each index enter; for each leaves what would be believed of it, if its best section held
every word of the question that the index knows. More than that is seldom believed afterwards, and it costs a small part
of a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from pinakes.ports import ActiveVectors
from pinakes.records import ParsedQuestion, Query
from pinakes.search.evidence import WORDS_ALONE, believed, rarities_among
from pinakes.search.plan import Tools
from pinakes.words import parse_question

if TYPE_CHECKING:
    from pinakes.ports import Vectors


def promises(query: Query, indexes: Sequence[Tools]) -> list[float]:
    """For each index. Filters count for nothing here."""
    asked = parse_question(query.text)
    words = [one.words for one in indexes if one.words is not None]
    scores = iter(words[0].best_scores(words, asked) if words else ())
    closeness = _Closeness(query.hypothesis or asked.text)
    return [_promise(asked, one, next(scores) if one.words is not None else 0.0, closeness) for one in indexes]


class _Closeness:
    """How near to a question the nearest text of each index is; each embedder encodes it once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._encoded: dict[str, Vectors] = {}

    def of(self, meaning: ActiveVectors) -> float:
        """Above the noise of its embedder."""
        embedder = meaning.embedder
        if embedder.name not in self._encoded:
            self._encoded[embedder.name] = embedder.encode([self._text])[0]
        noise = embedder.traits.noise
        return (meaning.vectors.best_cosine(self._encoded[embedder.name]) - noise) / (1.0 - noise)


def _promise(asked: ParsedQuestion, tools: Tools, best: float, closeness: _Closeness) -> float:
    counts = dict(tools.words.terms(asked)) if tools.words is not None else {}
    rarity = rarities_among(counts, tools.words.size if tools.words is not None else 0)
    whole = sum(rarity.values()) or 1.0
    known = [term for term, count in counts.items() if count]
    coverage, unseen = sum(map(rarity.__getitem__, known)) / whole, 1.0 - len(known) / max(1, len(counts))
    if tools.meaning is None:
        return believed(WORDS_ALONE, coverage, best / sqrt(whole), unseen, 0.0)
    fit = tools.meaning.embedder.traits.abstention
    return believed(fit, coverage, best / sqrt(whole), unseen, closeness.of(tools.meaning))
