"""What an approximate index would gain over the scan of all vectors, at sizes where it could.

    python -m benchmarks.approximate LIBRARY --questions FILE [--rows N] [--count N]

A folder with an index and a file with questions enter; a table leaves: for the exact scan, the scan by prefixes (what
Pinakes does), cells of near vectors (IVF) and a graph (HNSW, of usearch, where it is installed) the time to make it,
its memory, the time of a question and how much of the exact best hundred rows it finds. `--rows` repeats the library's
rows, with noise, until there are so many. One thread asks; the ways take turns, question by question.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.prefix import opened, prefix_of, questions, repeated
from benchmarks.table import machine
from pinakes.neural import load_embedder
from pinakes.vectors import products
from pinakes.vectors.layout import VectorTable
from pinakes.vectors.prefix import likely_rows

BEST = 100
CELLS, TRAINED, TURNS = 1024, 60_000, 8
PROBED = (16, 64)
GRAPH = (16, 128)
"""Neighbours of a row, and how far is looked when one is put in."""
FAR = (128, 512)
"""How far is looked for a question."""

Found = NDArray[np.int64]
AskRows = Callable[[NDArray[np.float32]], Found]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to find the nearest rows."""

    name: str
    made_s: float
    bytes: int
    """Of memory that a question may touch."""
    ask: AskRows


def best_of(numbers: NDArray[np.float32], rows: Found | None = None) -> Found:
    most = min(BEST, len(numbers))
    chosen = np.argpartition(numbers, len(numbers) - most)[len(numbers) - most :]
    return chosen if rows is None else rows[chosen]


def compared(table: VectorTable, vector: NDArray[np.float32], rows: Found | None) -> NDArray[np.float32]:
    """The cosines of a question with some rows, or all."""
    question = np.rint(vector * (127 / np.abs(vector).max())).astype(np.int8)
    if rows is None:
        return products.products(question, table.matrix) * table.shares
    return products.products(question, table.matrix.take(rows, axis=0)) * table.shares.take(rows)


def scan(table: VectorTable) -> Way:
    return Way("exact scan", 0.0, table.matrix.nbytes, lambda vector: best_of(compared(table, vector, None)))


def by_prefix(table: VectorTable) -> Way:
    started = time.perf_counter()
    prefix = prefix_of(table, 0.5)
    took = time.perf_counter() - started

    def ask(vector: NDArray[np.float32]) -> Found:
        rows = likely_rows(prefix, table, vector, None, BEST)
        return best_of(compared(table, vector, rows), rows)

    return Way("half of the numbers first", took, prefix.rows.nbytes, ask)


def cells(table: VectorTable) -> Iterator[Way]:
    """Rows in the order of their cells, so that those of a cell are read in one go."""
    started = time.perf_counter()
    centres = _centres(table)
    of = np.concatenate([_cell_of(rows, centres) for rows in _units(table)])
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(len(centres) + 1))
    matrix, shares = table.matrix[order], table.shares[order]
    took = time.perf_counter() - started
    for probed in PROBED:

        def ask(vector: NDArray[np.float32], probed: int = probed) -> Found:
            near = np.argpartition(-(centres @ vector), probed)[:probed]
            question = np.rint(vector * (127 / np.abs(vector).max())).astype(np.int8)
            rows = np.concatenate([np.arange(starts[one], starts[one + 1]) for one in near])
            parts = [products.products(question, matrix[starts[one] : starts[one + 1]]) for one in near]
            return order[best_of(np.concatenate(parts) * shares[rows], rows)]

        yield Way(f"cells: {probed} of {len(centres):,} looked into", took, matrix.nbytes, ask)


def _units(table: VectorTable) -> Iterator[NDArray[np.float32]]:
    for at in range(0, len(table.matrix), TRAINED):
        part = slice(at, at + TRAINED)
        yield table.matrix[part].astype(np.float32) * table.shares[part, None]


def _cell_of(rows: NDArray[np.float32], centres: NDArray[np.float32]) -> Found:
    found: Found = np.concatenate([np.argmax(rows[at : at + 4096] @ centres.T, 1) for at in range(0, len(rows), 4096)])
    return found


def _centres(table: VectorTable) -> NDArray[np.float32]:
    """By k-means over a sample."""
    dice = np.random.default_rng(7)
    chosen = np.sort(dice.choice(len(table.matrix), min(TRAINED, len(table.matrix)), replace=False))
    sample = table.matrix[chosen].astype(np.float32) * table.shares[chosen, None]
    centres = sample[dice.choice(len(sample), min(CELLS, len(sample)), replace=False)].copy()
    for _ in range(TURNS):
        of = _cell_of(sample, centres)
        for cell in range(len(centres)):
            if len(mine := sample[of == cell]):
                centres[cell] = mine.mean(axis=0)
        centres /= np.maximum(np.sqrt(np.square(centres).sum(axis=1, keepdims=True)), 1e-9)
    return centres


def graph(table: VectorTable, threads: int) -> Iterator[Way]:
    from usearch.index import Index

    index = Index(ndim=table.header.dimensions, metric="cos", dtype="i8", connectivity=GRAPH[0], expansion_add=GRAPH[1])
    started = time.perf_counter()
    index.add(np.arange(len(table.matrix)), table.matrix, threads=threads)
    took = time.perf_counter() - started
    for far in FAR:

        def ask(vector: NDArray[np.float32], far: int = far) -> Found:
            index.expansion_search = far  # type: ignore[misc, unused-ignore]
            question = np.rint(vector * (127 / np.abs(vector).max())).astype(np.int8)
            found: Found = index.search(question, BEST, threads=1).keys.astype(np.int64)
            return found

        yield Way(f"graph: looking {far} far", took, index.memory_usage, ask)


def measure(table: VectorTable, ways: Sequence[Way], vectors: NDArray[np.float32]) -> Iterator[str]:
    times: list[list[float]] = [[] for _ in ways]
    recalls: list[list[float]] = [[] for _ in ways]
    for number, vector in enumerate((*vectors[:5], *vectors)):
        exact: set[int] = set()
        for place, way in enumerate(ways):
            started = time.perf_counter()
            found = way.ask(vector)
            took = time.perf_counter() - started
            exact = exact or set(found.tolist())
            if number >= 5:
                times[place].append(1000 * took)
                recalls[place].append(len(exact & set(found.tolist())) / max(1, len(exact)))
    for way, took_ms, recall in zip(ways, times, recalls, strict=True):
        cells_of = (
            f"{len(table.matrix):,}",
            way.name,
            f"{way.made_s:,.1f} s",
            f"{way.bytes / 1e6:,.0f} MB",
            f"{np.median(took_ms):.2f} ms",
            f"{np.quantile(took_ms, 0.99):.2f} ms",
            f"{np.mean(recall):.4f}",
            f"{min(recall):.2f}",
        )
        yield f"| {' | '.join(cells_of)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2, help="that make the graph")
    options = parser.parse_args()
    products.MOST_THREADS = 1
    vectors = load_embedder("static").encode(questions(options.questions, options.count))
    table = repeated(opened(options.library, "static"), options.rows)
    ways = [scan(table), by_prefix(table), *cells(table)]
    if find_spec("usearch") is not None:
        ways += graph(table, options.threads)
    print(f"{machine()}\n\n| rows | way | made in | memory | median | 99 % | found of the best 100 | worst |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|")
    for line in measure(table, ways, vectors):
        print(line, flush=True)
    if find_spec("usearch") is None:
        print("The graph was left out: pip install usearch.")


if __name__ == "__main__":
    main()
