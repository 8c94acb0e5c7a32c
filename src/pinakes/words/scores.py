"""The engine's scores, worked out by hand for chunks that it does not have yet.

A chunk's own counts and what the engine knows of a field enter, a score leaves: BM25 as the engine has it, lengths
rounded as it rounds them, so that what is scored here can stand in one list with what the engine found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import log
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tantivy import Schema, Searcher

_K1, _B = 1.2, 0.75
"""The engine's."""
_EXACT = 24
_BITS = 4
"""Lengths up to `_EXACT` are kept as they are; of what a length has beyond it, the first four bits."""


class FieldStatistics(NamedTuple):
    """What scores in a field depend on, besides the chunk and the term."""

    chunks: int
    """That the engine holds; those that were removed lately still count."""
    length: float
    """Terms of a chunk, on average."""

    def rarity(self, count: int) -> float:
        """Of a term that so many chunks have."""
        return log(1 + (self.chunks - count + 0.5) / (count + 0.5))

    def score(self, times: int, length: int, rarity: float) -> float:
        """Of a term that a chunk of `length` terms has so many times."""
        return rarity * (_K1 + 1) * times / (times + _K1 * (1 - _B + _B * _rounded(length) / self.length))


def measure_field(searcher: Searcher, schema: Schema, name: str, terms: Iterable[str]) -> FieldStatistics | None:
    """A field of the engine, told by the first of some terms that it knows; None when it knows none of them."""
    from tantivy import Query

    for term in terms:
        query = Query.term_query(schema, name, term)
        hits = searcher.search(query, 1, count=False).hits
        if hits:
            # Nothing else says how long chunks are on average.
            parts = json.loads(query.explain(searcher, hits[0][1]).to_json())["details"]
            facts = {
                part["description"].partition(",")[0]: part["value"] for one in parts for part in one.get("details", ())
            }
            return FieldStatistics(int(facts["N"]), facts["avgdl"])
    return None


def _rounded(length: int) -> int:
    over = length - _EXACT
    if over <= 0:
        return length
    cut = max(0, over.bit_length() - _BITS)
    return _EXACT + (over >> cut << cut)
