"""One state of a word index, to be asked several times: the engine's files as they were opened, and what is newer.

A parsed question enters, section-level chunks and their scores leave. Nothing here looks whether the files are still
the newest, so all that one question asks is answered by the same index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from pinakes.errors import StoreDamaged, StoreError
from pinakes.folder_lock import NEXT_STEP
from pinakes.own_folder import OwnFolder
from pinakes.ports import WordIndex
from pinakes.records import ChunkId, ParsedQuestion, Scope, Scored, best_first
from pinakes.words.ask import best, best_score, best_within, count, finer, holders, question, scores
from pinakes.words.engine import engine_errors
from pinakes.words.fields import BESIDES
from pinakes.words.forms import unsigned
from pinakes.words.manifest import Manifest, remove_manifest
from pinakes.words.recent import RecentDocuments
from pinakes.words.spelled import SpelledWords
from pinakes.words.spelling import SpellingTable, distance
from pinakes.words.tokenize import STEMMED, Normalizer, english, language_term

if TYPE_CHECKING:
    from tantivy import Schema, Searcher


_Known = TypeVar("_Known")
_MOST_REMEMBERED = 2000
_BEGUN = 4
_COMPLETED = 6
"""Letters of an unknown word from which it may be the beginning of the word that was meant."""
_FAR = 3


class OpenIndex(Struct, frozen=True, dict=True):
    """The engine's files, opened."""

    searcher: Searcher
    schema: Schema
    made: Manifest

    @cached_property
    def counts(self) -> dict[str, int]:
        """In how many chunks terms occur that were asked for."""
        return {}

    @cached_property
    def spelled(self) -> SpelledWords:
        """All words as they are written."""
        searcher = self.searcher  # not `self`: in a circle the engine, which has threads, would outlive who asks it
        return SpelledWords(lambda start: dict(searcher.terms_with_prefix("spelled", start)), english())

    @cached_property
    def spellings(self) -> SpellingTable:
        """All words, made when the first is looked for among them: 40 ms for a vocabulary of 40,000."""
        return SpellingTable(unsigned(self.spelled.starting("")))


def _remember(table: dict[str, _Known], key: str, value: _Known) -> None:
    """Words come up again, in other questions too; when there are many, all are forgotten."""
    if len(table) >= _MOST_REMEMBERED:
        table.clear()
    table[key] = value


@contextmanager
def reading(folder: OwnFolder) -> Iterator[None]:
    """Turn what goes wrong inside into `StoreError`; files that cannot be used are made anew by the next update."""
    try:
        with engine_errors(folder):
            yield
    except StoreDamaged:
        with suppress(OSError):
            remove_manifest(folder)
        raise
    except OSError as error:
        raise StoreError(f"The word index in {folder.path} cannot be read: {error}.", NEXT_STEP) from error


