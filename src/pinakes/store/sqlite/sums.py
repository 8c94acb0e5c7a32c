"""Checksums of the database's pages, kept beside it: has anybody but us written to it?

SQLite notices pages that make no sense, never a letter or a number that became another one. So each page has a
checksum in a file of its own, renewed whenever pages move from the write-ahead log into the database, which happens
here and nowhere else. A process may die between the two; then the log still holds what it moved. The checksums are made
with the user's key: nobody else can write other pages that have the same.

    library.sums    14 bytes "pinakes sums 3", then numbers of eight bytes in the machine's order: bytes in a page,
                    count of pages, a checksum for each; and the user's signature of all that

A file that nobody touched has the time and the size that its seal names, so all of it is only read where those differ.

Why pages and not rows: in a small index, comparing every row, SQLite's integrity check and the invariants between
tables together found 182 of 600 flipped bits (the others changed no row yet). The checks without the rows, which would
carry their own checksum, found 21 of 27 pages that were put back as before an edit: well-formed and wrong.
Checksums of pages find all of these.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Literal

from msgspec import Struct

from pinakes.own_folder import OwnFolder
from pinakes.store.sqlite.connection import Connection
from pinakes.store.sqlite.raw import raw
from pinakes.user_key import is_signed, sign

NAME = "library.sums"
LONG_LOG = 16 << 20
"""Bytes of log from which its pages are moved into the database."""
_MAGIC = b"pinakes sums 3"
_SIGNATURE = 64
_MOST_BYTES = 1 << 30
_PIECE = 1 << 20
_LOG_HEADER, _FRAME_HEADER = 32, 24
_LOG_MAGIC = b"\x37\x7f\x06"


class Sums(Struct, frozen=True):
    """What the pages were when they were written."""

    page_bytes: int
    pages: array[int]


def log_of(name: str) -> str:
    """What the write-ahead log of a database is called; it need not be there."""
    return f"{name}-wal"


def has_log(folder: OwnFolder, name: str) -> bool:
    """Whether there are pages that may not have reached the database yet."""
    try:
        facts = folder.facts(log_of(name))
    except OSError:
        return False
    return facts is not None and facts.st_size > 0


def log_salt(folder: OwnFolder, name: str) -> str:
    """The random numbers in the head of the log, which SQLite chooses anew whenever it begins one; empty where there is
    none, or a head that SQLite would not accept: then it reads nothing of it."""
    try:
        with folder.open(log_of(name)) as file:
            head = file.read(_LOG_HEADER)
    except OSError:
        return ""
    if len(head) < _LOG_HEADER or head[:3] != _LOG_MAGIC or head[3] not in (0x82, 0x83):
        return ""
    order: Literal["big", "little"] = "big" if head[3] == 0x83 else "little"
    first = second = 0
    for at in range(0, 24, 8):  # SQLite's own checksum of the head
        first = (first + int.from_bytes(head[at : at + 4], order) + second) & 0xFFFFFFFF
        second = (second + int.from_bytes(head[at + 4 : at + 8], order) + first) & 0xFFFFFFFF
    is_whole = head[24:] == first.to_bytes(4, "big") + second.to_bytes(4, "big")
    return head[16:24].hex() if is_whole else ""


def read_sums(folder: OwnFolder) -> Sums | None:
    """None where there are none, or they are damaged themselves or not ours: then nothing can be told by them."""
    try:
        kept = folder.read(NAME, _MOST_BYTES)
    except OSError:
        return None
    body, signature = kept[:-_SIGNATURE], kept[-_SIGNATURE:]
    if not body.startswith(_MAGIC) or not is_signed(signature.decode("ascii", "replace"), "sums", body):
        return None
    numbers = array("Q", body[len(_MAGIC) :])
    return Sums(numbers[0], numbers[2:])


def write_sums(folder: OwnFolder, sums: Sums) -> None:
    """Replace them in one step. Where there is no room for them they go, as those do that a power cut spoils: their
    signature is then wrong."""
    body = _MAGIC + array("Q", [sums.page_bytes, len(sums.pages), *sums.pages]).tobytes()
    try:
        folder.replace(NAME, body + sign("sums", body).encode(), durable=False)
    except OSError:
        with suppress(OSError):
            folder.remove(NAME)


def sums_of(folder: OwnFolder, name: str) -> Sums:
    """Of every page as it is now."""
    page_bytes = _page_bytes(folder, name)
    return Sums(page_bytes, array("Q", _page_sums(folder, name, page_bytes)))


def move_log(folder: OwnFolder, name: str, connection: Connection) -> None:
    """Move pages from the log into the database, as far as nobody still reads what they replace. The caller holds the
    lock."""
    connection.all("PRAGMA wal_checkpoint(PASSIVE)")
    before = read_sums(folder)
    now = sums_of(folder, name) if before is None else _renewed(folder, name, before, _logged(folder, name))
    write_sums(folder, now)


def first_change(folder: OwnFolder, name: str, sums: Sums) -> int:
    """The number of the first page that neither the checksums nor the log can explain; 0 when there is none."""
    now = list(_page_sums(folder, name, sums.page_bytes))
    odd = [number for number, (one, other) in enumerate(zip(now, sums.pages, strict=False), 1) if one != other]
    odd += range(min(len(now), len(sums.pages)) + 1, max(len(now), len(sums.pages)) + 1)
    if not odd:
        return 0
    logged = _logged(folder, name)
    return next((one for one in odd if one > len(now) or now[one - 1] not in logged.get(one, ())), 0)


def _renewed(folder: OwnFolder, name: str, before: Sums, numbers: Iterable[int]) -> Sums:
    """The checksums of these pages, and of those that are new, read again."""
    pages = before.pages[:]
    facts = folder.facts(name)
    count = facts.st_size // before.page_bytes if facts is not None else 0
    del pages[count:]
    wanted = {number for number in numbers if number <= count} | set(range(len(pages) + 1, count + 1))
    pages.extend([0] * (count - len(pages)))
    checksum = _checksum()
    with raw(folder, name) as read:
        for number in wanted:
            pages[number - 1] = checksum(read(before.page_bytes, (number - 1) * before.page_bytes))
    return Sums(before.page_bytes, pages)


def _page_sums(folder: OwnFolder, name: str, page_bytes: int) -> Iterator[int]:
    at, checksum = 0, _checksum()
    with raw(folder, name) as read:
        while piece := read(max(_PIECE, page_bytes), at):
            at += len(piece)
            view = memoryview(piece)
            for start in range(0, len(piece), page_bytes):
                yield checksum(view[start : start + page_bytes])


def _logged(folder: OwnFolder, name: str) -> Mapping[int, set[int]]:
    """For each page in the log its checksums there."""
    found: dict[int, set[int]] = {}
    checksum = _checksum()
    try:
        file = folder.open(log_of(name))
    except OSError:
        return found
    with file:
        header = file.read(_LOG_HEADER)
        page_bytes, salt = int.from_bytes(header[8:12], "big"), header[16:24]
        while page_bytes and len(frame := file.read(_FRAME_HEADER + page_bytes)) == _FRAME_HEADER + page_bytes:
            if frame[8:16] != salt:
                break  # what follows is left over from an earlier round
            found.setdefault(int.from_bytes(frame[:4], "big"), set()).add(checksum(frame[_FRAME_HEADER:]))
    return found


def _checksum() -> Callable[[bytes | memoryview], int]:
    """Of a page. SHA-256, which most processors know: keyed BLAKE2 takes twice as long."""
    keyed = sha256(bytes.fromhex(sign("pages")))

    def checksum(page: bytes | memoryview) -> int:
        one = keyed.copy()
        one.update(page)
        return int.from_bytes(one.digest()[:8], "little")

    return checksum


def _page_bytes(folder: OwnFolder, name: str) -> int:
    with raw(folder, name) as read:
        stated = int.from_bytes(read(2, 16), "big")
    return 65536 if stated == 1 else max(stated, 512)
