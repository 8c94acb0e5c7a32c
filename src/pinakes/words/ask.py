"""Questions in the engine's own stem: queries built by hand, never a text as syntax.

`ParsedQuestion` and `Scope` enter, the engine's queries leave; nothing is searched here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pinakes.records import ChunkId, ParsedQuestion
from pinakes.words.tokenize import Normalizer

if TYPE_CHECKING:
    from tantivy import Query, Schema

ABOUT_WEIGHT = 0.3
"""Of a term in what a chunk is called, beside its weight of 1 in all its words. Measured; see docs/search.md."""
PART_WEIGHT = 0.3
"""Of a part of a word as asked: who asks for ``C++`` does not ask for C."""
SHARES = (("words", 1.0), ("about", ABOUT_WEIGHT))
"""The fields that count for a score, and how much."""
PAIR_WEIGHT = 0.2
"""Of two words of the question that stand together as they do there."""
MOST_BITS = 20
"""Terms that one query can tell apart by its score: sums of powers of two that a 32-bit float holds exactly."""

_BITS = 24


def chunk_number(chunk: ChunkId) -> int:
    return chunk.document << _BITS | chunk.ordinal


def chunk_of(number: int) -> ChunkId:
    return ChunkId(number >> _BITS, number & (1 << _BITS) - 1)


def place_number(document: int, section: int) -> int:
    return document << _BITS | section


def term_weights(asked: ParsedQuestion, stem: Normalizer) -> dict[str, float]:
    """The stems of the question's terms and how much each counts."""
    weights = {stem(term): PART_WEIGHT for term in asked.parts}
    weights.update((stem(term), 1.0) for term in asked.terms if term not in asked.parts)
    for term, weight in asked.extra_terms.items():
        weights.setdefault(stem(term), weight)
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

    parts = [(Occur.Should, question(schema, replace(asked, phrases=(), excluded=()), stem))]
    for one, other in asked.pairs:
        pair = Query.phrase_query(schema, "words", [stem(one), stem(other)])
        parts.append((Occur.Should, Query.boost_query(pair, PAIR_WEIGHT)))
    return within(Query.boolean_query(parts), "chunk", schema, map(chunk_number, chunks))


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


def bits(schema: Schema, terms: Sequence[str], chunk: ChunkId) -> Query:
    """Finds the chunk alone; its score is the sum of ``2 ** position`` over the terms it holds."""
    from tantivy import Occur, Query

    here = Query.const_score_query(Query.term_query(schema, "chunk", chunk_number(chunk)), 0.0)
    held = [
        (Occur.Should, Query.const_score_query(Query.term_query(schema, "words", term), float(1 << position)))
        for position, term in enumerate(terms)
    ]
    return Query.boolean_query([(Occur.Must, here), *held])


def _phrase(schema: Schema, phrase: Sequence[str], stem: Normalizer) -> Query:
    from tantivy import Occur, Query

    stems: list[str | tuple[int, str]] = [stem(word) for word in phrase]
    if len(phrase) == 1:
        return Query.term_query(schema, "words", stems[0])
    either = [Query.phrase_query(schema, "words", stems), Query.phrase_query(schema, "code", list(phrase))]
    return Query.boolean_query([(Occur.Should, one) for one in either])
