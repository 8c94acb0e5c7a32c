"""How much of an exact scan of vectors a scan of their prefixes finds, and what both cost.

    python -m benchmarks.prefix LIBRARY… --questions FILE [--count N] [--rows N]

Folders with an index, or folders of vectors, and a file with questions enter (JSON lines with `query`, or with `q`, a
list); a table leaves, a row for each width of the prefix: the share of the exact best hundred sections that is found
among the rows compared in full, as mean and as the worst question, and the time of both. Everything is in one run, on
one thread. `--rows` repeats the rows of a library, with noise, until there are so many: sizes that no corpus here has.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from benchmarks.table import machine
from pinakes.neural import load_embedder
from pinakes.own_folder import OwnFolder
from pinakes.records import ChunkId
from pinakes.vectors import layout, products
from pinakes.vectors.layout import Prefix, VectorTable
from pinakes.vectors.prefix import axes_of, turned_rows
from pinakes.vectors.snapshot import nearest

BEST = 100
SHARES = (1 / 4, 3 / 8, 1 / 2)
"""Of the numbers of a vector."""
_AT_ONCE = 16_384


def opened(place: Path, model: str) -> VectorTable:
    name = load_embedder(model).name
    home = place if (place / "vectors").is_dir() else place / ".pinakes"
    folder = OwnFolder.of_user(home / "vectors" / name)
    header = layout.read_header(folder)
    if header is None:
        raise SystemExit(f"{folder.path} holds no vectors of {model}. Run pinakes sync --wait there.")
    return layout.open_files(folder, header)


def questions(file: Path, count: int) -> list[str]:
    """So many, chosen evenly over the file."""
    with gzip.open(file, "rt") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        found = [text for line in lines for text in _texts(json.loads(line))]
    return random.Random(7).sample(found, min(count, len(found)))


def _texts(record: dict[str, object]) -> Sequence[str]:
    given = record.get("q", record.get("query"))
    return [given] if isinstance(given, str) else list(given) if isinstance(given, list) else []


def repeated(table: VectorTable, rows: int) -> VectorTable:
    """The same sections again and again, each time with another noise, under other numbers."""
    dice = np.random.default_rng(7)
    times = -(-rows // len(table.matrix))
    if times < 2:
        return table
    parts, sections = [], []
    documents = int(table.sections["document"].max(initial=0)) + 1
    for number in range(times):
        noise = dice.normal(0.0, 6.0 if number else 0.0, table.matrix.shape).astype(np.float32)
        parts.append(np.clip(np.rint(table.matrix + noise), -127, 127).astype(np.int8))
        part = table.sections.copy()
        part["document"] += number * documents
        part["first"] += number * len(table.matrix)
        sections.append(part)
    matrix = np.concatenate(parts)
    facts = np.zeros(len(matrix), dtype=layout.ROW)
    facts["squares"] = np.einsum("ij,ij->i", matrix, matrix, dtype=np.int64)
    every = np.concatenate(sections)
    header = replace(table.header, rows=len(matrix), sections=len(every))
    return VectorTable(header, matrix, facts, every, np.ones(len(every), dtype=bool))


def prefix_of(table: VectorTable, share: float) -> Prefix:
    axes = axes_of(table.matrix, table.lengths, share)
    parts = [
        turned_rows(axes, table.matrix[at : at + _AT_ONCE], table.lengths[at : at + _AT_ONCE])
        for at in range(0, len(table.matrix), _AT_ONCE)
    ]
    return Prefix(axes, np.concatenate(parts))


def asked(tables: Sequence[VectorTable], vectors: NDArray[np.float32]) -> tuple[list[list[set[ChunkId]]], list[float]]:
    """The best sections for each question by each of the tables, which take turns, and each one's median time in
    milliseconds."""
    found: list[list[set[ChunkId]]] = [[] for _ in tables]
    times: list[list[float]] = [[] for _ in tables]
    for vector in (*vectors[:5], *vectors):
        for number, table in enumerate(tables):
            started = time.perf_counter()
            best = nearest(table, vector, None, BEST)
            times[number].append(time.perf_counter() - started)
            found[number].append({one.chunk for one in best})
    return [one[5:] for one in found], [1000 * float(np.median(one[5:])) for one in times]


def measure(place: Path, options: argparse.Namespace) -> None:
    vectors = load_embedder(options.model).encode(questions(options.questions, options.count))
    table = replace(repeated(opened(place, options.model), options.rows), prefix=None)
    found, times = asked([table, *(replace(table, prefix=prefix_of(table, share)) for share in SHARES)], vectors)
    for share, ours, took in zip(SHARES, found[1:], times[1:], strict=True):
        recalls = [len(one & other) / max(1, len(other)) for one, other in zip(ours, found[0], strict=True)]
        cells = [
            place.name,
            f"{len(table.matrix):,}",
            f"{round(share * table.header.dimensions)} of {table.header.dimensions}",
            f"{np.mean(recalls):.4f}",
            f"{min(recalls):.2f}",
            f"{times[0]:.2f} ms",
            f"{took:.2f} ms",
            f"{times[0] / took:.2f}",
        ]
        print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+", type=Path)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--model", default="static")
    options = parser.parse_args()
    products.MOST_THREADS = 1
    print(f"{machine()}\n")
    print("| library | vectors | prefix | found of the best 100 | worst question | exact | by prefix | times faster |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for place in options.libraries:
        measure(place, options)


if __name__ == "__main__":
    main()
