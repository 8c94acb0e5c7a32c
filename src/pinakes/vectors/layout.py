"""How vectors lie on disk, and how a folder of them is opened, checked and published.

    vectors.json     {"header": {...}, "signature": "..."}; names everything else, replaced in one step, written last
    N.matrix         one row per chunk: `dimensions` signed bytes, the vector scaled to its largest number
    N.rows           one record per chunk: digest of the embedded text, sum of the squares of its row
    N.sections       one record per section-level chunk: document, ordinal, section position, first row; its own row is
                     the first, its passages follow, and the next section's first row ends them
    N-M.live         one bit per section-level chunk: whether it still counts
    N-P.axes, N-P.prefix    of many vectors, what is looked at first: see `prefix`

Files grow at their end only, beyond what the published header counts, so nobody who has them open sees a change, and
what a killed update left there is written over by the next. N changes when everything is written anew, M with every
update. The header carries checksums of everything. Those of the sections, of the live bits, and of the rows that nobody
waited for to reach the disk are compared whenever the files are opened, those of all other rows when the files have
another time than we left them with: a file that is missing, too short, not the one meant, written to by somebody else,
or whose end was lost in a power cut is found out. Waiting for the disk costs three milliseconds a file, twenty on a
busy machine, so only large updates do.
"""

from __future__ import annotations

import errno
import os
import re
import zlib
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import numpy as np
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pinakes.own_folder import OwnFolder
from pinakes.user_key import read_signed, write_signed
from pinakes.vectors.texts import DIGEST_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Kind = TypeVar("_Kind", bound=np.generic)

FORMAT = 3
_OF_PREFIX = ("axes", "prefix")
_MOST = 2**63
"""No number in a header reaches this."""
HEADER = "vectors.json"
ROW = np.dtype([("digest", f"V{DIGEST_BYTES}"), ("squares", "<u4")])
SECTION = np.dtype([("document", "<u4"), ("ordinal", "<u4"), ("position", "<u4"), ("first", "<u4")])
ENDINGS = ("matrix", "rows", "sections", "live", *_OF_PREFIX)


class Header(Struct, frozen=True):
    """What the files hold, as far as anybody may look."""

    embedder: str
    dimensions: int
    generation: int
    """The store's, when they were made; 0 while some sections are still without vectors."""
    history: str
    """Of the store: see `Feed`; empty while some sections are still without vectors."""
    epoch: int
    """The N in the files' names."""
    update: int
    """The M in the name of the live bits."""
    rows: int
    sections: int
    sections_sum: int
    """CRC-32 of all section records."""
    live_sum: int
    settled: int
    """Rows known to be on disk."""
    matrix_sum: int
    """CRC-32 of the matrix behind the settled rows."""
    rows_sum: int
    whole_matrix_sum: int
    """CRC-32 of all of the matrix."""
    whole_rows_sum: int
    matrix_time: int
    """When we last wrote to the matrix, in nanoseconds."""
    rows_time: int
    format: int = FORMAT
    prefix: int = 0
    """The P in the names of what belongs to the prefix."""
    prefix_rows: int = 0
    """The first so many rows have a prefix; 0 where there is none."""
    prefix_width: int = 0
    prefix_sum: int = 0
    """CRC-32 of all prefixes."""
    axes_sum: int = 0
    prefix_time: int = 0

    def name(self, ending: str) -> str:
        """The name of a file of this header."""
        if ending in _OF_PREFIX:
            return f"{self.epoch}-{self.prefix}.{ending}"
        return f"{self.epoch}-{self.update}.live" if ending == "live" else f"{self.epoch}.{ending}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all its files."""
        return tuple(self.name(ending) for ending in ENDINGS if self.prefix_rows or ending not in _OF_PREFIX)


class Damaged(Exception):
    """The files cannot be trusted; whoever meets this makes them again."""


class Prefix(Struct, frozen=True):
    """What is looked at first of the first rows."""

    axes: NDArray[np.float32]
    rows: NDArray[np.int8]


