"""The best chunk of each of many indexes in one database, in two statements for all of them.

A parsed question and the numbers of indexes enter; for each index leaves what is known of the terms there, and what its
best chunk scores. Chunks that hold the two rarest terms together are looked at, and those of the rarest where it is
rare: so the score may be too low, where a chunk without them would be better still. It tells where to look first, and
is no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.postgres.database import PostgresConnection
from pinakes.words.ask import DIGITS
from pinakes.words.postgres.ask import TermFacts, WeighedTerm, as_vector, weighed_terms

_MOST = 400
"""Chunks that hold a term, up to which they are looked at."""


def term_facts(
    connection: PostgresConnection, stores: Sequence[int], terms: Sequence[str]
) -> dict[int, dict[str, TermFacts]]:
    """What each index knows of these terms."""
    found: dict[int, dict[str, TermFacts]] = {store: {} for store in stores}
    rows = connection.execute(
        "SELECT store, term, id, words, about, code FROM terms WHERE store = ANY(%s::int[]) AND term = ANY(%s::text[])",
        (list(stores), list(terms)),
    )
    for store, term, number, words, about, code in rows:
        found[store][term] = (number, words, about, code)
    return found


def best_scores(
    connection: PostgresConnection,
    weights: Mapping[str, float],
    facts: Mapping[int, Mapping[str, TermFacts]],
    sizes: Mapping[int, int],
) -> dict[int, float]:
    """The score of the best chunk of each index of so many chunks, for terms that count so much; 0 where none is rare
    enough to look."""
    looks = [
        look for store, known in facts.items() for look in _looks(store, weighed_terms(weights, known, sizes[store]))
    ]
    found = dict.fromkeys(sizes, 0.0)
    if looks:
        rows = connection.execute(
            "SELECT asked.store, max(best.score) FROM unnest(%s::int[], %s::text[], %s::text[])"
            " AS asked (store, vector, terms) CROSS JOIN LATERAL"
            " (SELECT -(weights <#> asked.vector::sparsevec) AS score FROM chunk_terms one"
            " WHERE one.store = asked.store AND one.terms @> asked.terms::int[]"
            " ORDER BY score DESC LIMIT 1) best GROUP BY 1",
            [list(column) for column in zip(*looks, strict=True)],
        )
        found |= {store: round(score, DIGITS) for store, score in rows}
    return found


def _looks(store: int, terms: Sequence[WeighedTerm]) -> list[tuple[int, str, str]]:
    """Where an index is looked at, with the question and the terms that must be there."""
    vector = as_vector(terms)
    looks = [(store, vector, f"{{{2 * terms[0].number},{2 * terms[1].number}}}")] if len(terms) > 1 else []
    if terms and terms[0].chunks <= _MOST:
        looks.append((store, vector, f"{{{2 * terms[0].number}}}"))
    return looks
