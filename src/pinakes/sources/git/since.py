"""Which files differ from what they were at a revision?

A folder, a revision as people write it and a way to read files enter; paths leave. The revision never reaches git as it
was written: names are looked up in the refs we read ourselves, and what is handed on is a hash with steps back.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from pinakes.errors import NotFound
from pinakes.sources.git.repositories import Repository
from pinakes.sources.git.revisions import ask, commit_named
from pinakes.sources.git.timeline import tip_of


class Difference(Struct, frozen=True):
    """What is no longer as it was."""

    changed: frozenset[str]
    """Files that are new or hold something else."""
    gone: tuple[str, ...]
    """Files that were there and are not any more, sorted."""


def changed_since(root: Path, revision: str, paths: Iterable[str], read: Callable[[str], bytes | None]) -> Difference:
    """How these files of a folder differ from a revision of the repository it is in; raises `NotFound`.

    `read` gives the bytes of a path, or None when it cannot be read, which counts as changed.
    """
    repository, commit = _resolved(os.path.realpath(root), revision)
    said = ask(str(root), repository, ["ls-tree", "-r", "-z", "--full-tree", commit, *_part(repository)])
    before: dict[str, bytes] = {}
    for line in said.split(b"\0"):
        about, _, path = line.partition(b"\t")
        if path:
            before[os.fsdecode(path).removeprefix(repository.inside)] = about.split()[2]
    present = set(paths)
    changed = frozenset(path for path in present if _blob(read(path), repository) != before.get(path))
    return Difference(changed, tuple(sorted(before.keys() - present)))


def _part(repository: Repository) -> list[str]:
    return ["--", repository.inside] if repository.inside else []


def _resolved(root: str, revision: str) -> tuple[Repository, str]:
    """The repository a folder is in, and the full hash of the commit that is meant."""
    tip = tip_of(root)
    if tip is None:
        raise NotFound(
            f"No map with the hash “{revision}” is stored, and {root} has no commits.",
            "Ask for a whole map and keep its hash.",
        )
    found = commit_named(root, tip, revision)
    if not found:
        raise NotFound(
            f"“{revision}” is neither the hash of a stored map nor a revision in git.",
            "Name a branch, a tag or a commit, such as HEAD~5, or the hash of an earlier map.",
        )
    return tip[0], found


def _blob(data: bytes | None, repository: Repository) -> bytes | None:
    """What git would call a file with these bytes."""
    if data is None:
        return None
    digest = hashlib.sha256 if repository.is_sha256 else hashlib.sha1
    return digest(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest().encode()
