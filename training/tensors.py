"""Arrays in a safetensors file: eight bytes with the header's length, a JSON header, then the numbers.

A file enters, arrays leave, mapped and not read. Only numbers can come out of such a file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KINDS = {"F16": np.float16, "F32": np.float32, "F64": np.float64}
_LONGEST_HEADER = 100_000_000


def read_tensors(path: Path) -> Mapping[str, NDArray[np.floating]]:
    """Every array of floating point numbers in the file, by name; raises `ValueError` when it is not such a file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(size - 8, _LONGEST_HEADER):
            raise ValueError(f"{path} is not a safetensors file, or not all of it is there")
        header = json.loads(file.read(length))
    numbers = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + length, shape=(size - 8 - length,))
    # As plain arrays: a memmap's own class costs more than the work on a few rows.
    data = np.asarray(numbers)
    found = {}
    for name, described in header.items():
        kind = _KINDS.get(described.get("dtype", ""))
        if kind is not None:
            start, end = described["data_offsets"]
            shape = tuple(described["shape"])
            if end > len(data) or end - start != math.prod(shape) * np.dtype(kind).itemsize:
                raise ValueError(f"{path} is shorter than it says")
            found[name] = data[start:end].view(kind).reshape(shape)
    return found


def write_tensors(path: Path, tensors: Mapping[str, NDArray[np.floating]]) -> None:
    """Write arrays as such a file; the same arrays give the same bytes."""
    kinds = {np.dtype(kind).name: name for name, kind in _KINDS.items()}
    header, at = {}, 0
    for name, values in sorted(tensors.items()):
        header[name] = {"dtype": kinds[values.dtype.name], "shape": list(values.shape)} | {
            "data_offsets": [at, at + values.nbytes]
        }
        at += values.nbytes
    written = json.dumps(header, separators=(",", ":")).encode()
    with path.open("wb") as file:
        file.write(len(written).to_bytes(8, "little") + written)
        for _, values in sorted(tensors.items()):
            file.write(np.ascontiguousarray(values).tobytes())
