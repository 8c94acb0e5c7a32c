"""The best hits of a query, in an order that does not depend on how the engine's files happen to lie.

A searcher and a query enter, `Scored` chunks leave, best first; equal scores in the order of document and ordinal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pinakes.records import ChunkId, Scope, Scored
from pinakes.words.ask import MOST_BITS, bits, chunk_of, outside, place_number, within

if TYPE_CHECKING:
    from tantivy import DocAddress, Query, Schema, Searcher

DIGITS = 4
"""Decimals of a score. The engine adds up in an order of its own, so equal chunks may differ in the seventh digit."""
_MOST_TIES = 5000
"""Hits beyond which ties are no longer told apart: nobody reads that far into a thousand equal chunks."""
_NAMED = 1000
"""Places of a scope up to which it is cheaper to name them all to the engine than to look for them among its hits."""
_EXACT = 1000
"""Chunks up to which a term is counted one by one, which takes time in proportion."""


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


def has_terms(searcher: Searcher, schema: Schema, terms: Sequence[str], chunk: ChunkId) -> list[bool]:
    """For each term whether the chunk has it."""
    answers: list[bool] = []
    for start in range(0, len(terms), MOST_BITS):
        some = terms[start : start + MOST_BITS]
        hits = searcher.search(bits(schema, some, chunk), 1, count=False).hits
        mask = int(hits[0][0]) if hits else 0
        answers += [bool(mask >> position & 1) for position in range(len(some))]
    return answers


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


def _scored(searcher: Searcher, hits: Sequence[tuple[float, DocAddress]], without: frozenset[int]) -> list[Scored]:
    numbers = searcher.fast_field_values("chunk", [address for _, address in hits])
    scored = [Scored(chunk_of(int(number or 0)), score) for (score, _), number in zip(hits, numbers, strict=True)]
    return in_order([one for one in scored if one.chunk.document not in without] if without else scored)


def in_order(found: Iterable[Scored]) -> list[Scored]:
    """Best first, equal scores in the order of document and ordinal."""
    return sorted(found, key=lambda one: (-one.score, one.chunk))
