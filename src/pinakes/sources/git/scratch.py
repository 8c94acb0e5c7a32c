"""An empty repository of ours for a moment, in which git works with the objects of another.

A working tree enters; what git prints leaves. The repository of the user lends its objects and a copy of its index and
of its attributes, which are data. Its configuration, its hooks and its refs are nowhere in sight.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType, TracebackType

from pinakes.errors import NotFound
from pinakes.sources.git.checkout import Checkout
from pinakes.sources.git.command import NOTHING, NoGit, output, program, started
from pinakes.sources.inside import read_plain

_WAIT_S = 120.0
_LARGEST_INDEX = 500_000_000
_LARGEST_ATTRIBUTES = 1_000_000
_NO_FILTER = (b"unspecified", b"unset", b"")


class ScratchRepository:
    """Git on the objects of a working tree; use it in a ``with`` statement. Raises `NotFound` where there is no git."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout
        try:
            self._program = program((checkout.root, checkout.top))
        except NoGit as missing:
            raise NotFound(str(missing), missing.next_step) from missing
        self._temporary = TemporaryDirectory(prefix="pinakes-git-")
        self.folder = Path(self._temporary.name, "repository")

    def __enter__(self) -> ScratchRepository:
        home = NOTHING / ("sha256" if self._checkout.repository.is_sha256 else "sha1")
        shutil.copytree(home, self.folder)
        attributes = self._copied(os.path.join("info", "attributes"), _LARGEST_ATTRIBUTES)
        if attributes:
            (self.folder / "info").mkdir()
            (self.folder / "info/attributes").write_bytes(attributes)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._temporary.cleanup()

    def _copied(self, name: str, limit: int) -> bytes:
        try:
            return read_plain(os.path.join(self._checkout.repository.folder, name), limit) or b""
        except OSError:
            return b""

    def ask(
        self, words: Sequence[str], said: bytes = b"", more: Mapping[str, str] = MappingProxyType({})
    ) -> bytes | None:
        """What git prints; None when it fails."""
        variables = {"GIT_DIR": str(self.folder), **more}
        try:
            printed, code = output(started(self._program, self._checkout.repository, words, variables), said, _WAIT_S)
        except (OSError, subprocess.SubprocessError):
            return None
        return printed if code == 0 else None

    def in_tree(self, words: Sequence[str], said: bytes = b"") -> bytes | None:
        """What git prints when it may look at the attributes of the working tree. It knows no filter by name."""
        return self.ask(["-c", "core.bare=false", *words], said, {"GIT_WORK_TREE": self._checkout.top})

    def with_index(self, name: str, words: Sequence[str], said: bytes = b"") -> bytes | None:
        """What git prints about an index, or does to it, that lies here under a name."""
        return self.ask(words, said, {"GIT_INDEX_FILE": str(self.folder / name)})

    def copy_index(self, name: str) -> bool:
        """Put the index of the working tree here under a name; returns whether there is one that can be read."""
        try:
            data = read_plain(os.path.join(self._checkout.own, "index"), _LARGEST_INDEX)
        except FileNotFoundError:
            return not self._checkout.commit
        except OSError:
            return False
        if data is None:
            return False
        (self.folder / name).write_bytes(data)
        return True

    def filtered(self, paths: Iterable[str]) -> dict[str, str]:
        """Of some paths, those whose content goes through a filter, and its name. Only the repository's own settings
        say what such a filter does, so it is not run."""
        asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
        said = self.in_tree(["check-attr", "-z", "--stdin", "filter"], asked) if asked else b""
        fields = (said or b"").split(b"\0")
        rows = zip(fields[::3], fields[2::3], strict=False)
        return {os.fsdecode(path): os.fsdecode(value) for path, value in rows if value not in _NO_FILTER}

    def not_checked_out(self) -> frozenset[str] | None:
        """Files that the index says are left out of this working tree on purpose; None when the index cannot be
        read."""
        if not self.copy_index("present"):
            return None
        said = self.with_index("present", ["ls-files", "-t", "-z"])
        if said is None:
            return None
        return frozenset(os.fsdecode(line[2:]) for line in said.split(b"\0") if line[:2] == b"S ")
