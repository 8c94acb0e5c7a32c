"""Which files differ from the commit that is checked out?

A folder and bytes of files below it enter, paths leave. Line ends do not count: git may keep others than the disk has.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from pinakes.sources.git.command import NoGit, program
from pinakes.sources.git.committed import committed_otherwise
from pinakes.sources.git.timeline import tip_of


def uncommitted(root: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The files with changes that are not committed, sorted; none without git, and none that git does not know yet."""
    real = os.path.realpath(root)
    tip = tip_of(real) if files else None
    if tip is None:
        return ()
    try:
        with closing(committed_otherwise(program((real,)), *tip, files)) as others:
            before = dict(others)
    except (NoGit, OSError):
        return ()
    return tuple(sorted(path for path, blob in before.items() if _text(blob) != _text(files[path])))


def _text(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")
