"""Questions to the engine: queries built by hand, never a text as syntax, and their best hits.

`ParsedQuestion` and `Scope` enter, the engine's queries leave (`question`, `finer`). A searcher and a query
enter, `Scored` chunks leave, best first, in an order that does not depend on how the engine's files happen to lie:
equal scores in the order of document and ordinal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pinakes.ports import WordIndex
from pinakes.records import ChunkId, ParsedQuestion, Scope, Scored, best_first
from pinakes.words.tokenize import Normalizer, language_term

if TYPE_CHECKING:
    from tantivy import DocAddress, Query, Schema, Searcher

ABOUT_WEIGHT = 0.1
"""Of a term in what a chunk is called, beside its weight of 1 in all its words. Measured; see docs/search.md."""
PART_WEIGHT = 0.3
"""Of a part of a word as asked: who asks for ``C++`` does not ask for C."""
SHARES = (("words", 1.0), ("about", ABOUT_WEIGHT))
"""The fields that count for a score, and how much."""
GUESSED_WEIGHT = 0.8
"""Of a word that was asked for in another spelling."""
LANGUAGE_WEIGHT = 0.7
"""Of a word's stem in another language than English, beside its weight as it is written."""
PAIR_WEIGHT = 0.2
"""Of two words of the question that stand together as they do there."""
DIGITS = 4
"""Decimals of a score. The engine adds up in an order of its own, so equal chunks may differ in the seventh digit."""
_MOST_TIES = 5000
"""Hits beyond which ties are no longer told apart: nobody reads that far into a thousand equal chunks."""
_NAMED = 1000
"""Places of a scope up to which it is cheaper to name them all to the engine than to look for them among its hits."""
_EXACT = 1000
"""Chunks up to which a term is counted one by one, which takes time in proportion."""
_BITS = 24
_LOWER = (1 << _BITS) - 1


def chunk_number(chunk: ChunkId) -> int:
    return chunk.document << _BITS | chunk.ordinal


def chunk_of(number: int) -> ChunkId:
    return ChunkId(number >> _BITS, number & _LOWER)


def place_number(document: int, section: int) -> int:
    return document << _BITS | section


def term_weights(asked: ParsedQuestion, stem: Normalizer) -> dict[str, float]:
    """The stems of the question's terms and how much each counts."""
    weights = {stem(term): PART_WEIGHT for term in asked.parts}
    guessed = frozenset(asked.corrections.values())
    whole = (term for term in asked.terms if term not in asked.parts)
    weights.update((stem(term), GUESSED_WEIGHT if term in guessed else 1.0) for term in whole)
    for term, weight in asked.extra_terms.items():
        weights.setdefault(stem(term), weight)
    for language in asked.languages:
        weights.update((language_term(language, term), LANGUAGE_WEIGHT) for term in asked.terms if term.isalpha())
    return weights


def question(schema: Schema, asked: ParsedQuestion, stem: Normalizer) -> Query:
    """Everything that holds a term of the question and all of its phrases, and nothing that is excluded."""
    from tantivy import Occur, Query

    terms: list[tuple[Occur, Query]] = []
    for term, weight in term_weights(asked, stem).items():
        for field, share in SHARES:
            one = Query.term_query(schema, field, term)
            terms.append((Occur.Should, Query.boost_query(one, weight * share)))
    whole = Query.boolean_query(terms)
    if not asked.phrases and not asked.excluded:
        return whole
    clauses = [(Occur.Must, whole)]
    clauses += [(Occur.Must, _phrase(schema, phrase, stem)) for phrase in asked.phrases]
    clauses += [(Occur.MustNot, _phrase(schema, phrase, stem)) for phrase in asked.excluded]
    return Query.boolean_query(clauses)


def finer(schema: Schema, asked: ParsedQuestion, stem: Normalizer, chunks: Iterable[ChunkId]) -> Query:
    """Scores certain chunks, words that stay together counting more. Too slow for all chunks: the engine skips chunks
    that cannot win only as long as a query is made of single terms."""
    from tantivy import Occur, Query

    whole = question(schema, replace(asked, phrases=(), excluded=()), stem)
    for one, other in asked.pairs:
        pair = Query.phrase_query(schema, "words", [stem(one), stem(other)])
        # Each by itself, beside what must be there: of several together, the engine looks for all there are.
        whole = Query.boolean_query([(Occur.Must, whole), (Occur.Should, Query.boost_query(pair, PAIR_WEIGHT))])
    # Of a hundred chunks, each is asked for by itself: a set of them is looked for among all there are, which takes
    # three times as long.
    named = [(Occur.Should, Query.term_query(schema, "chunk", chunk_number(chunk))) for chunk in chunks]
    places = Query.const_score_query(Query.boolean_query(named), 0.0)
    return Query.boolean_query([(Occur.Must, whole), (Occur.Must, places)])


def within(query: Query, field: str, schema: Schema, numbers: Iterable[int]) -> Query:
    """`query`, limited to certain documents or places."""
    from tantivy import Occur, Query

    places = Query.const_score_query(Query.term_set_query(schema, field, list(numbers)), 0.0)
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, places)])


