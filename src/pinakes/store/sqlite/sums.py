"""Checksums of the database's pages, kept beside it: has anybody but us written to it?

SQLite notices pages that make no sense, never a letter or a number that became another one. So each page has a CRC-32
in a file of its own, renewed whenever pages move from the write-ahead log into the database, which happens here and
nowhere else. A process may die between the two; then the log still holds what it moved.

    library.sums    14 bytes "pinakes sums 1", then numbers of four bytes in the machine's order: bytes in a page, count
                    of pages, a checksum for each, and one for all that is before it

A file that nobody touched has the time and the size that its seal names, so all of it is only read where those differ.

Why pages and not rows: in a small index, comparing every row, SQLite's integrity check and the invariants between
tables together found 182 of 600 flipped bits (the others changed no row yet). The checks without the rows, which would
carry their own checksum, found 21 of 27 pages that were put back as before an edit: well-formed and wrong.
Checksums of pages find all of these.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from pinakes.atomic import replace_file
from pinakes.store.sqlite.connection import Connection
from pinakes.store.sqlite.raw import raw

NAME = "library.sums"
LONG_LOG = 16 << 20
"""Bytes of log from which its pages are moved into the database."""
_MAGIC = b"pinakes sums 1"
_PIECE = 1 << 20
_LOG_HEADER, _FRAME_HEADER = 32, 24


@dataclass(frozen=True, slots=True)
class Sums:
    """What the pages were when they were written."""

    page_bytes: int
    pages: array[int]


def log_of(database: Path) -> Path:
    """The write-ahead log, which need not be there."""
    return database.with_name(f"{database.name}-wal")


def has_log(database: Path) -> bool:
    """Whether there are pages that may not have reached the database yet."""
    try:
        return log_of(database).stat().st_size > 0
    except OSError:
        return False


def read_sums(folder: Path) -> Sums | None:
    """None where there are none or they are damaged themselves: then nothing can be told by them."""
    try:
        kept = (folder / NAME).read_bytes()
    except OSError:
        return None
    body = kept[len(_MAGIC) :]
    if not kept.startswith(_MAGIC) or len(body) < 12 or len(body) % 4:
        return None
    page_bytes, count, *_ = numbers = array("I", body)
    if len(numbers) != count + 3 or page_bytes < 512 or crc32(kept[:-4]) != numbers[-1]:
        return None
    return Sums(page_bytes, numbers[2:-1])


def write_sums(folder: Path, sums: Sums) -> None:
    """Replace them in one step. Where there is no room for them they go: none at all accuse nobody. Nor do those that a
    power cut spoils, because they have a checksum themselves."""
    body = _MAGIC + array("I", [sums.page_bytes, len(sums.pages), *sums.pages]).tobytes()
    try:
        replace_file(folder / NAME, body + array("I", [crc32(body)]).tobytes(), durable=False)
    except OSError:
        with suppress(OSError):
            (folder / NAME).unlink(missing_ok=True)


def sums_of(database: Path) -> Sums:
    """Of every page as it is now."""
    page_bytes = _page_bytes(database)
    return Sums(page_bytes, array("I", _page_sums(database, page_bytes)))


def move_log(folder: Path, database: Path, connection: Connection) -> None:
    """Move pages from the log into the database, as far as nobody still reads what they replace. The caller holds the
    lock."""
    connection.all("PRAGMA wal_checkpoint(PASSIVE)")
    before = read_sums(folder)
    write_sums(folder, sums_of(database) if before is None else _renewed(database, before, _logged(database)))


def first_change(database: Path, sums: Sums) -> int:
    """The number of the first page that neither the checksums nor the log can explain; 0 when there is none."""
    now = list(_page_sums(database, sums.page_bytes))
    odd = [number for number, (one, other) in enumerate(zip(now, sums.pages, strict=False), 1) if one != other]
    odd += range(min(len(now), len(sums.pages)) + 1, max(len(now), len(sums.pages)) + 1)
    if not odd:
        return 0
    logged = _logged(database)
    return next((one for one in odd if one > len(now) or now[one - 1] not in logged.get(one, ())), 0)


def _renewed(database: Path, before: Sums, numbers: Iterable[int]) -> Sums:
    """The checksums of these pages, and of those that are new, read again."""
    pages = before.pages[:]
    count = database.stat().st_size // before.page_bytes
    del pages[count:]
    wanted = {number for number in numbers if number <= count} | set(range(len(pages) + 1, count + 1))
    pages.extend([0] * (count - len(pages)))
    with raw(database) as read:
        for number in wanted:
            pages[number - 1] = crc32(read(before.page_bytes, (number - 1) * before.page_bytes))
    return Sums(before.page_bytes, pages)


def _page_sums(database: Path, page_bytes: int) -> Iterator[int]:
    at = 0
    with raw(database) as read:
        while piece := read(max(_PIECE, page_bytes), at):
            at += len(piece)
            view = memoryview(piece)
            for start in range(0, len(piece), page_bytes):
                yield crc32(view[start : start + page_bytes])


def _logged(database: Path) -> Mapping[int, set[int]]:
    """For each page in the log its checksums there."""
    found: dict[int, set[int]] = {}
    try:
        file = log_of(database).open("rb")
    except OSError:
        return found
    with file:
        header = file.read(_LOG_HEADER)
        page_bytes, salt = int.from_bytes(header[8:12], "big"), header[16:24]
        while page_bytes and len(frame := file.read(_FRAME_HEADER + page_bytes)) == _FRAME_HEADER + page_bytes:
            if frame[8:16] != salt:
                break  # what follows is left over from an earlier round
            found.setdefault(int.from_bytes(frame[:4], "big"), set()).add(crc32(frame[_FRAME_HEADER:]))
    return found


def _page_bytes(database: Path) -> int:
    with raw(database) as read:
        stated = int.from_bytes(read(2, 16), "big")
    return 65536 if stated == 1 else max(stated, 512)
