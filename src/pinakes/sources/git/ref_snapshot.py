"""The refs of repositories as a short text, from which the next one can tell what changed.

What was found enters, a text leaves; equal texts mean that a scan would find the same. The text holds the hashes that
branches and tags named, so that later the difference alone need be asked of git. No program is run.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil

from msgspec import Struct

from pinakes.sources.git.repositories import Repository, RepositoryScan
from pinakes.sources.inside import read_plain

_MOST_TIPS = 2000
"""More refs than this are compared by a checksum, and every change to them takes a whole scan."""
_SHALLOW = 50_000_000


class RefSnapshot(Struct, frozen=True):
    """The refs of all repositories at one time."""

    ground: str
    """Checksum of all that must be the same for a comparison of refs to tell the whole difference."""
    packs: str
    """Checksum of what may give what could not be had before: packs that came in."""
    tips: tuple[tuple[str, ...], ...]
    """For each repository what its refs name, sorted; a checksum alone where they are too many."""

    def __str__(self) -> str:
        return json.dumps([self.ground, self.packs, self.tips], separators=(",", ":"))


def take_snapshot(found: RepositoryScan, settings: str) -> RefSnapshot:
    """The snapshot of what a scan found under these settings."""
    ground = hashlib.blake2b(f"{settings} {shutil.which('git')} {found.problems!r}".encode("utf-8", "surrogateescape"))
    packs = hashlib.blake2b(digest_size=8)
    tips = []
    for repository, refs in found.repositories:
        ground.update(repr(repository).encode("utf-8", "surrogateescape"))
        ground.update(_cut_off(repository))
        packs.update(b"%d " % _changed(os.path.join(repository.objects, "pack")))
        named = tuple(sorted({value for _, value in refs}))
        tips.append(named if len(named) <= _MOST_TIPS else (_checksum(named),))
    return RefSnapshot(ground.hexdigest()[:32], packs.hexdigest(), tuple(tips))


def parse_snapshot(text: str) -> RefSnapshot | None:
    """The snapshot that a text holds; None when it holds none."""
    try:
        ground, packs, tips = json.loads(text)
        return RefSnapshot(str(ground), str(packs), tuple(tuple(map(str, named)) for named in tips))
    except (ValueError, TypeError):
        return None


def _checksum(named: tuple[str, ...]) -> str:
    return hashlib.blake2b("".join(named).encode(), digest_size=16).hexdigest()


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _cut_off(repository: Repository) -> bytes:
    try:
        return (read_plain(repository.shallow, _SHALLOW) or b"") if repository.shallow else b""
    except OSError:
        return b""