def outside(query: Query, schema: Schema, documents: Iterable[int]) -> Query:
    """`query`, limited to all but certain documents."""
    from tantivy import Occur, Query

    places = Query.term_set_query(schema, "document", list(documents))
    return Query.boolean_query([(Occur.Must, query), (Occur.MustNot, places)])


def _phrase(schema: Schema, phrase: Sequence[str], stem: Normalizer) -> Query:
    from tantivy import Occur, Query

    stems: list[str | tuple[int, str]] = [stem(word) for word in phrase]
    if len(phrase) == 1:
        return Query.term_query(schema, "words", stems[0])
    either = [Query.phrase_query(schema, "words", stems), Query.phrase_query(schema, "code", list(phrase))]
    return Query.boolean_query([(Occur.Should, one) for one in either])


def best(searcher: Searcher, query: Query, limit: int, without: frozenset[int]) -> list[Scored]:
    """The best of all but some documents. Ties at the end are looked at whole before they are cut."""
    wanted = limit + 8
    while True:
        hits = _hits(searcher, query, wanted)
        found = _scored(searcher, hits, without)
        if len(hits) < wanted:
            return found[:limit]
        if len(found) >= limit and (hits[-1][0] < found[limit - 1].score or wanted > _MOST_TIES):
            return found[:limit]
        wanted *= 4


def best_within(
    searcher: Searcher, schema: Schema, query: Query, scope: Scope, limit: int, without: frozenset[int]
) -> list[Scored]:
    """The best of a scope, and as many as there are: however narrow it is, nothing else takes their places."""
    field = "document"
    numbers = scope.documents
    if scope.sections is not None:
        field = "place"
        numbers = frozenset(place_number(document, section) for document, section in scope.sections)
    if not numbers:
        return []
    found = _among(searcher, query, field, numbers, limit, without) if len(numbers) > _NAMED else None
    return best(searcher, within(query, field, schema, numbers), limit, without) if found is None else found


def best_score(index: WordIndex, asked: ParsedQuestion) -> float:
    """That of an index by itself."""
    found = index.match(asked, None, 1)
    return found[0].score if found else 0.0


def count(searcher: Searcher, schema: Schema, term: str, without: frozenset[int]) -> int:
    """In how many chunks a term occurs, some documents left out; of many, about, for the engine still counts what was
    removed lately."""
    from tantivy import Query

    about = searcher.doc_freq("words", term)
    if not 0 < about <= _EXACT:
        return about
    query = Query.term_query(schema, "words", term)
    found = searcher.search(outside(query, schema, without) if without else query, 1, count=True)
    return int(found.count)  # type: ignore[attr-defined]  # the engine's stubs have forgotten it


def holders(searcher: Searcher, schema: Schema, words: Iterable[str], limit: int) -> dict[ChunkId, int]:
    """Chunks whose own text holds one of the words, as they are written, and the section that each stands in."""
    from tantivy import Occur, Query

    # A set of them would be looked for among all words there are, which takes five times as long.
    spelled = [(Occur.Should, Query.term_query(schema, "spelled", word)) for word in words]
    query = Query.const_score_query(Query.boolean_query(spelled), 1.0)
    addresses = [address for _, address in searcher.search(query, limit, count=False).hits]
    chunks, places = (searcher.fast_field_values(field, addresses) for field in ("chunk", "place"))
    return {chunk_of(int(chunk or 0)): int(place or 0) & _LOWER for chunk, place in zip(chunks, places, strict=True)}


def _among(
    searcher: Searcher, query: Query, field: str, numbers: frozenset[int], limit: int, without: frozenset[int]
) -> list[Scored] | None:
    """The best of a large scope from among the best of all; None when too few of those are in it."""
    wanted = limit * 8
    hits = _hits(searcher, query, wanted)
    places = searcher.fast_field_values(field, [address for _, address in hits])
    inside = [hit for hit, place in zip(hits, places, strict=True) if place in numbers]
    found = _scored(searcher, inside, without)
    # A tie with the last hit looked at may go on behind it.
    is_enough = len(found) >= limit and found[limit - 1].score > hits[-1][0]
    return found[:limit] if is_enough or len(hits) < wanted else None


def _hits(searcher: Searcher, query: Query, limit: int) -> list[tuple[float, DocAddress]]:
    return [(round(score, DIGITS), address) for score, address in searcher.search(query, limit, count=False).hits]


def scores(searcher: Searcher, query: Query, most: int) -> dict[ChunkId, float]:
    """Those of all chunks that a query finds, which are so many at most."""
    hits = _hits(searcher, query, most)
    return dict(zip(_chunks(searcher, hits), [score for score, _ in hits], strict=True))


def _scored(searcher: Searcher, hits: Sequence[tuple[float, DocAddress]], without: frozenset[int]) -> list[Scored]:
    chunks = _chunks(searcher, hits)
    scored = [Scored(chunk, score) for chunk, (score, _) in zip(chunks, hits, strict=True)]
    return best_first([one for one in scored if one.chunk.document not in without] if without else scored)


def _chunks(searcher: Searcher, hits: Sequence[tuple[float, DocAddress]]) -> list[ChunkId]:
    numbers = searcher.fast_field_values("chunk", [address for _, address in hits])
    # As `chunk_of` does it, without a call for each of hundreds.
    return [ChunkId(number >> _BITS, number & _LOWER) for number in [int(number or 0) for number in numbers]]
