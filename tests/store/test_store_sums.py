"""Every page of an index has a checksum: what nobody wrote is noticed, what we wrote never is."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

from kits.store import at, entry
from pinakes.errors import StoreDamaged
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change
from pinakes.store import SqliteStore, damage, open_sqlite

CHILD = """
import os, signal, sys
from pathlib import Path
from zlib import crc32
sys.path[:0] = sys.argv[2:]
from pinakes.records import Change
from pinakes.store import open_sqlite
from pinakes.own_folder import OwnFolder
from pinakes.store.sqlite import sums, trust
from kits.store import entry
trust.LONG_LOG = 1
if sys.argv[1] == "moved":
    trust.move_log = lambda folder, database, connection: (
        connection.all("PRAGMA wal_checkpoint(PASSIVE)"), os.kill(os.getpid(), signal.SIGKILL))
elif sys.argv[1] == "summed":
    trust.present_seal = lambda folder, connection, before=[trust.present_seal]: (
        before.pop()(folder, connection) if before else os.kill(os.getpid(), signal.SIGKILL))
elif sys.argv[1] == "committed":
    trust.present_seal = lambda folder, connection: os.kill(os.getpid(), signal.SIGKILL)
store = open_sqlite(OwnFolder(Path("index")))
for number in range(20):
    if sys.argv[1] == "closed" and number == 10:
        store.close()
        os.kill(os.getpid(), signal.SIGKILL)
    store.write(Change(put=(entry(f"new/{number}.md", ("top", "more")),)))
"""


@pytest.fixture
def index(tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    store = open_sqlite(OwnFolder(folder))
    for start in range(0, 60, 20):
        store.write(Change(put=tuple(entry(f"{number}.md", ("a", "b", "c")) for number in range(start, start + 20))))
    store.close()
    return folder


def flip(path: Path, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def test_one_flipped_bit_anywhere_is_noticed(index: Path) -> None:
    database = index / "library.db"
    whole, times = database.read_bytes(), database.stat()
    chance = random.Random(5)
    for bit in chance.sample(range(8 * len(whole)), 200):
        flip(database, bit)
        os.utime(database, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
        if bit // 8 not in range(60, 64):  # the version: that of a newer Pinakes is refused as such
            with pytest.raises(StoreDamaged):
                open_sqlite(OwnFolder(index))
        os.utime(database, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert damage(OwnFolder(index)), "a disk that forgets, noticed by whoever reads everything"
        database.write_bytes(whole)
    assert damage(OwnFolder(index)) == ""


def test_an_index_that_is_open_notices_what_others_write_into_it(index: Path) -> None:
    store = open_sqlite(OwnFolder(index))
    assert store.files(DOCS)
    flip(index / "library.db", 8 * 20_000)
    with pytest.raises(StoreDamaged, match="page 5 is not what was written"):
        store.files(DOCS)
    store.close()


def test_an_index_with_another_time_is_as_good(index: Path) -> None:
    os.utime(index / "library.db", (1, 1))
    store = open_sqlite(OwnFolder(index))
    assert len(store.files(DOCS)) == 60
    store.write(Change(drop=(at("1.md"),)))
    store.close()
    assert damage(OwnFolder(index)) == ""


@pytest.mark.parametrize("way", ["removed", "garbage", "empty", "a folder", "of an earlier day"])
def test_without_checksums_an_index_is_believed_while_its_file_is_as_it_was_left(index: Path, way: str) -> None:
    sums = index / "library.sums"
    earlier = sums.read_bytes()
    store = open_sqlite(OwnFolder(index))
    store.write(Change(put=(entry("new.md"),)))
    store.close()
    sums.unlink()
    if way == "a folder":
        sums.mkdir()
    elif way != "removed":
        sums.write_bytes({"garbage": b"\xff" * 99, "empty": b"", "of an earlier day": earlier}[way])
    store = open_sqlite(OwnFolder(index))
    assert len(store.files(DOCS)) == 61
    store.close()
    if way in ("removed", "garbage", "empty"):
        assert damage(OwnFolder(index)) == ""
        os.utime(index / "library.db", (1, 1))
        with pytest.raises(StoreDamaged, match="checksums of its pages are gone"):
            open_sqlite(OwnFolder(index))


@pytest.mark.parametrize("moment", ["committed", "moved", "summed", "closed"])
def test_a_process_that_dies_while_pages_move_leaves_a_sound_index(index: Path, moment: str) -> None:
    kit = str(Path(__file__).parents[1])
    child = subprocess.run([sys.executable, "-c", CHILD, moment, kit], cwd=index.parent, stderr=subprocess.PIPE)
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()
    assert damage(OwnFolder(index)) == ""
    store = open_sqlite(OwnFolder(index))
    kept = len(store.files(DOCS))
    assert kept == (70 if moment == "closed" else 61)
    store.write(Change(put=(entry("another.md"),)))
    store.close()
    assert damage(OwnFolder(index)) == ""


def test_many_connections_that_come_and_go_accuse_nobody(index: Path) -> None:
    """The log is moved by whoever closes last, which may be one who could not move all of it before."""
    chance = random.Random(3)
    opened: list[SqliteStore] = []
    for number in range(150):
        if len(opened) < 3 or chance.random() < 0.4:
            opened.append(open_sqlite(OwnFolder(index)))
        one = chance.choice(opened)
        if chance.random() < 0.5:
            one.write(Change(put=(entry(f"{number % 30}.md", version=str(number)),)))
        else:
            assert one.files(DOCS)
        if len(opened) > 1 and chance.random() < 0.4:
            opened.pop(chance.randrange(len(opened))).close()
        if number % 25 == 0:
            assert damage(OwnFolder(index)) == ""
    for one in opened:
        one.close()
    assert damage(OwnFolder(index)) == ""


def test_a_page_forged_to_have_the_same_crc_is_noticed(index: Path) -> None:
    """Whoever can solve equations finds four bytes that give any page the CRC-32 of another."""
    database = index / "library.db"
    whole = bytearray(database.read_bytes())
    page = bytes(whole[4 * 4096 : 5 * 4096])
    forged = bytearray(page)
    forged[100:110] = bytes(byte ^ 0xFF for byte in forged[100:110])
    wanted = crc32(page) ^ crc32(forged)
    rows: list[tuple[int, int]] = []
    for bit in range(32):
        changed = bytearray(4096)
        changed[2000 + bit // 8] = 1 << bit % 8
        effect, uses = crc32(changed) ^ crc32(bytes(4096)), 1 << bit
        for row_effect, row_uses in rows:
            if effect ^ row_effect < effect:
                effect, uses = effect ^ row_effect, uses ^ row_uses
        rows.append((effect, uses))
        rows.sort(reverse=True)
    solution = 0
    for effect, uses in rows:
        if wanted ^ effect < wanted:
            wanted, solution = wanted ^ effect, solution ^ uses
    patch = solution.to_bytes(4, "little")
    forged[2000:2004] = bytes(one ^ other for one, other in zip(forged[2000:2004], patch, strict=True))
    assert crc32(forged) == crc32(page)
    whole[4 * 4096 : 5 * 4096] = forged
    database.write_bytes(whole)
    with pytest.raises(StoreDamaged, match="page 5 is not what was written"):
        open_sqlite(OwnFolder(index))
