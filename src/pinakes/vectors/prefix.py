"""The first look at many vectors: half of their numbers, turned so that these say most.

The rows of a large file are multiplied by the directions along which they differ most, which are found by a principal
component analysis of the rows themselves; the first half of the products is kept beside the rows, as bytes. A question
goes through these alone, and only the best few thousand rows are compared in full (`snapshot.nearest`): half of the
memory is read. Derived from the rows, so files without it answer, too, and a damaged one is not used.

Measured on static vectors of four corpora, with questions of readers (docs/benchmarks.md): with half of the numbers
and one row in 64 compared in full, .995 and more of the exact best hundred sections are found; with 64 numbers .95. The
directions of a corpus's own rows find as much as those of the model, and every embedder has them.

    N-P.axes      `width` rows of `dimensions` float32: what a row of length 1 is multiplied by
    N-P.prefix    `width` signed bytes for each of the first rows
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from pinakes.own_folder import OwnFolder
from pinakes.vectors.layout import ROW, Header, Prefix, VectorTable, lengths_of, map_file
from pinakes.vectors.products import about_best, products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors

WORTHWHILE = 100_000
"""Fewer rows are compared in full within a millisecond."""
_LEAST_DIMENSIONS = 128
_SHARE = 0.5
"""Of the numbers of a vector."""
_SAMPLE = 40_000
"""Rows that the directions are found from."""
_ROOM = 1.05
"""The largest number among the sample times this becomes 127; larger ones are cut off."""
_AT_ONCE = 4096
_TAIL_SHARE = 32
"""One row in so many may be without a prefix. They are always compared in full."""
_LIKELY, _LIKELY_SHARE, _LIKELY_WIDE = 4096, 64, 40
"""At least so many rows are compared in full, or one in so many, or so many for each section wanted."""


def likely_rows(
    prefix: Prefix, opened: VectorTable, question: Vectors, allowed: NDArray[np.bool_] | None, limit: int
) -> NDArray[np.int64]:
    """The rows that may be among the nearest by their prefixes, in their order, and all rows that have none."""
    turned = prefix.axes @ question
    peak = float(np.abs(turned).max(initial=0.0)) or 1.0
    found = products(np.rint(turned * (127 / peak)).astype(np.int8), prefix.rows, allowed)
    count = len(found)
    if allowed is not None:
        np.copyto(found, -np.inf, where=~allowed[:count])
    wanted = max(_LIKELY, opened.header.rows // _LIKELY_SHARE, _LIKELY_WIDE * limit)
    floor = about_best(found, wanted) if wanted < count else -np.inf
    best = np.flatnonzero(found >= floor) if floor > -np.inf else np.flatnonzero(found > -np.inf)
    tail = np.arange(count, opened.header.rows)
    return np.concatenate([best, tail if allowed is None else tail[allowed[count:]]])


def with_prefix(folder: OwnFolder, header: Header, worthwhile: int) -> Header:
    """Make the prefix of the rows that `header` counts, or lengthen it when many rows are without one; returns the
    header that names it, to be published."""
    if header.rows < worthwhile or header.dimensions < _LEAST_DIMENSIONS:
        return header
    missing = header.rows - header.prefix_rows
    if header.prefix_rows and missing <= header.rows // _TAIL_SHARE:
        return header
    matrix = map_file(folder, header.name("matrix"), np.dtype(np.int8), header.rows * header.dimensions)
    matrix = matrix.reshape(header.rows, header.dimensions)
    lengths = lengths_of(map_file(folder, header.name("rows"), ROW, header.rows))
    if header.prefix_rows:
        count = header.prefix_width * header.dimensions
        axes = map_file(folder, header.name("axes"), np.dtype(np.float32), count).reshape(-1, header.dimensions)
    else:
        axes = axes_of(matrix, lengths)
        header = replace(header, prefix=max(header.prefix, header.update), prefix_width=len(axes), prefix_sum=0)
        folder.replace(header.name("axes"), axes.tobytes(), durable=False)
        header = replace(header, axes_sum=zlib.crc32(axes.tobytes()))
    return _lengthened(folder, header, axes, matrix, lengths)


def axes_of(matrix: NDArray[np.int8], lengths: NDArray[np.float64], share: float = _SHARE) -> NDArray[np.float32]:
    """The directions along which the rows differ most, for a share of their numbers, so long that the products of rows
    fill a byte."""
    step = max(1, len(matrix) // _SAMPLE)
    parts = [slice(start, start + step * _AT_ONCE, step) for start in range(0, len(matrix), step * _AT_ONCE)]
    likeness = np.zeros((matrix.shape[1], matrix.shape[1]), dtype=np.float32)
    for part in parts:
        units = _units(matrix[part], lengths[part])
        likeness += units.T @ units
    _, directions = np.linalg.eigh(likeness)  # ascending
    axes = directions.T[::-1][: round(share * matrix.shape[1])]
    peaks = [float(np.abs(_units(matrix[part], lengths[part]) @ axes.T).max()) for part in parts]
    peak = max(peaks, default=0.0) or 1.0
    return np.ascontiguousarray(axes * (127 / (_ROOM * peak)), dtype=np.float32)


def turned_rows(axes: NDArray[np.float32], matrix: NDArray[np.int8], lengths: NDArray[np.float64]) -> NDArray[np.int8]:
    """The prefixes of these rows."""
    turned: NDArray[np.int8] = np.clip(np.rint(_units(matrix, lengths) @ axes.T), -127, 127).astype(np.int8)
    return turned


def _units(matrix: NDArray[np.int8], lengths: NDArray[np.float64]) -> NDArray[np.float32]:
    """These rows, each of length 1."""
    units = matrix.astype(np.float32)
    units /= lengths[:, None].astype(np.float32)
    return units


def _lengthened(
    folder: OwnFolder,
    header: Header,
    axes: NDArray[np.float32],
    matrix: NDArray[np.int8],
    lengths: NDArray[np.float64],
) -> Header:
    with folder.open_to_write(header.name("prefix"), create=not header.prefix_rows) as file:
        file.seek(header.prefix_rows * header.prefix_width)
        checksum = header.prefix_sum
        for start in range(header.prefix_rows, header.rows, _AT_ONCE):
            part = slice(start, min(start + _AT_ONCE, header.rows))
            data = turned_rows(axes, matrix[part], lengths[part]).tobytes()
            checksum = zlib.crc32(data, checksum)
            file.write(data)
        file.truncate()
        file.flush()
        time = os.fstat(file.fileno()).st_mtime_ns
    return replace(header, prefix_rows=header.rows, prefix_sum=checksum, prefix_time=time)
