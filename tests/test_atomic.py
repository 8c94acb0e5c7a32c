"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pinakes.atomic import create_file, replace_file


def test_a_file_is_replaced_with_the_rights_it_had(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")
    file.chmod(0o640)
    replace_file(file, b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_new_file_has_the_rights_asked_for(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.txt", b"new", mode=0o600)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_there_is_never_taken_the_place_of(tmp_path: Path) -> None:
    create_file(tmp_path / "a.txt", b"first")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "a.txt", b"second")
    assert (tmp_path / "a.txt").read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_disk_that_is_full_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    assert resource.RLIMIT_FSIZE is not None
    child = """
import resource, sys
from pathlib import Path
from pinakes.atomic import create_file, replace_file
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for write, name in ((replace_file, "a.txt"), (create_file, "b.txt")):
    try:
        write(Path(sys.argv[1], name), b"x" * 5000)
    except OSError as error:
        print(error.strerror)
"""
    ran = subprocess.run([sys.executable, "-c", child, str(tmp_path)], capture_output=True, text=True, check=True)
    assert ran.stdout == "File too large\nFile too large\n"
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]
