"""Files that grow at their ends, and the rows that are put there.

Vectors, digests and section records enter, bytes on disk and the header that counts them leave. What is published stays
as it is: see `layout`.
"""

from __future__ import annotations

import os
import zlib
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO, Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from pinakes.own_folder import OwnFolder
from pinakes.vectors.layout import ROW, SECTION, Header, VectorTable, flush

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors

_SECTIONS = 16_384
"""Copied at a time when dead rows are left behind."""
_LOOSE = 2048
"""So many rows may be on their way to the disk while they already count; opening the files checks them in under a
millisecond."""


class SectionBatch(Struct, frozen=True):
    """Sections and their rows, counted from 0; what one document, or many, are in the files."""

    sections: NDArray[np.void]
    digests: NDArray[np.void]
    """Of the text of each row."""

    def is_like(self, other: SectionBatch) -> bool:
        return self.sections.tobytes() == other.sections.tobytes() and self.digests.tobytes() == other.digests.tobytes()


class SectionSink(Protocol):
    """Where sections and their vectors go."""

    def add(self, layer: SectionBatch, matrix: NDArray[np.int8]) -> None:
        """Put a layer and its vectors to those that are there."""
        ...


class VectorWriter:
    """Files open behind what a header counts. Leaving the block without `finish` leaves what is published alone."""

    def __init__(self, folder: OwnFolder, header: Header) -> None:
        self._folder = folder
        self._header = self._start = header
        with ExitStack() as stack:  # whichever cannot be opened, the others are closed
            self._matrix = self._open(stack, header.name("matrix"), header.rows * header.dimensions)
            self._rows = self._open(stack, header.name("rows"), header.rows * ROW.itemsize)
            self._sections = self._open(stack, header.name("sections"), header.sections * SECTION.itemsize)
            self._stack = stack.pop_all()

    def __enter__(self) -> VectorWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def is_as_before(self) -> bool:
        """Whether nothing was added."""
        return self._header == self._start

    def add(self, layer: SectionBatch, matrix: NDArray[np.int8]) -> None:
        """Put a layer and its vectors behind what is there."""
        header = self._header
        sections = layer.sections.copy()
        sections["first"] += header.rows
        rows = np.zeros(len(matrix), dtype=ROW)
        rows["digest"] = layer.digests
        rows["squares"] = np.einsum("ij,ij->i", matrix, matrix, dtype=np.int64)
        numbers, facts, records = matrix.tobytes(), rows.tobytes(), sections.tobytes()
        self._matrix.write(numbers)
        self._rows.write(facts)
        self._sections.write(records)
        self._header = replace(
            header,
            rows=header.rows + len(matrix),
            sections=header.sections + len(sections),
            sections_sum=zlib.crc32(records, header.sections_sum),
            matrix_sum=zlib.crc32(numbers, header.matrix_sum),
            rows_sum=zlib.crc32(facts, header.rows_sum),
            whole_matrix_sum=zlib.crc32(numbers, header.whole_matrix_sum),
            whole_rows_sum=zlib.crc32(facts, header.whole_rows_sum),
        )

    def finish(self) -> Header:
        """Everything is written afterwards; returns the header that counts it."""
        header = self._header
        is_little = header.rows - header.settled <= _LOOSE
        for file in (self._matrix, self._rows, self._sections):
            file.flush() if is_little else flush(file)
        times = [os.fstat(file.fileno()).st_mtime_ns for file in (self._matrix, self._rows)]
        header = replace(header, matrix_time=times[0], rows_time=times[1])
        return header if is_little else replace(header, settled=header.rows, matrix_sum=0, rows_sum=0)

    def _open(self, stack: ExitStack, name: str, end: int) -> BinaryIO:
        file = stack.enter_context(self._folder.open_to_write(name, create=not end))
        if not end:
            file.truncate()
        file.seek(end)
        return file


def as_bytes(vectors: Vectors) -> NDArray[np.int8]:
    """Each row scaled so that its largest number is 127, and rounded; its length no longer matters."""
    peaks = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    peaks[peaks == 0.0] = 1.0
    rounded: NDArray[np.int8] = np.rint(vectors * (127.0 / peaks)).astype(np.int8)
    return rounded


def layer_at(opened: VectorTable, places: NDArray[np.int64]) -> SectionBatch:
    """The sections at these places, with their rows counted from 0."""
    rows, offsets = opened.rows_of(places)
    sections = opened.sections[places]
    sections["first"] = offsets
    return SectionBatch(sections, opened.rows["digest"][rows])


def copy_live(opened: VectorTable, files: VectorWriter) -> None:
    """Add the sections of `opened` that still count."""
    kept = np.flatnonzero(opened.live)
    for at in range(0, len(kept), _SECTIONS):
        chosen = kept[at : at + _SECTIONS]
        rows, _ = opened.rows_of(chosen)
        files.add(layer_at(opened, chosen), opened.matrix[rows])
