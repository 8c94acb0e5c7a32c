"""One process at a time in a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pinakes.errors import StoreBusy, StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.own_folder import OwnFolder

HOLD = """
import sys
from pathlib import Path
from pinakes.folder_lock import exclusive_lock
from pinakes.own_folder import OwnFolder
with exclusive_lock(OwnFolder(Path(sys.argv[1])), "shells"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_made_held_and_given_back(tmp_path: Path) -> None:
    for _ in range(2):
        with exclusive_lock(OwnFolder(tmp_path / "deep" / "place", 2), "shells", wait_s=0):
            assert (tmp_path / "deep" / "place").is_dir()


def test_a_second_one_in_the_same_process_waits_in_vain(tmp_path: Path) -> None:
    with exclusive_lock(OwnFolder(tmp_path, 2), "shells"):
        with (
            pytest.raises(StoreBusy, match="writing shells into"),
            exclusive_lock(OwnFolder(tmp_path, 2), "shells", wait_s=0),
        ):
            pass
        with exclusive_lock(OwnFolder(tmp_path / "other", 2), "shells", wait_s=0):
            pass


def test_another_process_holds_it_until_it_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StoreBusy), exclusive_lock(OwnFolder(tmp_path, 2), "shells", wait_s=0):
            pass
        other.kill()
        other.wait()
    with exclusive_lock(OwnFolder(tmp_path, 2), "shells", wait_s=0):
        pass


def test_an_error_inside_gives_it_back(tmp_path: Path) -> None:
    with pytest.raises(KeyError), exclusive_lock(OwnFolder(tmp_path, 2), "shells"):
        raise KeyError
    with exclusive_lock(OwnFolder(tmp_path, 2), "shells", wait_s=0):
        pass


def test_a_place_that_is_a_file_says_what_cannot_be_kept_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreError, match="Shells cannot be kept in"),
        exclusive_lock(OwnFolder(tmp_path / "file", 2), "shells"),
    ):
        pass
