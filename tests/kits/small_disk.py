"""A disk of a few megabytes that a test can fill."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """A new folder that is a disk of its own; the test is skipped where there can be none."""
    place.mkdir()
    wish = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)]
    if subprocess.run(wish, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)  # a failed test may still have files open


def leave(disk: Path, room: int) -> None:
    """Fill a disk but for so many bytes, with a file called `filler`."""
    free = os.statvfs(disk)
    with (disk / "filler").open("wb") as file:
        file.write(bytes(max(0, free.f_bavail * free.f_frsize - room)))
