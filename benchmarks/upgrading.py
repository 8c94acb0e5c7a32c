"""Does quality grow while a finer model's vectors replace the static ones, without a fall on the way?

`python -m benchmarks.upgrading SET` asks the questions of a set, and `--self FOLDER` those made from a folder's own
documents, with so much of everything upgraded, in the order in which it really happens: the most linked sections first.
Everything is embedded once; a share is what would have been there at that moment.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import kept_place, open_set
from pinakes.evaluation.verdicts import JudgingLevel, asked_like, evaluate
from pinakes.library import Library, open_library
from pinakes.library.derived import numbered_ranks
from pinakes.neural import embedder_name, load_embedder
from pinakes.own_folder import OwnFolder
from pinakes.ports import ActiveVectors, Embedder, FinerVectors
from pinakes.records import Query
from pinakes.search import Tools, search
from pinakes.vectors import open_vectors
from pinakes.vectors.agreement import most_central
from pinakes.vectors.layout import VectorTable, section_names
from pinakes.vectors.snapshot import VectorSnapshot

Sections = NDArray[np.int64]
"""Where sections stand in a file."""
SHARES = (0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
_DEPTH = 15


@dataclass(frozen=True, slots=True)
class Quality:
    """How well questions were answered with so much upgraded."""

    share: float
    ndcg: float
    silent: int
    """Questions with an answer that got none."""


def measure(
    library: Library, questions: Sequence[Question], level: JudgingLevel, shares: Sequence[float]
) -> list[Quality]:
    """Ask everything once for every share."""
    docs = library.corpus()
    whole_tools = docs.toolbox.tools("balanced", docs.store)
    model = library.config.neural.model
    coarse, finer = (_whole(library, name) for name in ("static", model))
    embedders = load_embedder("static"), load_embedder(model)
    live = np.flatnonzero(coarse.opened.live)
    order = most_central(coarse.opened, live, numbered_ranks(docs.name, docs.store))
    like, found = Query("", limit=_DEPTH), []
    for share in shares:
        tools = _with(whole_tools, embedders, coarse, finer, _first(coarse.opened, order, share))
        ask = partial(search, tools=tools, options=library.config.search)
        made = evaluate(questions, lambda one, ask=ask: ask(asked_like(one, like)), docs.store, level)  # type: ignore[misc]
        answerable = [one for one in made.verdicts if one.is_answerable]
        silent = sum(1 for one in answerable if one.results.abstained)
        found.append(Quality(share, made.row().ndcg, silent))
    return found


def _with(
    tools: Tools, embedders: tuple[Embedder, Embedder], coarse: VectorSnapshot, finer: VectorSnapshot, first: Sections
) -> Tools:
    """Tools that have finer vectors of certain sections."""
    static, better = embedders
    live = finer.opened.live & np.isin(_names(finer.opened), _names(coarse.opened)[first])
    part = finer.limited(live)
    if not part.rows:
        return replace(tools, meaning=ActiveVectors(coarse, static))
    if part is finer:
        return replace(tools, meaning=ActiveVectors(finer, better))
    upgraded = FinerVectors(part, better, part.rows / finer.rows)
    return replace(tools, meaning=ActiveVectors(coarse, static, upgraded))


def _first(coarse: VectorTable, order: Sections, share: float) -> Sections:
    counts = coarse.ends[order] - coarse.sections["first"][order].astype(np.int64)
    chosen: Sections = order[np.cumsum(counts) <= share * counts.sum()]
    return chosen


def _names(opened: VectorTable) -> NDArray[np.uint64]:
    return section_names(opened.sections["document"], opened.sections["ordinal"])


def _whole(library: Library, model: str) -> VectorSnapshot:
    made = open_vectors(OwnFolder(library.config.store / "vectors" / embedder_name(model), 2))
    made.update(library.corpus().store, load_embedder(model))
    assert made.opened is not None
    return VectorSnapshot(made.opened)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", type=Path, help="A set of questions, or with --self a folder of documents.")
    parser.add_argument("--self", dest="from_itself", action="store_true", help="Make the questions from the folder.")
    parser.add_argument("--model", default="docs", help="The finer model. Default: docs.")
    given = parser.parse_args()
    held = None if given.from_itself else open_set(given.place)
    root = held.root if held and held.root else given.place
    store = kept_place(given.place) / "index-upgrading"
    wishes = {"store": store, "keywords.enabled": given.from_itself, "neural.model": given.model}
    with open_library(root, wishes) as library:
        library.sync()
        questions = held.questions if held else library.questions()
        level = held.level if held else JudgingLevel.SECTION
        print(f"{len(questions):,} questions")
        for one in measure(library, questions, level, SHARES):
            print(
                f"{one.share:5.0%} upgraded   NDCG@10 {one.ndcg:.4f}   left without an answer {one.silent}", flush=True
            )


if __name__ == "__main__":
    main()
