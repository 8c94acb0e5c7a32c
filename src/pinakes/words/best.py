"""The best hits of a query, in an order that does not depend on how the engine's files happen to lie.

A searcher and a query enter, `Scored` chunks leave, best first; equal scores in the order of document and ordinal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pinakes.records import ChunkId, Scope, Scored
from pinakes.words.ask import MOST_BITS, bits, chunk_of, place_number, within

if TYPE_CHECKING:
    from tantivy import DocAddress, Query, Schema, Searcher

_DIGITS = 4
"""Decimals of a score. The engine adds up in an order of its own, so equal chunks may differ in the seventh digit."""
_MOST_TIES = 5000
"""Hits beyond which ties are no longer told apart: nobody reads that far into a thousand equal chunks."""
_NAMED = 1000
"""Places of a scope up to which it is cheaper to name them all to the engine than to look for them among its hits."""
_EXACT = 1000
"""Chunks up to which a term is counted one by one, which takes time in proportion."""


def best(searcher: Searcher, query: Query, limit: int) -> list[Scored]:
    """The best of all. Ties at the end are looked at whole before they are cut."""
    wanted = limit + 8
    while True:
        hits = _hits(searcher, query, wanted)
        if len(hits) < wanted or hits[-1][0] < hits[limit - 1][0] or wanted > _MOST_TIES:
            return _scored(searcher, hits, limit)
        wanted *= 4


def best_within(searcher: Searcher, schema: Schema, query: Query, scope: Scope, limit: int) -> list[Scored]:
    """The best of a scope, and as many as there are: however narrow it is, nothing else takes their places."""
    field = "document"
    numbers = scope.documents
    if scope.sections is not None:
        field = "place"
        numbers = frozenset(place_number(document, section) for document, section in scope.sections)
    if not numbers:
        return []
    found = _among(searcher, query, field, numbers, limit) if len(numbers) > _NAMED else None
    return best(searcher, within(query, field, schema, numbers), limit) if found is None else found


def count(searcher: Searcher, schema: Schema, term: str) -> int:
    """In how many chunks a term occurs; of many, about, for the engine still counts what was removed lately."""
    from tantivy import Query

    about = searcher.doc_freq("words", term)
    if not 0 < about <= _EXACT:
        return about
    found = searcher.search(Query.term_query(schema, "words", term), 1, count=True)
    return int(found.count)  # type: ignore[attr-defined]  # the engine's stubs have forgotten it


def held(searcher: Searcher, schema: Schema, terms: Sequence[str], chunk: ChunkId) -> list[bool]:
    """For each term whether the chunk has it."""
    answers: list[bool] = []
    for start in range(0, len(terms), MOST_BITS):
        some = terms[start : start + MOST_BITS]
        hits = searcher.search(bits(schema, some, chunk), 1, count=False).hits
        mask = int(hits[0][0]) if hits else 0
        answers += [bool(mask >> position & 1) for position in range(len(some))]
    return answers


def _among(searcher: Searcher, query: Query, field: str, numbers: frozenset[int], limit: int) -> list[Scored] | None:
    """The best of a large scope from among the best of all; None when too few of those are in it."""
    wanted = limit * 8
    hits = _hits(searcher, query, wanted)
    places = searcher.fast_field_values(field, [address for _, address in hits])
    inside = [hit for hit, place in zip(hits, places, strict=True) if place in numbers]
    # A tie with the last hit looked at may go on behind it.
    is_enough = len(inside) >= limit and inside[limit - 1][0] > hits[-1][0]
    return _scored(searcher, inside, limit) if is_enough or len(hits) < wanted else None


def _hits(searcher: Searcher, query: Query, limit: int) -> list[tuple[float, DocAddress]]:
    return [(round(score, _DIGITS), address) for score, address in searcher.search(query, limit, count=False).hits]


def _scored(searcher: Searcher, hits: Sequence[tuple[float, DocAddress]], limit: int) -> list[Scored]:
    numbers = searcher.fast_field_values("chunk", [address for _, address in hits])
    scored = [Scored(chunk_of(int(number or 0)), score) for (score, _), number in zip(hits, numbers, strict=True)]
    return sorted(scored, key=lambda one: (-one.score, one.chunk))[:limit]
