"""The best chunk of each of many indexes in one database, in two statements for all of them.

A parsed question and the numbers of indexes enter; for each index leaves what is known of the terms there, and what its
best chunk scores. Chunks that hold the two rarest terms together are looked at, and those of the rarest where it is
rare: so the score may be too low, where a chunk without them would be better still. It tells where to look first, and
is no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pinakes.postgres.database import PostgresConnection
from pinakes.words.ask import DIGITS
from pinakes.words.postgres.ask import Scorer, TermFacts, WeighedTerm, weighed_terms
from pinakes.words.postgres.lists import KeptIndex, OpenLists, open_lists

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
    indexes: Mapping[int, KeptIndex],
) -> dict[int, float]:
    """The score of the best chunk of each index, for terms that count so much; 0 where none is rare enough to look."""
    terms = {store: weighed_terms(weights, facts[store], made.chunks) for store, made in indexes.items()}
    parts = {store: made.parts for store, made in indexes.items() if terms[store]}
    opened = open_lists(connection, parts, {store: [term.number for term in terms[store]] for store in parts})
    found = {store: _best(opened, indexes[store], terms[store]) for store in parts}
    return {store: found.get(store, 0.0) for store in indexes}


def _best(opened: OpenLists, made: KeptIndex, terms: Sequence[WeighedTerm]) -> float:
    scorer, best = Scorer(opened, made.lengths, terms), 0.0
    if len(terms) == 1 and terms[0].chunks > _MOST:
        return best
    for part in made.parts:
        first, *second = (opened.lists[part.number, term.number][0].numbers for term in terms[:2])
        looks = first.astype(np.int64)
        if terms[0].chunks > _MOST:
            looks = looks[np.isin(looks, second[0])]
        looks = np.setdiff1d(looks, opened.parts[part.number].dead)
        if len(looks):
            best = max(best, float(scorer.of(part.number, looks).max()))
    return round(best, DIGITS)
