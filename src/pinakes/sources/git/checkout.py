"""The working tree that a folder lies in: its repository, its branch, its commit.

A folder enters; a `Checkout` leaves. Only files are looked at, no program is run.
"""

from __future__ import annotations

import os
import re

from msgspec import Struct
from msgspec.structs import replace

from pinakes.sources.git.refs import branch_of, checked_out, own_folder
from pinakes.sources.git.repositories import Repository, find
from pinakes.sources.inside import read_plain

_SMALL = 1_000_000
_SHA256 = re.compile(rb"^[ \t]*objectformat[ \t]*=[ \t]*sha256[ \t]*$", re.MULTILINE | re.IGNORECASE)
_NO_MODES = re.compile(rb"^[ \t]*filemode[ \t]*=[ \t]*false[ \t]*$", re.MULTILINE | re.IGNORECASE)


class Checkout(Struct, frozen=True):
    """A working tree."""

    repository: Repository
    root: str
    """The folder that was asked about."""
    top: str
    """The uppermost folder of the working tree."""
    own: str
    """Where git keeps its index and its HEAD."""
    branch: str
    """The full name, ``refs/heads/main``; empty when none is checked out."""
    commit: str
    """Empty on a branch without commits."""
    has_modes: bool
    """Whether the disk tells which files can be run."""

    def in_tree(self, path: str) -> str:
        """A path from the root as git knows it."""
        return self.repository.inside + path


def checkout_of(root: str) -> Checkout | None:
    """The working tree that a folder, whose path holds no links, lies in; None when there is none."""
    for repository, named in find((root,)).repositories:
        if not repository.inside and repository.name != ".":
            continue
        top = root[: -len(repository.inside)].rstrip("/") or "/" if repository.inside else root
        own = own_folder(top, repository.folder) if os.path.lexists(os.path.join(top, ".git")) else ""
        if not own:
            return None
        refs = dict(named)
        config = config_of(repository)
        if not refs and _SHA256.search(config):
            repository = replace(repository, is_sha256=True)
        commit, has_modes = checked_out(top, repository.folder, refs), not _NO_MODES.search(config)
        return Checkout(repository, root, top, own, branch_of(own), commit, has_modes)
    return None


def config_of(repository: Repository) -> bytes:
    """The repository's settings as text; git itself never gets to see them."""
    try:
        return read_plain(os.path.join(repository.folder, "config"), _SMALL) or b""
    except OSError:
        return b""
