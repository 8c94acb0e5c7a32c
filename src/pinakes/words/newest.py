"""The documents that changed last, held in memory until there are enough of them to be worth a commit.

A store's feed and its documents enter, an object that matches, counts and scores their chunks leaves. To commit one
document the engine waits for the disk some twenty times; to read one takes two milliseconds. So the few that changed
last are held here, and what the engine has of them no longer counts. Nothing is written: each process reads them for
itself, until an update finds too many and hands all of them to the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pinakes.ports import Reader
from pinakes.records import ChunkId, Feed, Numbered, Scope, Scored
from pinakes.words.ask import SHARES, term_weights
from pinakes.words.best import DIGITS
from pinakes.words.fields import Row, rows
from pinakes.words.query import Asked
from pinakes.words.scores import Field, measured
from pinakes.words.tokenize import Form, Terms, as_written, english

if TYPE_CHECKING:
    from tantivy import Schema, Searcher

LEAST_CHUNKS = 1000
"""That the engine must hold: what is rare among fewer is judged better by all of them together."""
_FIELDS = ("words", "about", "code")
_PHRASED = ("words", "code")
_MOST_DOCUMENTS = 16
_MOST_CHUNKS = 400


class _Held(NamedTuple):
    """A chunk, with how often it has each term of a field."""

    chunk: ChunkId
    row: Row
    counts: Mapping[str, Counter[str]]


Pages = Mapping[int, tuple[_Held, ...]]
"""Chunks of documents by their numbers."""


@dataclass(frozen=True, slots=True)
class Newest:
    """What happened after the engine's files were written."""

    history: str
    """Of the store."""
    generation: int
    """Of the store, as far as this goes."""
    replaced: frozenset[int]
    """Documents for which the engine no longer speaks."""
    pages: Pages
    """Those of them that are still there."""
    fields: Mapping[str, Field]

    def count(self, term: str) -> int:
        """In how many chunks a term occurs."""
        return sum(term in held.counts["words"] for page in self.pages.values() for held in page)

    def held(self, terms: Sequence[str], chunk: ChunkId) -> list[bool]:
        """For each term whether the chunk has it."""
        found = [held.counts["words"] for held in self.pages.get(chunk.document, ()) if held.chunk == chunk]
        return [any(term in counts for counts in found) for term in terms]

    def match(self, asked: Asked, form: Form, scope: Scope | None, searcher: Searcher) -> list[Scored]:
        """Every chunk here that answers, in no order."""
        weights = term_weights(asked, form)
        found = [
            held
            for number, page in self.pages.items()
            if scope is None or number in scope.documents
            for held in page
            if not weights.keys().isdisjoint(held.counts["words"])
            and (scope is None or scope.sections is None or (number, held.row.section) in scope.sections)
            and _fits(held.row, asked, form)
        ]
        rarity: dict[tuple[str, str], float] = {}
        for field in _FIELDS if found else ():
            for term in {*weights, *(word for phrase in asked.phrases for word in _said(field, phrase, form))}:
                # A term that the engine has never seen is as rare as it is here.
                count = searcher.doc_freq(field, term) or sum(term in held.counts[field] for held in found)
                rarity[field, term] = self.fields[field].rarity(count)
        return [Scored(held.chunk, round(self._score(held, asked, form, weights, rarity), DIGITS)) for held in found]

    def _score(
        self,
        held: _Held,
        asked: Asked,
        form: Form,
        weights: Mapping[str, float],
        rarity: Mapping[tuple[str, str], float],
    ) -> float:
        """Its terms, as the question weighs them, and its phrases, each as rare as all of its words together."""
        score = 0.0
        for name, share in SHARES:
            counts, length = held.counts[name], held.counts[name].total()
            for term, weight in weights.items():
                if times := counts[term]:
                    score += weight * share * self.fields[name].score(times, length, rarity[name, term])
        for phrase in asked.phrases:
            for name in _PHRASED:
                if times := _times(held.row, name, phrase, form):
                    together = sum(rarity[name, term] for term in _said(name, phrase, form))
                    score += self.fields[name].score(times, held.counts[name].total(), together)
        return score


def is_small(feed: Feed) -> bool:
    """Whether so little happened that it can be held in memory."""
    return not feed.is_whole and len(feed.changed) + len(feed.gone) <= _MOST_DOCUMENTS


def unchanged(newest: Newest, since: Feed) -> Pages:
    """What need not be read again, after the feed since then."""
    if since.is_whole or since.history != newest.history:
        return {}
    return {number: page for number, page in newest.pages.items() if number not in since.changed}


def follow(reader: Reader, feed: Feed, kept: Pages, searcher: Searcher, schema: Schema) -> Newest | None:
    """What `feed` speaks of, of which `kept` is known; None when it is too much after all."""
    pages: dict[int, tuple[_Held, ...]] = {}
    room = _MOST_CHUNKS
    for number, page in _pages(reader, feed.changed, kept):
        room -= len(page.chunks) if isinstance(page, Numbered) else len(page)
        if room < 0:
            return None
        pages[number] = tuple(_held(page)) if isinstance(page, Numbered) else page
    fields = {name: _field(searcher, schema, name, pages) for name in _FIELDS}
    return Newest(feed.history, feed.generation, frozenset((*feed.changed, *feed.gone)), pages, fields)


def _pages(reader: Reader, numbers: Sequence[int], known: Pages) -> Iterator[tuple[int, tuple[_Held, ...] | Numbered]]:
    yield from ((number, known[number]) for number in numbers if number in known)
    yield from ((one.number, one) for one in reader.numbered([number for number in numbers if number not in known]))


def _held(numbered: Numbered) -> Iterator[_Held]:
    for row in rows(numbered, Terms(english()), Terms(as_written)):
        counts = {name: Counter(_terms(row, name)) for name in _FIELDS}
        yield _Held(ChunkId(numbered.number, row.ordinal), row, counts)


def _field(searcher: Searcher, schema: Schema, name: str, pages: Pages) -> Field:
    counts = [held.counts[name] for page in pages.values() for held in page]
    found = measured(searcher, schema, name, dict.fromkeys(term for one in counts for term in one))
    chunks = searcher.num_docs + len(counts)
    return found or Field(chunks, max(1, sum(one.total() for one in counts)) / chunks)


def _terms(row: Row, field: str) -> list[str]:
    line: str = getattr(row, field)
    return line.split()


def _fits(row: Row, asked: Asked, form: Form) -> bool:
    """Whether every phrase is there and nothing that is excluded."""

    def has(phrase: Sequence[str]) -> bool:
        return any(_times(row, field, phrase, form) for field in _PHRASED)

    return all(map(has, asked.phrases)) and not any(map(has, asked.excluded))


def _said(field: str, phrase: Sequence[str], form: Form) -> list[str]:
    """A phrase in a field's terms."""
    return [form(word) for word in phrase] if field == "words" else list(phrase)


def _times(row: Row, field: str, phrase: Sequence[str], form: Form) -> int:
    """How often a phrase stands in a field. A single word is looked for in `words` only, which has those of code."""
    if len(phrase) == 1 and field != "words":
        return 0
    wanted, line = _said(field, phrase, form), _terms(row, field)
    return sum(line[at : at + len(wanted)] == wanted for at in range(len(line) - len(wanted) + 1))
