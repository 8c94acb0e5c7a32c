"""Which files differ from what they were at a revision?

A folder, a revision as people write it and a way to read files enter; paths leave. The revision never reaches git as it
was written: names are looked up in the refs we read ourselves, and what is handed on is a hash with steps back.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pinakes.errors import NotFound
from pinakes.sources.git.command import NoGit, output, program, started
from pinakes.sources.git.repositories import Repository, find
from pinakes.sources.git.timeline import tip_of

_WRITTEN = re.compile(r"(?P<name>[^~^:@{}\s]{1,200})(?P<back>(?:~\d{0,6}|\^\d?)*)\Z")
_ABBREVIATED = re.compile(r"[0-9a-f]{4,64}\Z")
_WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Difference:
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
    said = _ask(root, repository, ["ls-tree", "-r", "-z", "--full-tree", commit, *_part(repository)])
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
    repository, head = tip
    unknown = NotFound(
        f"“{revision}” is neither the hash of a stored map nor a revision in git.",
        "Name a branch, a tag or a commit, such as HEAD~5, or the hash of an earlier map.",
    )
    written = _WRITTEN.match(revision)
    if written is None:
        raise unknown
    refs = next(dict(refs) for one, refs in find((root,)).repositories if one == repository)
    name = written["name"]
    known = [refs[full] for full in (name, f"refs/{name}", f"refs/heads/{name}", f"refs/tags/{name}") if full in refs]
    start = head if name in ("HEAD", "@") else known[0] if known else name
    if not _ABBREVIATED.match(start):
        raise unknown
    words = ["rev-parse", "--verify", "--quiet", f"{start}{written['back']}^{{commit}}"]
    found = _ask(Path(root), repository, words).decode("ascii", "replace").strip()
    if not found:
        raise unknown
    return repository, found


def _ask(root: Path, repository: Repository, words: list[str]) -> bytes:
    """What git prints; nothing when it fails."""
    try:
        said, code = output(started(program((os.path.realpath(root),)), repository, words), b"", _WAIT_S)
    except NoGit as missing:
        raise NotFound(str(missing), missing.next_step) from missing
    return said if code == 0 else b""


def _blob(data: bytes | None, repository: Repository) -> bytes | None:
    """What git would call a file with these bytes."""
    if data is None:
        return None
    digest = hashlib.sha256 if repository.is_sha256 else hashlib.sha1
    return digest(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest().encode()
