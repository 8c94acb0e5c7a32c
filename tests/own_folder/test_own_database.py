"""SQLite opens files of ours only."""

from __future__ import annotations

import os
import sqlite3
import struct
from pathlib import Path

import pytest

from pinakes.errors import StoreStrange
from pinakes.folder_lock import locked_file
from pinakes.own_folder import OwnFolder
from pinakes.own_folder.database import open_database


@pytest.fixture
def ours(tmp_path: Path) -> OwnFolder:
    return OwnFolder(tmp_path / "ours").make()


def test_a_database_is_opened_by_name(ours: OwnFolder) -> None:
    ours.touch("a #1.db")
    connection = open_database(ours, "a #1.db")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    assert (ours.path / "a #1.db").stat().st_size > 0


def test_a_database_that_is_a_link_is_refused(ours: OwnFolder, tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"")
    for name in ("a.db", "b.db-wal", "c.db-shm", "d.db-journal"):
        (ours.path / name).symlink_to(tmp_path / "victim")
    for name in ("b.db", "c.db", "d.db"):
        ours.touch(name)
    for name in ("a.db", "b.db", "c.db", "d.db"):
        with pytest.raises(StoreStrange):
            open_database(ours, name)
    assert (tmp_path / "victim").read_bytes() == b""


def test_a_journal_that_came_along_deletes_nothing(ours: OwnFolder, tmp_path: Path) -> None:
    """A journal names the journal of several databases, which SQLite removes once it has been rolled back."""
    victim = tmp_path / "victim"
    victim.write_text("dear to the user\n")
    with sqlite3.connect(ours.path / "a.db") as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    name = os.fsencode(victim)
    size = (ours.path / "a.db").stat().st_size // 4096
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">5I", 0, 7, size, 512, 4096)
    lock_page = 0x40000000 // 4096 + 1
    checksum = sum(name)
    tail = struct.pack(">I", lock_page) + name + struct.pack(">2I", len(name), checksum) + head[:8]
    journal = head.ljust(512, b"\0") + tail
    (ours.path / "a.db-journal").write_bytes(journal)
    control = tmp_path / "control"
    control.mkdir()
    (control / "a.db").write_bytes((ours.path / "a.db").read_bytes())
    (control / "a.db-journal").write_bytes(journal)

    opened = open_database(ours, "a.db")
    assert opened.execute("SELECT count(*) FROM t").fetchone() == (0,)
    opened.close()
    assert victim.exists()

    plain = sqlite3.connect(control / "a.db")
    plain.execute("SELECT count(*) FROM t").fetchone()
    plain.close()
    assert not victim.exists(), "the journal of this test means nothing to SQLite"


@pytest.mark.parametrize("kind", ["link", "dangling", "hard link", "pipe"])
def test_a_lock_that_is_no_plain_file_of_ours_is_not_emptied(ours: OwnFolder, tmp_path: Path, kind: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("dear to the user\n" * 100)
    place = ours.path / "update.lock"
    if kind == "link":
        place.symlink_to(victim)
    elif kind == "dangling":
        place.symlink_to(tmp_path / "nothing")
    elif kind == "hard link":
        os.link(victim, place)
    else:
        os.mkfifo(place)
    with pytest.raises(StoreStrange), locked_file(ours, "update.lock", 0):
        pass
    assert victim.read_text() == "dear to the user\n" * 100
    assert sorted(os.listdir(tmp_path)) == ["ours", "victim"]


def test_a_lock_that_somebody_wrote_into_is_emptied_and_held(ours: OwnFolder) -> None:
    ours.replace("update.lock", b"nonsense " * 100)
    with locked_file(ours, "update.lock", 0), pytest.raises(sqlite3.OperationalError):  # noqa: SIM117
        with locked_file(ours, "update.lock", 0):
            pass
    assert (ours.path / "update.lock").stat().st_size == 0
