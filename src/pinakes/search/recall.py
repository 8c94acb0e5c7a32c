"""Everything that might answer: each retriever's own list, best first."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from pinakes.errors import StoreError
from pinakes.records import Scored, Stage
from pinakes.search.plan import Plan, Tools

DEPTH = 100
"""How much of each list is asked for: beyond that, nothing was ever found that belonged into the first ten."""

Lists = Mapping[str, Sequence[Scored]]
"""By retriever."""


def recall(plan: Plan, tools: Tools, depth: int = DEPTH) -> tuple[Lists, tuple[Stage, ...]]:
    """Ask every retriever there is. One that fails is left out, and the plan remembers why."""
    asking: dict[str, Callable[[], Sequence[Scored]]] = {}
    if tools.words is not None:
        words = tools.words
        asking["words"] = lambda: words.match(plan.query.text, plan.scope, depth)
    if tools.vectors is not None and tools.embedder is not None and plan.weights.meaning > 0:
        vectors, embedder = tools.vectors, tools.embedder
        text = plan.query.hypothesis or plan.asked.text
        asking["meaning"] = lambda: vectors.nearest(embedder.encode([text])[0], plan.scope, depth) if text else ()
    lists: dict[str, Sequence[Scored]] = {}
    stages = []
    for name, ask in asking.items():
        started = time.perf_counter()
        try:
            lists[name] = ask()
        except StoreError as error:
            plan.missing.append(f"{name}: {error}")
            continue
        stages.append(Stage(name, 0, len(lists[name]), time.perf_counter() - started))
    return lists, tuple(stages)
