"""Real repositories for tests, made by the real git, and a source that reads them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.parse import parse
from pinakes.records import Document
from pinakes.sources import GitSource

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

_WHO = {"NAME": "Ada Lovelace", "EMAIL": "ada@example.org"}


class Repo:
    """A repository one can commit to; dates count up by a day per commit unless one is given."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self.days = 0
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *words)

    def git(self, *words: str, env: dict[str, str] | None = None, check: bool = True, stdin: bytes = b"") -> str:
        """Run git here as any user would, with the repository's own configuration; what it printed."""
        who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in _WHO.items()}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        words = ("-c", "protocol.file.allow=always", *words)
        done = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            input=stdin,
            env={**kept, **who, "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1", **(env or {})},
            capture_output=True,
            check=False,
            timeout=60,
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(words)}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace").strip()

    def commit(
        self, message: str, files: Mapping[str, str | bytes] | None = None, date: str = "", who: str = ""
    ) -> str:
        """Write files, commit everything, and return the hash."""
        self.days += 1
        when = date or f"2026-01-{self.days:02}T12:00:00+00:00"
        write_tree(self.folder, files or {})
        self.git("add", "-A")
        env = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        if who:
            env["GIT_AUTHOR_NAME"] = who
        self.git("commit", "-q", "--allow-empty", "--no-verify", "-F", "-", env=env, stdin=message.encode())
        return self.head()

    def head(self, name: str = "HEAD") -> str:
        return self.git("rev-parse", name)


def listed(*roots: Path) -> set[str]:
    """The hashes a scan finds; there must be nothing to complain about."""
    scan = GitSource(roots).scan()
    assert scan.failures == ()
    return {stamp.ref.path for stamp in scan.stamps}


def documents(*roots: Path) -> dict[str, Document]:
    """Every commit by its hash, read and parsed."""
    source = GitSource(roots)
    return {stamp.ref.path: parse(source.read(stamp)) for stamp in source.scan().stamps}


def text(document: Document) -> str:
    return document.source.decode()
