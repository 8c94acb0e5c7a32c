"""The documents that changed last, held in memory until there are enough of them to be worth a commit.

A store's feed and its documents enter; an object leaves that matches, counts and scores their chunks like the engine.
What the engine has of these documents no longer counts. Nothing is written: each process reads them for itself, until
an update finds too many and hands all of them to the engine.

Measured on 20,000 and 150,000 sections (docs/benchmarks.md, edited documents): an edit is searchable after 3 and 13 ms,
with a commit for each after 145 and 144 ms. A small index of the engine's in memory takes 42 and 26 ms, and its scores
are off by half: it judges how rare a word is by its own few documents.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from pinakes.ports import Reader
from pinakes.records import ChunkId, Feed, NumberedDocument, ParsedQuestion, Scope, Scored
from pinakes.words.ask import DIGITS, PAIR_WEIGHT, SHARES, term_weights
from pinakes.words.engine import FieldStatistics, measure_field
from pinakes.words.fields import ChunkTerms, rows
from pinakes.words.forms import unsigned
from pinakes.words.spelling import LAST, SpellingTable
from pinakes.words.tokenize import Normalizer, Terms, as_written, english

if TYPE_CHECKING:
    from tantivy import Schema, Searcher

LEAST_CHUNKS = 1000
"""That the engine must hold: what is rare among fewer is judged better by all of them together."""
_RANKED = ("words", "about", "code")
_MOST_DOCUMENTS = 16
_MOST_CHUNKS = 400


class _RecentChunk(NamedTuple):
    """A chunk, with how often it has each term of a field."""

    chunk: ChunkId
    row: ChunkTerms
    counts: Mapping[str, Counter[str]]


class _TermRun(NamedTuple):
    """Terms that stand together in a field, and how much that counts."""

    field: str
    terms: list[str]
    weight: float = 1.0


ChunksByDocument = Mapping[int, tuple[_RecentChunk, ...]]
"""Chunks of documents by their numbers."""


class RecentDocuments(Struct, frozen=True, dict=True):
    """What happened after the engine's files were written."""

    history: str
    """Of the store."""
    generation: int
    """Of the store, as far as this goes."""
    replaced: frozenset[int]
    """Documents for which the engine no longer speaks."""
    pages: ChunksByDocument
    """Those of them that are still there."""
    fields: Mapping[str, FieldStatistics]

    def count(self, term: str) -> int:
        """In how many chunks a term occurs."""
        return sum(term in chunk_terms.counts["words"] for page in self.pages.values() for chunk_terms in page)

    @cached_property
    def _spelled(self) -> tuple[list[str], Counter[str]]:
        """All words as they are written, in order, and in how many chunks each occurs."""
        every = (word for page in self.pages.values() for chunk_terms in page for word in chunk_terms.counts["spelled"])
        counts = Counter(every)
        return sorted(counts), counts

    @cached_property
    def spellings(self) -> SpellingTable:
        """All words, to be compared with misspelt ones."""
        return SpellingTable(unsigned(self._spelled[1]))

    def spelled(self, start: str) -> Counter[str]:
        """The words that begin like this, as they are written, and in how many chunks each occurs."""
        words, counts = self._spelled
        first, end = bisect_left(words, start), bisect_left(words, start + LAST)
        return Counter({word: counts[word] for word in words[first:end]})

    def holders(self, words: frozenset[str]) -> dict[ChunkId, int]:
        """Every chunk that holds one of the words, as they are written, and the section that it stands in."""
        return {
            chunk_terms.chunk: chunk_terms.row.section
            for page in self.pages.values()
            for chunk_terms in page
            if not words.isdisjoint(chunk_terms.counts["spelled"])
        }

    def match(self, asked: ParsedQuestion, stem: Normalizer, scope: Scope | None, searcher: Searcher) -> list[Scored]:
        """Every chunk here that answers, in no order."""
        weights = term_weights(asked, stem)
        found = [
            chunk_terms
            for number, page in self.pages.items()
            if scope is None or number in scope.documents
            for chunk_terms in page
            if not weights.keys().isdisjoint(chunk_terms.counts["words"])
            and (scope is None or scope.sections is None or (number, chunk_terms.row.section) in scope.sections)
            and _fits(chunk_terms.row, asked, stem)
        ]
        lines = [
            _TermRun(name, _phrase_terms(name, phrase, stem), 1.0)
            for phrase in asked.phrases
            for name in _searched(phrase)
        ]
        return self._scored(found, weights, lines, searcher)

    def scores(
        self, asked: ParsedQuestion, stem: Normalizer, chunks: Sequence[ChunkId], searcher: Searcher
    ) -> list[Scored]:
        """Those of the chunks that are here and hold any of the words; words that stay together count more."""
        weights = term_weights(asked, stem)
        wanted = frozenset(chunks)
        found = [
            chunk_terms
            for number in {chunk.document for chunk in wanted}
            for chunk_terms in self.pages.get(number, ())
            if chunk_terms.chunk in wanted and not weights.keys().isdisjoint(chunk_terms.counts["words"])
        ]
        lines = [_TermRun("words", [stem(word) for word in pair], PAIR_WEIGHT) for pair in asked.pairs]
        return self._scored(found, weights, lines, searcher)

    def _scored(
        self, found: Sequence[_RecentChunk], weights: Mapping[str, float], lines: Sequence[_TermRun], searcher: Searcher
    ) -> list[Scored]:
        """Terms as the question weighs them, and lines of them, each as rare as all of its terms together."""
        scores = dict.fromkeys([chunk_terms.chunk for chunk_terms in found], 0.0)
        if not found:
            return []

        def rarity(name: str, term: str) -> float:
            # A term that the engine has never seen is as rare as it is here.
            count = searcher.doc_freq(name, term) or sum(term in chunk_terms.counts[name] for chunk_terms in found)
            return self.fields[name].rarity(count)

        for name, share in SHARES:
            for term, weight in weights.items():
                value = weight * share * rarity(name, term)
                for chunk_terms in found:
                    if times := chunk_terms.counts[name][term]:
                        scores[chunk_terms.chunk] += self.fields[name].score(
                            times, chunk_terms.counts[name].total(), value
                        )
        for line in lines:
            value = line.weight * sum(rarity(line.field, term) for term in line.terms)
            for chunk_terms in found:
                if times := _times(chunk_terms.row, line):
                    length = chunk_terms.counts[line.field].total()
                    scores[chunk_terms.chunk] += self.fields[line.field].score(times, length, value)
        return [Scored(chunk, round(score, DIGITS)) for chunk, score in scores.items()]


