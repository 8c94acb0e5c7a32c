"""The products of one question with very many rows, and which of them are the largest."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np
import simsimd

from pinakes.processors import processors

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PAYING = 60_000
"""Rows that are worth a thread."""
MOST_THREADS = 4
"""More would only wait for the memory."""
_BLOCK = 512
"""Rows that are skipped together where a filter leaves none of them: those of a folder stand side by side."""
_FOLD = 16


def products(
    question: NDArray[np.int8], rows: NDArray[np.int8], allowed: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """The question's product with each row, by as many threads as there are cores where that pays. Blocks of rows of
    which none is `allowed` are skipped, and have minus infinity; what else is not allowed has its product.

    Threads of our own, that end with the question: a pool, of the engine's or of ours, would be missing in a process
    that was forked.
    """
    parts = [(0, len(rows))] if allowed is None else _stretches(allowed[: len(rows)])
    count = sum(end - start for start, end in parts)
    found = np.empty(len(rows), dtype=np.float32)
    if count < len(rows):
        found.fill(-np.inf)
    shares = _divided(parts, min(processors(), MOST_THREADS, 1 + count // _PAYING))

    def multiply(share: Sequence[tuple[int, int]]) -> None:
        for start, end in share:
            # Not with `out=`: simsimd then gives back None without counting it, and before Python 3.12, some ten
            # thousand questions later, the process ends for want of None.
            found[start:end] = np.asarray(simsimd.cdist(question[None], rows[start:end], "dot", out_dtype="float32"))[0]

    others = [Thread(target=multiply, args=(share,)) for share in shares[1:]]
    for thread in others:
        thread.start()
    multiply(shares[0])
    for thread in others:
        thread.join()
    return found


def _stretches(allowed: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where blocks of rows begin and end that hold something allowed."""
    if not len(allowed):
        return []
    has = np.logical_or.reduceat(allowed, np.arange(0, len(allowed), _BLOCK))
    borders = np.flatnonzero(np.diff(has, prepend=False, append=False)) * _BLOCK
    return [(start, min(end, len(allowed))) for start, end in borders.reshape(-1, 2).tolist()]


def _divided(parts: Sequence[tuple[int, int]], among: int) -> list[list[tuple[int, int]]]:
    """The rows of these stretches in as many shares, each about as large."""
    size = -(-sum(end - start for start, end in parts) // among)
    shares: list[list[tuple[int, int]]] = [[]]
    room = size
    for start, end in parts:
        while end - start > room:
            if room:
                shares[-1].append((start, start + room))
            start, room = start + room, size
            shares.append([])
        shares[-1].append((start, end))
        room -= end - start
    return shares


def about_best(numbers: NDArray[np.float32], wanted: int) -> float:
    """A number that at least `wanted` of the numbers reach, and not many more.

    Each of the `wanted` best among the maxima of small groups stands for one of them. Finding it so takes a tenth of
    the time of ordering all.
    """
    width = len(numbers) // _FOLD
    if wanted >= width:
        return float(np.partition(numbers, len(numbers) - wanted)[len(numbers) - wanted])
    maxima = numbers[: width * _FOLD].reshape(_FOLD, width).max(axis=0)
    return float(np.partition(maxima, width - wanted)[width - wanted])
