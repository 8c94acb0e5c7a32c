"""A table as the package keeps it: bytes, and one scale for each row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_TOP = 127


def pack(path: Path, table: NDArray[np.floating]) -> None:
    """Write `table` rounded to bytes; the same table gives the same file."""
    scales = np.abs(table).max(axis=1, keepdims=True).astype(np.float32) / _TOP
    scales[scales == 0.0] = 1.0
    np.savez(path, rows=np.rint(table / scales).astype(np.int8), scales=scales[:, 0])
