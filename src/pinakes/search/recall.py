"""Everything that might answer: each retriever's own list, and what it says about the others' candidates.

A plan and tools enter, one list per retriever leaves, best first. A list holds the retriever's own best and, with the
scores it gives them, the candidates that only others found: what is hundred-and-first for one is not worthless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from pinakes.errors import ExtraMissing, ModelFailed, StoreError
from pinakes.records import ChunkId, Scored, best_first
from pinakes.search.finer import BlendedVectors
from pinakes.search.fuse import Lists
from pinakes.search.plan import Account, SearchPlan, Tools
from pinakes.search.profiles import SearchProfile

_FEW = 10
"""Rows a list must have for its tail to mean anything."""
USUAL_DEPTH = 100
"""Rows of a list by which it is judged."""
_FURTHER = 150
"""Candidates that are compared at most where a profile looks further. Those that are not among the usual ones stand
behind them: mixed with them they gained nothing on any set of questions, and lost on one."""
_COMPARED = 100
"""Candidates that are compared, at least: comparing all of them changed nothing that could be measured."""
_STEEP = 0.35
"""From this relative gap between best and tail on, a list counts in full."""


class _Retriever(Struct, frozen=True):
    """Whom to ask, and how."""

    name: str
    best: Callable[[int], Sequence[Scored]]
    scores: Callable[[Sequence[ChunkId]], Mapping[ChunkId, float]]
    is_finer: bool
    """Whether it scores single chunks with more care than when it looks for the best of all."""
    note: str = ""


class RetrieverLists(NamedTuple):
    """What the retrievers said."""

    lists: Lists
    clarity: Mapping[str, float]
    """How clearly each tells its best from its tail; see `clarity`."""
    further: Lists = MappingProxyType({})
    """Where a profile looks further than usual: what each says of the candidates that only this finds."""


def recall(plan: SearchPlan, tools: Tools, asked: SearchProfile, account: Account) -> RetrieverLists:
    """Ask every retriever there is. One that fails is left out, and the plan remembers why."""
    lists: dict[str, Sequence[Scored]] = {}
    answered: list[_Retriever] = []
    for retriever in _retrievers(plan, tools):
        if retriever.name in asked.retrievers and retriever.name not in plan.options.leave_out:
            with account.stage(retriever.name) as stage, _remembered(retriever, plan):
                lists[retriever.name] = retriever.best(asked.depth)
                stage.went_out = len(lists[retriever.name])
                stage.note = retriever.note
                answered.append(retriever)
    floor = 1.0 if "clarity" in plan.options.leave_out else plan.weighing.flat_floor
    # How far a profile looks must not change how a list is judged: deeper, every tail is further below its best.
    first = {name: rows[:USUAL_DEPTH] for name, rows in lists.items()}
    clear = {name: clarity(rows, floor) for name, rows in first.items()}
    if "compare" in plan.options.leave_out:
        return RetrieverLists(first, clear)
    shares = {"words": plan.weights.words, "meaning": plan.weights.meaning}
    with account.stage("compare") as stage:
        promise = promises(first, shares, USUAL_DEPTH)
        leading = best_first(map(Scored._make, promise.items()))[: max(_COMPARED, 3 * plan.query.limit)]
        deeper = promises(lists, shares, asked.depth) if asked.depth > USUAL_DEPTH else promise
        stage.came_in = len(deeper)
        further = best_first(map(Scored._make, deeper.items()))[:_FURTHER] if deeper is not promise else ()
        usual = frozenset([*(one.chunk for one in leading), *plan.rare])
        still = list(dict.fromkeys([*(one.chunk for one in leading), *plan.rare, *(one.chunk for one in further)]))
        kept = frozenset(still)
        for retriever in answered:
            with _remembered(retriever, plan):
                own = {one.chunk: one.score for one in lists[retriever.name] if one.chunk in kept}
                asked_for = still if retriever.is_finer else [chunk for chunk in still if chunk not in own]
                lists[retriever.name] = best_first(map(Scored._make, {**own, **retriever.scores(asked_for)}.items()))
        stage.went_out = len(still)
    if not further:
        return RetrieverLists(lists, clear)
    near = {name: [row for row in rows if row.chunk in usual] for name, rows in lists.items()}
    far = {name: [row for row in rows if row.chunk not in usual] for name, rows in lists.items()}
    return RetrieverLists(near, clear, far)


def promises(lists: Lists, shares: Mapping[str, float], depth: int) -> dict[ChunkId, float]:
    """How promising each candidate is. What is missing in a whole list has no score there. Where a list was cut at
    `depth`, what is missing is taken to score as much as its last: it cannot score more."""
    promise: dict[ChunkId, float] = {}
    for name, rows in lists.items():
        if rows:
            best, last = rows[0].score or 1.0, rows[-1].score
            least = last if len(rows) >= depth and last < best else 0.0
            for chunk, score in rows:
                promise[chunk] = promise.get(chunk, 0.0) + shares[name] * (score - least) / best
    return promise


def clarity(rows: Sequence[Scored], floor: float) -> float:
    """Between the floor and 1: how far a list's best stands above its tail, whatever its scale.

    A retriever whose scores for this question are flat tells little apart, so it counts for less.
    """
    if len(rows) < _FEW:
        return 1.0
    best = rows[0].score
    tail = sum(row.score for row in rows[len(rows) // 2 :]) / (len(rows) - len(rows) // 2)
    gap = (best - tail) / abs(best) if best else 0.0
    return floor + (1.0 - floor) * min(1.0, max(0.0, gap) / _STEEP)


def _retrievers(plan: SearchPlan, tools: Tools) -> Iterator[_Retriever]:
    if tools.words is not None:
        words = tools.words
        yield _Retriever(
            "words",
            lambda depth: words.match(plan.question, plan.scope, depth),
            lambda chunks: words.scores(plan.question, chunks),
            is_finer=True,
        )
    text = plan.query.hypothesis or plan.question.text
    if tools.meaning is not None and plan.weights.meaning > 0 and text:
        vectors, embedder, finer = tools.meaning.vectors, tools.meaning.embedder, tools.meaning.finer
        if finer is not None:
            both = BlendedVectors(text, vectors, embedder, finer)
            yield _Retriever(
                "meaning",
                lambda depth: both.best(plan.scope, depth),
                both.scores,
                is_finer=False,
                note=f"{finer.share:.0%} of all passages by the finer model",
            )
            return
        vector = cache(lambda: embedder.encode([text])[0])
        yield _Retriever(
            "meaning",
            lambda depth: vectors.nearest(vector(), plan.scope, depth),
            lambda chunks: vectors.scores(vector(), chunks),
            is_finer=False,
        )


@contextmanager
def _remembered(retriever: _Retriever, plan: SearchPlan) -> Iterator[None]:
    """What goes wrong with one retriever does not keep the others from answering."""
    try:
        yield
    except (StoreError, ModelFailed, ExtraMissing) as error:
        plan.missing.append(f"{retriever.name}: {error}")
