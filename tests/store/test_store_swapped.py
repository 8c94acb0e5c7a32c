"""A file of the index that becomes something else while it is read: an error of ours, never one of the system."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pinakes.errors import StoreDamaged, StoreError, StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.store.sqlite.connection import translate_errors
from pinakes.store.sqlite.sums import sums_of


def _to_link(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))


SWAPS: dict[str, tuple[Callable[[Path], object], type[StoreError]]] = {
    "a link": (_to_link, StoreStrange),
    "a pipe": (os.mkfifo, StoreStrange),
    "a folder": (os.mkdir, StoreDamaged),
    "gone": (lambda path: None, StoreDamaged),
}


@pytest.mark.parametrize("swap", SWAPS)
def test_a_database_that_becomes_something_else(tmp_path: Path, swap: str) -> None:
    become, expected = SWAPS[swap]
    (tmp_path / "elsewhere").write_bytes(b"secret" * 1000)
    database = tmp_path / "index" / "library.db"
    database.parent.mkdir()
    become(database)
    with pytest.raises(expected, match=r"library\.db"), translate_errors(database):
        sums_of(OwnFolder(database.parent), database.name)


def test_errors_of_other_files_are_not_of_the_index(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), translate_errors(tmp_path / "index" / "library.db"):
        (tmp_path / "page.md").read_text()


def test_a_full_disk_is_no_damage(tmp_path: Path) -> None:
    database = tmp_path / "library.db"
    with pytest.raises(StoreError, match="free space") as raised, translate_errors(database):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "library.sums"))
    assert not isinstance(raised.value, StoreDamaged)
