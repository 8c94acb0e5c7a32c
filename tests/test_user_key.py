"""One key for one user, however many processes ask for the first time at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pinakes.serve.kept_token import kept_token
from pinakes.user_key import is_key_kept, sign
from pinakes.write_log import log_writes, read_log

SIGN_MANY = """
import sys
from pathlib import Path
from pinakes.user_key import _key
sys.stdin.read()
for number in range(200):
    print(_key(Path(sys.argv[1], f"{number}", "user.key")).hex())
"""


@pytest.mark.parametrize("before", [None, b"", b"cut short"])
def test_processes_that_begin_at_once_have_the_same_key(tmp_path: Path, before: bytes | None) -> None:
    for number in range(200):
        (tmp_path / f"{number}").mkdir(0o700)
        if before is not None:
            (tmp_path / f"{number}" / "user.key").write_bytes(before)
    readers, starter = os.pipe()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SIGN_MANY, str(tmp_path)], stdin=readers, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    os.close(readers)
    os.close(starter)
    keys = [process.communicate(timeout=120)[0].split() for process in processes]
    assert len(keys[0]) == 200
    assert keys[0] == keys[1] == keys[2]


def test_the_data_folder_may_be_a_link_of_the_users(tmp_path: Path, new_user: Path) -> None:
    (tmp_path / "disk" / "pinakes").mkdir(parents=True)
    (new_user / ".local" / "share").mkdir(parents=True)
    (new_user / ".local" / "share" / "pinakes").symlink_to(tmp_path / "disk" / "pinakes")
    assert sign("test", "a") == sign("test", "a")
    assert is_key_kept()
    assert kept_token() == kept_token()
    log_writes("test", [("a", "done")])
    assert [line.action for line in read_log()] == ["token", "test"]
    assert {path.name for path in (tmp_path / "disk" / "pinakes").iterdir()} == {"user.key", "serve.token", "log"}
