"""Which passages answer? The order of work stands in `search`; every stage is a plain function.

A query and tools to read with enter, results with their account leave. Nothing here writes.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from pinakes.errors import StoreError
from pinakes.records import Query, Results, Stage
from pinakes.search.fuse import fuse
from pinakes.search.plan import Plan, SearchOptions, Tools
from pinakes.search.present import present
from pinakes.search.profiles import PROFILES, profile
from pinakes.search.recall import Lists, recall
from pinakes.search.select import select
from pinakes.search.shelf import Shelf
from pinakes.search.understand import understand

NEAR = 0.25
"""A cosine that unrelated text hardly reaches with the embedders there are."""

__all__ = ["PROFILES", "Plan", "SearchOptions", "Tools", "search"]


def search(query: Query, tools: Tools, options: SearchOptions) -> Results:
    """Answer a question: understand, recall, fuse, the profile's stages, select, present."""
    plan = understand(query, tools)
    unknown = _unknown(plan, tools)
    lists, stages = recall(plan, tools)
    if _is_hopeless(plan, unknown, lists):
        return Results(query, plan.kind, (), stages, tuple(plan.missing), unknown)
    account = list(stages)
    ranking = fuse(lists, {"words": plan.weights.words, "meaning": plan.weights.meaning})
    account.append(Stage("fuse", sum(map(len, lists.values())), len(ranking), 0.0))
    for stage in profile(query.profile):
        started = time.perf_counter()
        before = len(ranking)
        ranking = stage(ranking, plan)
        account.append(Stage(stage.__name__, before, len(ranking), time.perf_counter() - started))
    started = time.perf_counter()
    chosen = select(ranking, plan, Shelf(tools.reader), query.limit, options.per_document)
    hits = present(chosen, plan)
    account.append(Stage("select", len(ranking), len(hits), time.perf_counter() - started))
    return Results(query, plan.kind, hits, tuple(account), tuple(plan.missing), unknown)


def _is_hopeless(plan: Plan, unknown: Collection[str], lists: Lists) -> bool:
    """Whether nothing asked for occurs anywhere and nothing comes near: the nearest would only look like an answer."""
    meaning = lists.get("meaning", ())
    return (
        bool(plan.asked.terms) and len(unknown) == len(plan.asked.terms) and not (meaning and meaning[0].score >= NEAR)
    )


def _unknown(plan: Plan, tools: Tools) -> tuple[str, ...]:
    """Words of the question that no chunk holds; none are known to be unknown when the word index cannot be asked."""
    if tools.words is None:
        return ()
    try:
        return tuple(term for term, count in tools.words.terms(plan.query.text).items() if not count)
    except StoreError as error:
        plan.missing.append(f"words: {error}")
        return ()
