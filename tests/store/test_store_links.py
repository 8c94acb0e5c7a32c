"""A link in place of a file of the index leads nowhere: nothing outside is read, written, emptied or removed."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from kits.store import entry
from pinakes.errors import StoreError
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change
from pinakes.store import damage, open_sqlite, set_aside

NAMES = ("library.db", "library.db-wal", "library.db-shm", "library.sums", "seal.json", "write.lock", "writer.json")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    store = open_sqlite(OwnFolder(tmp_path / "index"))
    store.write(Change(put=(entry("a.md"),)))
    store.close()
    return tmp_path / "index"


def outside(tmp_path: Path, like: Path) -> Path:
    """A folder whose files look like those of an index, and one that does not."""
    victim = tmp_path / "victim"
    shutil.copytree(like, victim)
    (victim / "plain").write_text("mine")
    return victim


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())}


def use(index: Path) -> None:
    """Everything that is done with an index."""
    with suppress(StoreError, OSError):
        damage(OwnFolder(index))
    with suppress(StoreError, OSError):
        store = open_sqlite(OwnFolder(index))
        try:
            list(store.files(DOCS))
            store.write(Change(put=(entry("b.md"),)))
        finally:
            store.close()
    with suppress(StoreError, OSError):
        set_aside(OwnFolder(index))
    with suppress(StoreError, OSError):
        open_sqlite(OwnFolder(index)).close()


@pytest.mark.parametrize("target", ["same", "plain", "nothing"])
@pytest.mark.parametrize("name", NAMES)
def test_a_link_in_place_of_a_file_is_not_followed(index: Path, tmp_path: Path, name: str, target: str) -> None:
    victim = outside(tmp_path, index)
    before = state(victim)
    (index / name).unlink(missing_ok=True)
    (index / name).symlink_to(victim / (name if target == "same" else target))
    use(index)
    assert state(victim) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_link_that_comes_under_an_open_store_is_not_followed(index: Path, tmp_path: Path, name: str) -> None:
    victim = outside(tmp_path, index)
    before = state(victim)
    store = open_sqlite(OwnFolder(index))
    store.write(Change(put=(entry("c.md"),)))
    (index / name).unlink(missing_ok=True)
    (index / name).symlink_to(victim / "plain")
    with suppress(StoreError, OSError):
        store.write(Change(put=(entry("d.md"),)))
    with suppress(StoreError, OSError):
        list(store.files(DOCS))
    with suppress(StoreError, OSError):
        store.close()
    use(index)
    assert state(victim) == before


def test_a_folder_that_becomes_a_link_under_an_open_store_is_refused(index: Path, tmp_path: Path) -> None:
    victim = outside(tmp_path, index)
    before = state(victim)
    store = open_sqlite(OwnFolder(index))
    store.write(Change(put=(entry("c.md"),)))
    index.rename(tmp_path / "gone")
    index.symlink_to(victim)
    with pytest.raises(StoreError, match="link"):
        store.write(Change(put=(entry("d.md"),)))
    with pytest.raises(StoreError, match="link"):
        list(store.files(DOCS))
    with suppress(StoreError, OSError):
        store.close()
    use(index)
    assert state(victim) == before


def test_files_are_for_their_owner_alone(index: Path) -> None:
    assert {oct(path.stat().st_mode & 0o777) for path in index.iterdir()} == {"0o600"}
    assert index.stat().st_mode & 0o777 == 0o700
    os.chmod(index, 0o755)
    open_sqlite(OwnFolder(index)).close()
    assert index.stat().st_mode & 0o777 == 0o700