def is_small(feed: Feed) -> bool:
    """Whether so little happened that it can be held in memory."""
    return not feed.is_whole and len(feed.changed) + len(feed.gone) <= _MOST_DOCUMENTS


def unchanged(recent: RecentDocuments, since: Feed) -> ChunksByDocument:
    """What need not be read again, after the feed since then."""
    if since.is_whole or since.history != recent.history:
        return {}
    return {number: page for number, page in recent.pages.items() if number not in since.changed}


def follow(
    reader: Reader, feed: Feed, kept: ChunksByDocument, searcher: Searcher, schema: Schema
) -> RecentDocuments | None:
    """What `feed` speaks of, of which `kept` is known; None when it is too much after all."""
    pages: dict[int, tuple[_RecentChunk, ...]] = {}
    room = _MOST_CHUNKS
    for number, page in _pages(reader, feed.changed, kept):
        room -= len(page.chunks) if isinstance(page, NumberedDocument) else len(page)
        if room < 0:
            return None
        pages[number] = tuple(_recent_chunks(page)) if isinstance(page, NumberedDocument) else page
    fields = {name: _field(searcher, schema, name, pages) for name in _RANKED}
    return RecentDocuments(feed.history, feed.generation, frozenset((*feed.changed, *feed.gone)), pages, fields)


def _pages(
    reader: Reader, numbers: Sequence[int], known: ChunksByDocument
) -> Iterator[tuple[int, tuple[_RecentChunk, ...] | NumberedDocument]]:
    yield from ((number, known[number]) for number in numbers if number in known)
    yield from (
        (one.number, one) for one in reader.documents_by_number([number for number in numbers if number not in known])
    )


def _recent_chunks(numbered: NumberedDocument) -> Iterator[_RecentChunk]:
    for row in rows(numbered, Terms(english()), Terms(as_written)):
        counts = {name: Counter(_terms(row, name)) for name in (*_RANKED, "spelled")}
        yield _RecentChunk(ChunkId(numbered.number, row.ordinal), row, counts)


def _field(searcher: Searcher, schema: Schema, name: str, pages: ChunksByDocument) -> FieldStatistics:
    counts = [chunk_terms.counts[name] for page in pages.values() for chunk_terms in page]
    found = measure_field(searcher, schema, name, dict.fromkeys(term for one in counts for term in one))
    chunks = searcher.num_docs + len(counts)
    return found or FieldStatistics(chunks, max(1, sum(one.total() for one in counts)) / chunks)


def _terms(row: ChunkTerms, field: str) -> list[str]:
    line: str = getattr(row, field)
    return line.split()


def _fits(row: ChunkTerms, asked: ParsedQuestion, stem: Normalizer) -> bool:
    """Whether every phrase is there and nothing that is excluded."""

    def has(phrase: Sequence[str]) -> bool:
        return any(_times(row, _TermRun(name, _phrase_terms(name, phrase, stem))) for name in _searched(phrase))

    return all(map(has, asked.phrases)) and not any(map(has, asked.excluded))


def _searched(phrase: Sequence[str]) -> tuple[str, ...]:
    """The fields where a phrase is looked for: a single word in `words` only, which has those of code."""
    return ("words", "code") if len(phrase) > 1 else ("words",)


def _phrase_terms(field: str, phrase: Sequence[str], stem: Normalizer) -> list[str]:
    """A phrase in a field's terms."""
    return [stem(word) for word in phrase] if field == "words" else list(phrase)


def _times(row: ChunkTerms, line: _TermRun) -> int:
    """How often terms stand side by side in a field."""
    here, wanted = _terms(row, line.field), line.terms
    return sum(here[at : at + len(wanted)] == wanted for at in range(len(here) - len(wanted) + 1))
