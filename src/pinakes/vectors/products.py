"""The products of one question with very many rows, and which of them are the largest."""

from __future__ import annotations

from itertools import pairwise
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
_FOLD = 16


def products(question: NDArray[np.int8], rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """The question's product with each row, by as many threads as there are cores where that pays.

    Threads of our own, that end with the question: a pool, of the engine's or of ours, would be missing in a process
    that was forked.
    """
    parts = min(processors(), MOST_THREADS, 1 + len(rows) // _PAYING)
    found = np.empty(len(rows), dtype=np.float32)
    borders = np.linspace(0, len(rows), parts + 1).astype(int).tolist()

    def multiply(start: int, end: int) -> None:
        # Not with `out=`: simsimd then gives back None without counting it, and before Python 3.12, some ten thousand
        # questions later, the process ends for want of None.
        found[start:end] = np.asarray(simsimd.cdist(question[None], rows[start:end], "dot", out_dtype="float32"))[0]

    others = [Thread(target=multiply, args=border) for border in pairwise(borders[1:])]
    for thread in others:
        thread.start()
    multiply(*borders[:2])
    for thread in others:
        thread.join()
    return found


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
