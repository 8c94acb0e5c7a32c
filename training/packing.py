"""A table as the package keeps it: bytes, and one scale for each row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_TOP = 127


def pack(folder: Path, table: NDArray[np.floating], pieces: Sequence[str]) -> None:
    """Write `table`, a row for each of the `pieces`, rounded to bytes; the same table gives the same files."""
    scales = np.abs(table).max(axis=1).astype(np.float32) / np.float32(_TOP)
    scales[scales == 0.0] = 1.0
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "rows.npy", np.rint(table / scales[:, None]).astype(np.int8))
    np.save(folder / "scales.npy", scales)
    (folder / "pieces.txt").write_text("".join(f"{piece}\n" for piece in pieces), encoding="utf-8")
