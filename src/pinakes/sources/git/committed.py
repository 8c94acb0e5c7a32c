"""What a commit holds at some paths, asked of one git process.

A repository, a commit and documents enter; the bytes that were committed leave, never more of one than a document has.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import BinaryIO

from pinakes.sources.git.command import end, started
from pinakes.sources.git.repositories import Repository

_LARGEST = 20_000_000
"""Bytes of a committed file that is compared with a document: no document has as many."""
_PIECE = 65_536


def committed_otherwise(
    git: str, repository: Repository, commit: str, documents: Mapping[str, bytes]
) -> Generator[tuple[str, bytes], None, None]:
    """What was committed last of each document that has been changed since; none for those git does not know. Git
    answers until this is closed."""
    process = started(git, repository, ["cat-file", "--batch"])
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with open(process.stdout.fileno(), "rb", closefd=False) as answers:
            for path, text in documents.items():
                if "\n" in path:
                    continue  # a question is a line
                name = f"{commit}:{repository.inside}{path}\n"
                process.stdin.write(name.encode("utf-8", "surrogateescape"))
                about = answers.readline().split()
                if len(about) == 3 and about[1] == b"blob":
                    blob = read_blob(answers, int(about[2]), _LARGEST) or b""
                    if blob != text:
                        yield path, blob
    finally:
        end(process)


def read_blob(answers: BinaryIO, size: int, most: int) -> bytes | None:
    """The blob that ``git cat-file --batch`` hands out next, which has `size` bytes; None when those are too many, of
    which never more than a piece is in memory."""
    data = answers.read(size) if size <= most else None
    left = 0 if data is not None else size
    while left and (piece := answers.read(min(left, _PIECE))):
        left -= len(piece)
    answers.read(1)  # the end of the line
    return data