class VectorTable(Struct, frozen=True, dict=True):
    """Vectors of one moment: later updates do not show in it. Not slotted, because of its cached parts."""

    header: Header
    matrix: NDArray[np.int8]
    rows: NDArray[np.void]
    sections: NDArray[np.void]
    live: NDArray[np.bool_]
    """One per section."""
    prefix: Prefix | None = None

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """For each section the row after its last."""
        return np.append(self.sections["first"][1:], self.header.rows).astype(np.int64)

    @cached_property
    def order(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The names of all sections that count, ascending, and where each stands; so that one is found by halving."""
        places = np.flatnonzero(self.live)
        here = self.sections[places]
        names = section_names(here["document"], here["ordinal"])
        ascending = np.argsort(names)
        return names[ascending], places[ascending]

    @cached_property
    def section_of(self) -> NDArray[np.int64]:
        """For each row its section."""
        return np.repeat(np.arange(len(self.sections)), self.ends - self.sections["first"])

    def rows_of(self, sections: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of certain sections, one section's after the other's, and where among them each one's begin."""
        starts = self.sections["first"][sections].astype(np.int64)
        counts = self.ends[sections] - starts
        # Each section's rows count up from its first: what that is beyond its place in the result is added to a range.
        offsets = np.cumsum(counts) - counts
        return np.repeat(starts - offsets, counts) + np.arange(counts.sum()), offsets

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """For each row its length; 1 for rows that are all zero, so that one may divide by it."""
        return lengths_of(self.rows)

    @cached_property
    def shares(self) -> NDArray[np.float32]:
        """For each row 1 / length."""
        return (1.0 / self.lengths).astype(np.float32)


def lengths_of(rows: NDArray[np.void]) -> NDArray[np.float64]:
    """See `VectorTable.lengths`."""
    lengths: NDArray[np.float64] = np.sqrt(np.maximum(rows["squares"], 1).astype(np.float64))
    return lengths


def section_names(documents: NDArray[np.uint32], ordinals: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """One number for each section-level chunk."""
    return (documents.astype(np.uint64) << np.uint64(32)) | ordinals.astype(np.uint64)


def empty(embedder: str, dimensions: int, epoch: int) -> VectorTable:
    """Nothing yet, to begin with."""
    header = Header(embedder, dimensions, 0, "", epoch, *(0 for _ in range(12)))
    matrix = np.zeros((0, dimensions), dtype=np.int8)
    return VectorTable(header, matrix, np.zeros(0, ROW), np.zeros(0, SECTION), np.zeros(0, dtype=bool))


def read_header(folder: OwnFolder) -> Header | None:
    """The published header; None when there is none, or when it is damaged, not ours or of another format."""
    try:
        header = Header(**(read_signed(folder, HEADER) or {}))
    except TypeError:
        return None
    return header if header.format == FORMAT and _makes_sense(header) else None


def publish(folder: OwnFolder, header: Header) -> None:
    """Make `header` the one that counts; the files it names must be complete."""
    # Until all rows are settled a power cut may cost the rows that it counts, too.
    write_signed(folder, HEADER, to_builtins(header), durable=header.settled == header.rows)


def open_files(folder: OwnFolder, header: Header) -> VectorTable:
    """Map what `header` names; raises `Damaged` when it is not all there."""
    try:
        matrix = map_file(folder, header.name("matrix"), np.dtype(np.int8), header.rows * header.dimensions)
        rows = map_file(folder, header.name("rows"), ROW, header.rows)
        sections = map_file(folder, header.name("sections"), SECTION, header.sections)
        bits = folder.read(header.name("live"))
    except OSError as error:
        raise Damaged(str(error)) from error
    if changed := _changed(header, folder, matrix, rows):
        raise Damaged(f"{changed} is not what was written.")
    matrix = matrix.reshape(header.rows, header.dimensions)
    parts = (matrix[header.settled :].tobytes(), rows[header.settled :].tobytes(), sections.tobytes(), bits)
    sums = (header.matrix_sum, header.rows_sum, header.sections_sum, header.live_sum)
    if tuple(map(zlib.crc32, parts)) != sums:
        raise Damaged(f"The checksums in {folder.path / HEADER} are not those of the files.")
    live = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=header.sections).astype(bool)
    opened = VectorTable(header, matrix, rows, sections, live, _prefix(folder, header))
    if not _is_consistent(opened):
        raise Damaged(f"What {folder.path / HEADER} names is not what we write.")
    return opened


def _prefix(folder: OwnFolder, header: Header) -> Prefix | None:
    """The prefix; None where there is none, or one that is not what was written: it is only a help."""
    if not header.prefix_rows:
        return None
    try:
        count = header.prefix_width * header.dimensions
        axes = map_file(folder, header.name("axes"), np.dtype(np.float32), count)
        rows = map_file(folder, header.name("prefix"), np.dtype(np.int8), header.prefix_rows * header.prefix_width)
    except (OSError, Damaged):
        return None
    if header.prefix_rows > header.rows or zlib.crc32(axes.tobytes()) != header.axes_sum:
        return None
    is_as_left = _facts(folder, header.name("prefix")).st_mtime_ns == header.prefix_time
    if not is_as_left and zlib.crc32(rows.tobytes()) != header.prefix_sum:
        return None
    return Prefix(axes.reshape(-1, header.dimensions), rows.reshape(header.prefix_rows, -1))


def _makes_sense(header: Header) -> bool:
    """Whether a header could be of this version."""
    values = to_builtins(header)
    names = [values.pop(key) for key in ("embedder", "history")]
    return all(isinstance(name, str) for name in names) and all(
        type(value) is int and 0 <= value < _MOST for value in values.values()
    )


def _is_consistent(opened: VectorTable) -> bool:
    """Whether every section has rows of its own, every row belongs to one, and no two live sections share a name."""
    borders = np.append(opened.sections["first"].astype(np.int64), opened.header.rows)
    names, _ = opened.order
    return not borders[0] and bool((borders[1:] > borders[:-1]).all() and (names[1:] > names[:-1]).all())


def _changed(header: Header, folder: OwnFolder, matrix: NDArray[np.int8], rows: NDArray[np.void]) -> str:
    """Which of the two large files somebody else wrote to, if any."""
    kept = (
        ("matrix", matrix, header.matrix_time, header.whole_matrix_sum),
        ("rows", rows, header.rows_time, header.whole_rows_sum),
    )
    for ending, values, time, checksum in kept:
        name = header.name(ending)
        if _facts(folder, name).st_mtime_ns != time and zlib.crc32(values.tobytes()) != checksum:
            return name
    return ""


def damage(folder: OwnFolder) -> str:
    """What is wrong with the files, after reading every byte of them; nothing when they are sound or there are none."""
    header = read_header(folder)
    if header is None:
        return f"{HEADER} cannot be read." if folder.holds(HEADER) else ""
    try:
        open_files(folder, replace(header, matrix_time=-1, rows_time=-1))
    except Damaged as error:
        return str(error)
    return ""


def copy(source: OwnFolder, target: OwnFolder) -> None:
    """Put the files of a folder into another one, with a header of their own; nothing when they are not what was
    written."""
    header = read_header(source)
    if header is None:
        return
    try:
        target.make()
        for name in header.names:
            source.copy(name, target)
        open_files(target, replace(header, matrix_time=-1, rows_time=-1))
        matrix, rows = (_facts(target, header.name(ending)).st_mtime_ns for ending in ("matrix", "rows"))
    except (OSError, Damaged):  # an update may be taking the files away
        return
    publish(target, replace(header, matrix_time=matrix, rows_time=rows))  # the prefix is compared with its checksum


def times(folder: OwnFolder, header: Header) -> tuple[int, ...]:
    """Sizes and times of all files; another one when somebody wrote to any."""
    found = [_facts(folder, name) for name in header.names]
    return tuple(number for one in found for number in (one.st_size, one.st_mtime_ns))


def flush(file: BinaryIO) -> None:
    """What was written is on disk afterwards, and no power cut can take it back."""
    file.flush()
    os.fsync(file.fileno())


def next_epoch(folder: OwnFolder) -> int:
    """A number that no file in the folder has, published or not: what somebody has open is never written over."""
    return 1 + max(
        (int(number) for name in folder.names()[1] if (number := re.split("[.-]", name)[0]).isdigit()), default=0
    )


def sweep(folder: OwnFolder, header: Header) -> None:
    """Remove files that `header` does not name. What another process still has open on Windows stays for later."""
    kept = {*header.names}
    for name in folder.names()[1]:
        if name.rpartition(".")[2] in ENDINGS and name not in kept:
            with suppress(OSError):
                folder.remove(name)


def _facts(folder: OwnFolder, name: str) -> os.stat_result:
    facts = folder.facts(name)
    if facts is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder.path / name))
    return facts


def map_file(folder: OwnFolder, name: str, kind: np.dtype[_Kind], count: int) -> NDArray[_Kind]:
    """The first `count` things in a file, mapped; raises `Damaged` when there are fewer."""
    with folder.open(name) as file:
        if os.fstat(file.fileno()).st_size < count * kind.itemsize:
            raise Damaged(f"{folder.path / name} is too short.")
        if not count:
            return np.zeros(0, dtype=kind)
        # As a plain array: a memmap's own class costs more than the work on a few rows.
        return np.asarray(np.memmap(file, dtype=kind, mode="r", shape=(count,)))
