"""Which commit does somebody mean?

A revision as people write it enters, a full hash leaves. The revision never reaches git as it was written: names are
looked up in the refs we read ourselves, and what is handed on is a hash with steps back.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from pinakes.errors import NotFound
from pinakes.sources.git.command import NoGit, output, program, started
from pinakes.sources.git.repositories import Repository, find

_WRITTEN = re.compile(r"(?=.{1,300}\Z)(?P<name>[^~^:@{}\s]{1,200})(?P<back>(?:~\d{0,6}|\^\d?)*)\Z")
_ABBREVIATED = re.compile(r"[0-9a-f]{4,64}\Z")
_WAIT_S = 60.0
_SHOWN = 80


def no_revision(written: str) -> NotFound:
    """What is raised for a revision that means no commit."""
    return NotFound(f"“{written[:_SHOWN]}” is no revision in git.", "Name a branch, a tag or a commit, such as HEAD~5.")


def commit_named(root: str, tip: tuple[Repository, str], revision: str) -> str:
    """The full hash of the commit that is meant in the repository of a folder, of which `tip` is what is checked out;
    nothing where there is no such commit. Raises `NotFound` without git."""
    repository, head = tip
    refs = next(dict(refs) for one, refs in find((root,)).repositories if one == repository)
    return commit_in(root, repository, refs, head, revision)


def commit_in(root: str, repository: Repository, refs: Mapping[str, str], head: str, revision: str) -> str:
    """As `commit_named`, for a repository whose refs are known."""
    written = _WRITTEN.match(revision)
    if written is None:
        return ""
    name = written["name"]
    known = [refs[full] for full in (name, f"refs/{name}", f"refs/heads/{name}", f"refs/tags/{name}") if full in refs]
    start = head if name in ("HEAD", "@") else known[0] if known else name
    if not _ABBREVIATED.match(start):
        return ""
    words = ["rev-parse", "--verify", "--quiet", f"{start}{written['back']}^{{commit}}"]
    return ask(root, repository, words).decode("ascii", "replace").strip()


def ask(root: str, repository: Repository, words: Sequence[str], said: bytes = b"") -> bytes:
    """What git prints; nothing when it fails. Raises `NotFound` when there is no git."""
    try:
        printed, code = output(started(program((os.path.realpath(root),)), repository, words), said, _WAIT_S)
    except NoGit as missing:
        raise NotFound(str(missing), missing.next_step) from missing
    return printed if code == 0 else b""