class WordSnapshot(Struct, frozen=True):
    """The promise `WordIndex`. Threads may share it."""

    folder: OwnFolder
    stem: Normalizer
    opened: OpenIndex | None = None
    """None for an index that is missing, unreadable or of another form: it answers like an empty one."""
    recent: RecentDocuments | None = None
    """Documents that changed after the files were written."""

    @property
    def size(self) -> int:
        """How many chunks there are, about: what was removed lately may still count."""
        return self.opened.searcher.num_docs if self.opened else 0

    def best_scores(self, others: Sequence[WordIndex], asked: ParsedQuestion) -> list[float]:
        """See `WordIndex`."""
        return [best_score(one, asked) for one in others]

    @property
    def _replaced(self) -> frozenset[int]:
        """Documents for which the engine no longer speaks."""
        return self.recent.replaced if self.recent else frozenset()

    def match(self, asked: ParsedQuestion, scope: Scope | None, limit: int) -> list[Scored]:
        """Section-level chunks by how well they hold the question's words, best first.

        Phrases must be there, exclusions must not; filters in the text are the caller's to turn into a scope. Equal
        scores are in the order of document and ordinal. Raises `StoreDamaged` when the files cannot be used.
        """
        if self.opened is None or not (asked.terms or asked.extra_terms) or limit < 1:
            return []
        searcher, schema = self.opened.searcher, self.opened.schema
        with reading(self.folder):
            query = question(schema, asked, self.stem)
            if scope is None:
                found = best(searcher, query, limit, self._replaced)
            else:
                found = best_within(searcher, schema, query, scope, limit, self._replaced)
            if self.recent is None:
                return found
            return best_first([*found, *self.recent.match(asked, self.stem, scope, searcher)])[:limit]

    def scores(self, asked: ParsedQuestion, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """How well certain chunks hold the question's words, those of them that hold any; words that stand together as
        they do in the question count more. Phrases and exclusions decide nothing here."""
        if self.opened is None or not (asked.terms or asked.extra_terms) or not chunks:
            return {}
        searcher, schema = self.opened.searcher, self.opened.schema
        with reading(self.folder):
            query = finer(schema, asked, self.stem, chunks)
            found = scores(searcher, query, len(chunks))
            if self.recent is not None:
                found = {chunk: score for chunk, score in found.items() if chunk.document not in self._replaced}
                found.update(self.recent.scores(asked, self.stem, chunks, searcher))
            return {chunk: found[chunk] for chunk in chunks if chunk in found}

    def terms(self, asked: ParsedQuestion) -> dict[str, int]:
        """The question's terms, as asked in lower case, and in how many chunks each occurs; 0 for words never seen."""
        counts: dict[str, int] = {}
        seen = set()
        with reading(self.folder):
            for term in asked.terms:
                stem = self.stem(term)
                if stem not in seen:
                    seen.add(stem)
                    stems = [stem, *(language_term(one, term) for one in asked.languages if term.isalpha())]
                    counts[term] = max(map(self._count, stems))
        return counts

    def _count(self, term: str) -> int:
        if self.opened is None or self._replaced:
            known = count(self.opened.searcher, self.opened.schema, term, self._replaced) if self.opened else 0
        elif (remembered := self.opened.counts.get(term)) is not None:
            known = remembered
        else:
            known = count(self.opened.searcher, self.opened.schema, term, frozenset())
            _remember(self.opened.counts, term, known)
        return known + (self.recent.count(term) if self.recent else 0)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages besides English whose stems chunks are found by."""
        with reading(self.folder):
            return tuple(language for language in STEMMED if self._count(language_term(language)))

    def holders(self, term: str, scope: Scope | None, limit: int, *, besides: bool) -> dict[ChunkId, int] | None:
        """Chunks whose visible text holds a term in any form, and the section that each stands in; None for more chunks
        than `limit`. Captions, links to a chunk and what its page says of itself count where `besides` says so; the
        headings above it do not."""
        if self.opened is None:
            return {}
        with reading(self.folder):
            forms = self.opened.spelled.forms(term, ("", BESIDES) if besides else ("",), self._fresh)
        if sum(forms.values()) > limit:
            return None
        with reading(self.folder):
            held = holders(self.opened.searcher, self.opened.schema, forms, limit) if forms else {}
        found = {chunk: section for chunk, section in held.items() if chunk.document not in self._replaced}
        if self.recent is not None:
            found.update(self.recent.holders(frozenset(forms)))
        if scope is None:
            return found
        return {
            chunk: section
            for chunk, section in found.items()
            if chunk.document in scope.documents
            and (scope.sections is None or (chunk.document, section) in scope.sections)
        }

    def corrections(self, words: Sequence[str]) -> dict[str, str]:
        """For words that occur nowhere, the known word that was probably meant; those without one are left out."""
        if self.opened is None or not words:
            return {}
        found: dict[str, str] = {}
        with reading(self.folder):
            tables = [self.opened.spellings]
            if self.recent is not None:
                tables.append(self.recent.spellings)
            for word in words:
                near = [one for one in (table.nearest(word) for table in tables) if one]
                begun = [one for table in tables for one in table.beginning(word, 1) if len(word) >= _BEGUN]
                if begun and (not near or len(word) >= _COMPLETED):
                    found[word] = begun[0]
                elif near:
                    found[word] = min(near, key=lambda one: distance(word, one, _FAR))
        return found

    def completions(self, start: str, most: int) -> list[str]:
        """The most frequent words that begin like this and go on."""
        if self.opened is None:
            return []
        with reading(self.folder):
            known = self.opened.spellings.beginning(start, most)
        fresh = unsigned(self._fresh(start) + self._fresh(BESIDES + start))
        return list(dict.fromkeys([*known, *(word for word in fresh if word != start)]))[:most]

    def longer(self, word: str, most: int) -> list[str]:
        """The most frequent words that a short one may stand for, one for each stem: those that begin with it or, where
        it has no vowel, hold its letters in order."""
        if self.opened is None:
            return []
        with reading(self.folder):
            return self.opened.spelled.longer(word, most, self._fresh)

    def _fresh(self, start: str) -> Counter[str]:
        """The words of documents that changed lately which begin like this."""
        return self.recent.spelled(start) if self.recent else Counter()
