"""The files of a commit, without a working tree.

A repository and the hash of a commit enter; what stands in each folder, where a link leads, and the bytes of a file
leave. Git lists the tree once and hands out blobs by their hashes; no name from the repository reaches it.
"""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from weakref import finalize

from msgspec import Struct

from pinakes.errors import NotFound, Unreadable
from pinakes.sources.git.command import HASH, NoGit, end, program, started
from pinakes.sources.git.repositories import Repository
from pinakes.sources.inside import LeavesRoot

MOST_FILES = 1_000_000
"""A tree may name the same folder again and again, so that a few bytes stand for more files than any disk holds."""
_MOST_LINKS = 40
_LONGEST_LINK = 4096
_PIECE = 1 << 18
_NEVER = (".", "..", ".git", "")
"""Names that git itself refuses to write to a disk."""
_State = tuple[str, Repository, str, str]


class TreeEntry(Struct, frozen=True):
    """A file, folder or link of a commit; it answers as an entry of a folder on disk would."""

    name: str
    mode: int
    hash: str
    size: int

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        del follow_symlinks  # a link is never entered
        return stat.S_ISDIR(self.mode)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        del follow_symlinks
        return stat.S_ISREG(self.mode)

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self.mode)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Its kind and its size; a commit knows no more."""
        del follow_symlinks
        return os.stat_result((self.mode, 0, 0, 1, 0, 0, self.size, 0, 0, 0))


class GitTree:
    """What a commit holds below a folder, at a path that need not be on disk. Threads may share it; between questions
    it holds a git process open, which `close` ends."""

    def __init__(self, root: str, repository: Repository, commit: str, tree: str) -> None:
        """`tree` is the hash of the folder's tree in the commit."""
        self.root = root
        self.repository = repository
        self.commit = commit
        self.tree = tree
        self._begin()

    def _begin(self) -> None:
        self._folders: Mapping[str, Mapping[str, TreeEntry]] | None = None
        self._above: Mapping[str, TreeEntry] | None = None
        self._lock = threading.RLock()
        self._running: list[_Blobs] = []
        finalize(self, _end_all, self._running)

    def __getstate__(self) -> _State:
        return self.root, self.repository, self.commit, self.tree

    def __setstate__(self, state: _State) -> None:
        self.root, self.repository, self.commit, self.tree = state
        self._begin()

    @property
    def above(self) -> tuple[str, ...]:
        """The folders from the top of the repository down to just above this one."""
        parts = [part for part in self.repository.inside.split("/") if part]
        folders, folder = [], self.root
        for _ in parts:
            folder = os.path.dirname(folder)
            folders.append(folder)
        return tuple(reversed(folders))

    def entries(self, folder: str) -> Sequence[TreeEntry]:
        """What is in a folder, named by its path with a slash at the end, empty for the root; raises `OSError`."""
        found = self._listed().get(folder)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
        return tuple(found.values())

    def resolve(self, path: str) -> str:
        """The path that `path` means once links are followed; raises `OSError` when it leaves the root or is hidden."""
        waiting, here, links = path.split("/")[::-1], list[str](), 0
        while waiting:
            part = waiting.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not here:
                    raise LeavesRoot(errno.EACCES, "is a link to something outside the root")
                here.pop()
                continue
            entry = self._entry("/".join((*here, part)))
            if not entry.is_symlink():
                here.append(part)
                continue
            links += 1
            target = os.fsdecode(self._blob(entry, _LONGEST_LINK) or b"")
            if links > _MOST_LINKS or not target:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            if target.startswith("/"):
                raise LeavesRoot(errno.EACCES, "is a link to something outside the root")
            waiting += target.split("/")[::-1]
        found = "/".join(here)
        if found.startswith(".") or "/." in found:
            raise LeavesRoot(errno.EACCES, "is a link to something hidden")
        return found

    def hash_of(self, path: str) -> str:
        """The hash of the file at a path, which is no link; raises `OSError`."""
        return self._file(path).hash

    def read(self, path: str, limit: int) -> bytes | None:
        """A file, or what a link leads to; None when it holds more than `limit` bytes; raises `OSError`."""
        return self._blob(self._followed(path), limit)

    def ends(self, path: str, count: int, limit: int) -> bytes:
        """So many bytes from the beginning of a file, or of what a link leads to, and from its end; all of a short one.
        Raises `OSError`, also for one that holds more than `limit` bytes."""
        entry = self._followed(path)
        if entry.size > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return self._asked(entry, count)

    def read_rules(self, file: str, limit: int) -> bytes | None:
        """A file by its whole path, here or in a folder above; no link. As `read`."""
        if file.startswith(os.path.join(self.root, "")):
            path = file[len(os.path.join(self.root, "")) :].replace(os.sep, "/")
            return self._blob(self._file(path), limit)
        entry = self._rules_above().get(file)
        if entry is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
        return self._blob(_plain(entry), limit)

    @property
    def rules_above(self) -> str:
        """Names the ignore files above this folder: another text for others."""
        return " ".join(entry.hash for _, entry in sorted(self._rules_above().items()))

    def close(self) -> None:
        """End git; the next question starts it again."""
        with self._lock:
            _end_all(self._running)

    def _followed(self, path: str) -> TreeEntry:
        return self._file(self.resolve(path) if self._entry(path).is_symlink() else path)

    def _file(self, path: str) -> TreeEntry:
        return _plain(self._entry(path))

    def _entry(self, path: str) -> TreeEntry:
        folder, slash, name = path.rpartition("/")
        found = self._listed().get(folder + slash, {}).get(name)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return found

    def _listed(self) -> Mapping[str, Mapping[str, TreeEntry]]:
        with self._lock:
            if self._folders is None:
                folders: dict[str, dict[str, TreeEntry]] = {"": {}}
                shut: set[str] = set()
                for path, entry in self._list(["-r", "-t", self.tree]):
                    folder, slash, name = path.rpartition("/")
                    if name in _NEVER or folder + slash in shut:
                        shut.add(f"{path}/")
                        continue
                    folders[folder + slash][name] = entry
                    if entry.is_dir():
                        folders[f"{path}/"] = {}
                self._folders = folders
            return self._folders

    def _rules_above(self) -> Mapping[str, TreeEntry]:
        with self._lock:
            if self._above is None:
                found: dict[str, TreeEntry] = {}
                for depth, folder in enumerate(self.above):
                    inside = "".join(f"{part}/" for part in self.repository.inside.split("/")[:depth])
                    names = [f"{inside}{name}" for name in (".gitignore", ".gitattributes")]
                    for path, entry in self._list([self.commit, "--", *names]):
                        found[os.path.join(folder, path.rpartition("/")[2])] = entry
                self._above = found
            return self._above

    def _list(self, words: Sequence[str]) -> Iterator[tuple[str, TreeEntry]]:
        """What ``git ls-tree`` says; raises `NotFound` when that is not all or too much."""
        process = self._started(["ls-tree", "-z", "-l", "--full-tree", *words])
        assert process.stdout is not None
        try:
            said, count = bytearray(), 0
            while piece := os.read(process.stdout.fileno(), _PIECE):
                said += piece
                count += piece.count(b"\0")  # before anything is made of it, which takes far longer
                if count > MOST_FILES:
                    raise NotFound(
                        f"The commit {self.commit[:12]} names more than {MOST_FILES:,} files.", "Name another revision."
                    )
            if process.wait():
                raise NotFound(
                    f"git cannot list the files of commit {self.commit[:12]}.", "git fsck says what is missing."
                )
        finally:
            end(process)
        yield from map(_parsed, bytes(said).split(b"\0")[:-1])

    def _blob(self, entry: TreeEntry, limit: int) -> bytes | None:
        return None if entry.size > limit else self._asked(entry, entry.size)

    def _asked(self, entry: TreeEntry, count: int) -> bytes:
        with self._lock:
            if not self._running:
                self._running.append(_Blobs(self._started(["cat-file", "--batch"])))
            data = self._running[0].read(entry, count)
            if data is None:
                _end_all(self._running)  # what it would say next belongs to no question
                raise OSError(errno.EIO, "git does not hold it")
            return data

    def _started(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        try:
            return started(program((self.root,)), self.repository, words)
        except NoGit as missing:
            raise NotFound(str(missing), missing.next_step) from missing


def _parsed(line: bytes) -> tuple[str, TreeEntry]:
    about, _, path = line.partition(b"\t")
    mode, kind, hash, size = about.split()
    name = os.fsdecode(path)
    if not HASH.fullmatch(hash.decode("ascii", "replace")):
        raise Unreadable("What git says of this commit makes no sense.", "git fsck may say more.")
    # A submodule is a folder that a checkout leaves empty.
    bits = stat.S_IFDIR if kind == b"commit" else int(mode, 8)
    entry = TreeEntry(name.rpartition("/")[2], bits, hash.decode(), int(size) if size.isdigit() else 0)
    return name, entry


def _plain(entry: TreeEntry) -> TreeEntry:
    """A file, as opening it without following links would find it; raises `OSError`."""
    if entry.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not entry.is_file():
        raise OSError(errno.EINVAL, "is not a regular file")
    return entry


class _Blobs:
    """A git process that hands out blobs by their hashes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._questions = process.stdin
        self._answers = open(process.stdout.fileno(), "rb", closefd=False)  # noqa: SIM115 - lives as long as the process

    def read(self, entry: TreeEntry, count: int) -> bytes | None:
        """So many bytes from the beginning of a file and from its end, or all of it; None when git does not give it as
        it was listed."""
        try:
            self._questions.write(f"{entry.hash}\n".encode())
            about = self._answers.readline().split()
            if about != [entry.hash.encode(), b"blob", str(entry.size).encode()]:
                return None
            data = self._answers.read(min(count, entry.size))
            left = entry.size - len(data)
            while left > count and (piece := self._answers.read(min(left - count, _PIECE))):
                left -= len(piece)
            data += self._answers.read(left)
            return data if self._answers.read(1) == b"\n" else None
        except OSError:
            return None

    def close(self) -> None:
        self._answers.close()
        end(self.process)


def _end_all(running: list[_Blobs]) -> None:
    while running:
        running.pop().close()
