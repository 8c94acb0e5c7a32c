"""Plain BM25 over whole sections, to compare search with: stems of words, title and headings as text, no more."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from math import log

import Stemmer

from pinakes.ports import Reader
from pinakes.records import DOCS, Document, Hit, Query, QuestionKind, Ref, Results, Span

K1, B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9]+")


class PlainBm25:
    """All sections of a store, in memory."""

    def __init__(self, reader: Reader) -> None:
        self._stem = Stemmer.Stemmer("english").stemWords
        self._places: list[tuple[Document, int]] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        for path in reader.files(DOCS):
            document = reader.document(Ref(DOCS, path))
            for position in range(len(document.sections)) if document else ():
                self._add(document, position)  # type: ignore[arg-type]
        self._mean = sum(self._lengths) / len(self._lengths)

    def _terms(self, text: str) -> list[str]:
        found: list[str] = self._stem(_WORD.findall(text.lower()))
        return found

    def _add(self, document: Document, position: int) -> None:
        own = document.text(document.own(position))
        terms = self._terms(" ".join((document.title, *document.trail(position), own)))
        for term, times in Counter(terms).items():
            self._postings[term].append((len(self._places), times))
        self._places.append((document, position))
        self._lengths.append(len(terms))

    def search(self, text: str, limit: int = 15) -> Results:
        scores: dict[int, float] = defaultdict(float)
        for term in set(self._terms(text)):
            held = self._postings.get(term, ())
            rarity = log(1 + (len(self._places) - len(held) + 0.5) / (len(held) + 0.5))
            for at, times in held:
                norm = times + K1 * (1 - B + B * self._lengths[at] / self._mean)
                scores[at] += rarity * times * (K1 + 1) / norm
        best = sorted(scores, key=lambda at: (-scores[at], at))[:limit]
        return Results(Query(text), QuestionKind.EXPLORATORY, tuple(self._hit(at, scores[at]) for at in best), ())

    def _hit(self, at: int, score: float) -> Hit:
        document, position = self._places[at]
        own = document.own(position)
        trail, text = document.trail(position), document.text(own)
        return Hit(
            document.section_ref(position),
            document.title,
            trail,
            document.kind,
            Span(0, 1),
            own,
            text,
            document.digest,
            (),
            score,
            (),
        )
