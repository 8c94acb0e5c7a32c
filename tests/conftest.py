"""Fixtures every room's tests may use."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

from kit import SHARED


@pytest.fixture(scope="session")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small part of the shared data, unpacked once for all test workers."""
    tool = SHARED / "tools" / "unpack"
    if not tool.exists():
        pytest.skip("the shared data is not beside the project")
    folder = tmp_path_factory.getbasetemp().parent / "laid-out-data"
    with FileLock(f"{folder}.lock"):
        done = folder / "done"
        if not done.exists():
            subprocess.run(["bash", str(tool), str(folder), "small"], check=True, capture_output=True)
            done.touch()
    return folder
