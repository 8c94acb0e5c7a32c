"""Files as they were: the bytes that a commit holds at a path.

The root and pairs of a commit and a path enter, bytes leave. What a commit does not hold, and what is too large to be
written by hand, is left out.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Generator
from pathlib import Path

from pinakes.sources.git.command import NoGit, end, program, started
from pinakes.sources.git.committed import read_blob
from pinakes.sources.git.repositories import Repository
from pinakes.sources.git.timeline import tip_of

LARGEST = 1_000_000

CommittedFile = tuple[str, str]
"""The hash of a commit, and a path from the root."""


def read_past(
    root: Path, asked: Collection[CommittedFile], tip: tuple[Repository, str] | None = None
) -> Generator[tuple[CommittedFile, bytes], None, None]:
    """Each file that was asked for with its bytes at that commit, in the order given; nothing without git. The commits
    are those of the repository of `tip`, else of the one that the root is in. Git answers until this is closed."""
    real = os.path.realpath(root)
    tip = (tip or tip_of(real)) if asked else None
    if tip is None:
        return
    repository, _ = tip
    try:
        process = started(program((real,)), repository, ["cat-file", "--batch"])
    except (NoGit, OSError):
        return
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with open(process.stdout.fileno(), "rb", closefd=False) as answers:
            for commit, path in asked:
                if "\n" in path:
                    continue  # a question is a line
                process.stdin.write(f"{commit}:{repository.inside}{path}\n".encode("utf-8", "surrogateescape"))
                about = answers.readline().split()
                if len(about) == 3 and about[1] == b"blob":
                    data = read_blob(answers, int(about[2]), LARGEST)
                    if data is not None:
                        yield (commit, path), data
    except OSError:
        return
    finally:
        end(process)
