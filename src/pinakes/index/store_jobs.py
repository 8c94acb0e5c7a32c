"""What workers make from the documents in a store: their words, vectors, part of the corpus's counts and keywords.

The place of an index enters with numbers or addresses of documents; what the writer puts into the word index or the
store leaves. A worker opens the index for itself, only to be read, so that no document goes over a pipe.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from pinakes.enrich import KeywordOptions, Statistics, WordTally, keywords
from pinakes.index.options import WORTHWHILE
from pinakes.index.place import IndexPlace
from pinakes.index.plan import KEYWORDS, STATISTICS
from pinakes.index.vector_folders import QUICK
from pinakes.index.worker import WorkItem
from pinakes.index.workers import work_in_parallel
from pinakes.neural import load_embedder
from pinakes.ports import Reader
from pinakes.processors import processors
from pinakes.records import Document, Ref
from pinakes.vectors.build import DocumentRows, Embedding, pages_of, together
from pinakes.words.fields import ChunkTerms
from pinakes.words.update import NumberedTerms, RowsOf, Tokenizer

BATCH_SECTIONS = 20_000
"""Sections that get their keywords together: documents can be made of little else."""
_TOGETHER = 64
"""Documents that are counted or get their keywords at a time."""
_FEW = 2
"""Of such lists a message."""
_ROW_BYTES = 1000
"""About what a chunk's terms take."""

DocumentKeywords = tuple[str, tuple[tuple[str, ...], ...]]
"""The digest of a document, and the keywords of each of its sections."""


class WordsJob(Struct, frozen=True):
    """Numbers of documents enter, each with its chunks' terms leaves; one that is gone has none."""

    index: IndexPlace

    def begin(self) -> Callable[[Sequence[int]], Iterator[tuple[int, Sequence[ChunkTerms]]]]:
        store, tokenizer = self.index.open(read_only=True), Tokenizer()

        def tokenize(numbers: Sequence[int]) -> Iterator[tuple[int, Sequence[ChunkTerms]]]:
            found = dict(tokenizer.rows_of(store, numbers))
            return ((number, found.get(number, ())) for number in numbers)

        return tokenize

    def size(self, outcome: tuple[int, Sequence[ChunkTerms]]) -> int:
        return _ROW_BYTES * len(outcome[1])


def rows_in_parallel(index: IndexPlace) -> RowsOf:
    """How the words of an index are read: of many documents, on all cores."""

    def rows_of(reader: Reader, numbers: Sequence[int]) -> NumberedTerms:
        if len(numbers) < WORTHWHILE or processors() < 2:
            return Tokenizer().rows_of(reader, numbers)
        return work_in_parallel(WordsJob(index), numbers)

    return rows_of


class VectorsJob(Struct, frozen=True):
    """Lists of numbers of documents enter, those that are there leave with the quick embedder's vectors."""

    index: IndexPlace

    def begin(self) -> Callable[[Sequence[Sequence[int]]], Iterator[Sequence[DocumentRows]]]:
        store, embedding = self.index.open(read_only=True), Embedding(load_embedder(QUICK), None)

        def embed(lists: Sequence[Sequence[int]]) -> Iterator[Sequence[DocumentRows]]:
            for numbers in lists:
                yield [page for pages in together(pages_of(store, numbers)) for page in _embedded(pages, embedding)]

        return embed

    def size(self, outcome: Sequence[DocumentRows]) -> int:
        return _ROW_BYTES * sum(len(page.texts) for page in outcome)


def _embedded(pages: Sequence[DocumentRows], embedding: Embedding) -> Iterator[DocumentRows]:
    vectors = embedding.rows([text for page in pages for text in page.texts])
    start = 0
    for page in pages:
        end = start + len(page.texts)
        yield replace(page, texts=("",) * len(page.texts), vectors=vectors[start:end])
        start = end


def pages_in_parallel(index: IndexPlace, reader: Reader, numbers: Sequence[int]) -> Generator[DocumentRows, None, None]:
    """Documents of an index as they shall be in the quick embedder's files; many of them with their vectors, made on
    all cores."""
    if len(numbers) < WORTHWHILE or processors() < 2:
        yield from pages_of(reader, numbers)
        return
    with closing(work_in_parallel(VectorsJob(index), _lists(numbers), chunk=1)) as made:
        yield from chain.from_iterable(made)


class CountJob(Struct, frozen=True):
    """Lists of documents enter, what was counted in each leaves."""

    index: IndexPlace

    def begin(self) -> Callable[[Sequence[Sequence[Ref]]], Iterator[WordTally]]:
        store = self.index.open(read_only=True)

        def count(lists: Sequence[Sequence[Ref]]) -> Iterator[WordTally]:
            for refs in lists:
                tally = WordTally()
                for ref in refs:
                    if (document := store.document(ref)) is not None:
                        tally.add(document)
                yield tally

        return count

    def size(self, outcome: WordTally) -> int:
        return outcome.words


class KeywordsJob(Struct, frozen=True):
    """Lists of documents enter, the keywords of each leave."""

    index: IndexPlace
    options: KeywordOptions
    made_from: str
    """The setting that names the count they are made with; once it is another one, none are made."""

    def begin(self) -> Callable[[Sequence[Sequence[Ref]]], Iterator[Sequence[DocumentKeywords]]]:
        store = self.index.open(read_only=True)
        statistics, embedder = Statistics.loads(store.setting(STATISTICS)), load_embedder(self.options.model)

        def choose(lists: Sequence[Sequence[Ref]]) -> Iterator[Sequence[DocumentKeywords]]:
            for refs in lists:
                made: list[DocumentKeywords] = []
                for documents in _groups(store, refs if store.setting(KEYWORDS) == self.made_from else ()):
                    found = keywords(documents, statistics, embedder, self.options)
                    made += [(document.digest, words) for document, words in zip(documents, found, strict=True)]
                yield made

        return choose

    def size(self, outcome: Sequence[DocumentKeywords]) -> int:
        return _ROW_BYTES * len(outcome)


def _groups(store: Reader, refs: Sequence[Ref]) -> Iterator[list[Document]]:
    """The documents that are still there, not more together than memory is for."""
    group: list[Document] = []
    for ref in refs:
        if (found := store.document(ref)) is not None:
            group.append(found)
        if sum(len(document.sections) for document in group) > BATCH_SECTIONS:
            yield group
            group = []
    if group:
        yield group


def count_in_parallel(index: IndexPlace, refs: Sequence[Ref]) -> Generator[WordTally, None, None]:
    """What all of the documents come to, part by part."""
    return work_in_parallel(CountJob(index), _lists(refs), chunk=_FEW)


def keywords_in_parallel(
    index: IndexPlace, refs: Sequence[Ref], options: KeywordOptions, made_from: str
) -> Generator[tuple[Sequence[Ref], Sequence[DocumentKeywords]], None, None]:
    """The keywords of all documents, list by list."""
    lists = _lists(refs)
    with closing(work_in_parallel(KeywordsJob(index, options, made_from), lists, chunk=1)) as made:
        yield from zip(lists, made, strict=True)


def _lists(items: Sequence[WorkItem]) -> list[Sequence[WorkItem]]:
    return [items[start : start + _TOGETHER] for start in range(0, len(items), _TOGETHER)]
