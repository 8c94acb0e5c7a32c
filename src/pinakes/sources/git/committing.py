"""A commit of some changed files, made as git would make it and without anything of the repository being run.

A message and paths enter; the hash of the commit leaves. Git makes the objects in an empty repository of ours (see
`scratch`); the ref and the index are replaced by ourselves, under the locks that git takes, and only if nobody was
faster. Hooks and filters are not run, and commits are not signed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from pinakes.errors import BadCommit, NotFound, StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.own_folder.held import PLAIN, HeldFolder, hold
from pinakes.sources.git.checkout import Checkout, checkout_of
from pinakes.sources.git.command import HASH, program
from pinakes.sources.git.git_settings import CommitAuthor, GitSettings
from pinakes.sources.git.refs import branch_of, ref_value
from pinakes.sources.git.review import link_at
from pinakes.sources.git.scratch import ScratchRepository
from pinakes.sources.inside import open_without_links, read_at_most

MOST_PATHS = 1000
LONGEST_MESSAGE = 10_000
_LARGEST = 100_000_000
"""Bytes of a file."""
_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "sequencer": "series of commits",
}
_BRANCH = re.compile(
    r"refs/heads/(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)|/\.|/$|\.$))[^\x00-\x20\x7f~^:?*\[\\.][^\x00-\x20\x7f~^:?*\[\\]*"
)
_WITH_GIT = "Finish it with git, or abort it."


def commit_files(root: Path, message: str, paths: Sequence[str]) -> str:
    """Commit some files of a folder as they are on disk now, new and removed ones too; what else is staged stays so.
    Returns the full hash. Raises `BadCommit` and `NotFound`, and nothing has changed then."""
    checkout = checkout_of(os.path.realpath(root))
    if checkout is None:
        raise NotFound(f"{root} is not in a git repository.", "git init makes one.")
    text = _message(message)
    _check_state(checkout)
    chosen = sorted(dict.fromkeys(paths))
    if not 0 < len(chosen) <= MOST_PATHS:
        raise BadCommit(f"There are {len(chosen):,} files to commit.", f"Choose 1 to {MOST_PATHS:,} of them.")
    with ScratchRepository(checkout) as scratch, _FileLock(checkout.own, "index") as lock:
        settings = GitSettings(program((checkout.root, checkout.top)), checkout)
        identity = settings.identity()
        if not scratch.copy_index("present") or scratch.with_index("present", ["ls-files", "-t", "-z"]) is None:
            raise BadCommit("The index of this repository cannot be read.", "Commit with git.")
        if scratch.with_index("present", ["ls-files", "--unmerged", "-z"]):
            raise BadCommit("There are files in conflict.", "Resolve them with git.")
        changed = _staged(checkout, scratch, settings.line_ends(), chosen)
        tree = _tree(checkout, scratch, changed)
        date = _now()
        made = _made(scratch, ["commit-tree", tree, *_parents(checkout)], text.encode(), identity.variables(date))
        if scratch.with_index("present", ["update-index", "-z", "--index-info"], changed) is None:
            raise BadCommit("The index of this repository cannot be changed.", "Commit with git.")
        _fill(lock, scratch.folder / "present")
        _move_branch(checkout, made)
        lock.put_in_place()
    _note(checkout, made, identity, f"{date}\tcommit: {text.partition(chr(10))[0]}")
    return made


def _message(message: str) -> str:
    text = message.strip()
    if not text or len(text) > LONGEST_MESSAGE or "\0" in text:
        raise BadCommit("A message of a commit has 1 to 10,000 characters.", "Say in a line what was changed.")
    return text.encode("utf-8", "replace").decode() + "\n"


def _check_state(checkout: Checkout) -> None:
    for name, what in _UNDER_WAY.items():
        if os.path.lexists(os.path.join(checkout.own, name)):
            raise BadCommit(f"A {what} is under way.", _WITH_GIT)
    if not checkout.branch:
        raise BadCommit("No branch is checked out (HEAD is detached).", "git switch -c NAME makes one.")
    folder = os.path.join(checkout.repository.folder, *checkout.branch.split("/")[:-1])
    if not _BRANCH.fullmatch(checkout.branch) or os.path.realpath(folder) != folder:
        raise BadCommit("The branch that is checked out has a name that cannot be.", "Switch to another with git.")
    if ref_value(checkout.repository.folder, checkout.branch) != checkout.commit:
        raise BadCommit("The branch that is checked out cannot be read.", "git status may say why.")


def _staged(checkout: Checkout, scratch: ScratchRepository, line_ends: list[str], chosen: Sequence[str]) -> bytes:
    """The new entries of an index, in the form that git takes, with their contents stored."""
    if filtered := scratch.filtered(map(checkout.in_tree, chosen)):
        path, name = next(iter(filtered.items()))
        raise BadCommit(f"“{path}” goes through the filter “{name}”, which is not run here.", "Commit it with git.")
    modes = _modes(checkout, scratch)
    none = "0" * (64 if checkout.repository.is_sha256 else 40)
    entries = []
    for path in chosen:
        name = checkout.in_tree(path)
        target = link_at(checkout.root, path)
        if target is not None:
            blob = _made(scratch, ["hash-object", "-w", "--no-filters", "--stdin"], target)
            entries.append(f"120000 {blob}\t{name}")
            continue
        found = _content(checkout, path)
        if found is None:
            if name not in modes:
                raise NotFound(f"There is no file “{path}” to commit.", "Choose files that were changed.")
            entries.append(f"0 {none}\t{name}")
            continue
        data, can_run = found
        said = scratch.in_tree([*line_ends, "hash-object", "-w", "--stdin", f"--path={name}"], data)
        mode = ("100755" if can_run else "100644") if checkout.has_modes else modes.get(name, "100644")
        entries.append(f"{mode} {_hash(said)}\t{name}")
    return b"".join(os.fsencode(entry) + b"\0" for entry in entries)


def _modes(checkout: Checkout, scratch: ScratchRepository) -> dict[str, str]:
    """The modes of all files of the commit that is checked out, by their names in git."""
    words = ["ls-tree", "-r", "-z", "--full-tree", checkout.commit]
    said = (scratch.ask(words) or b"") if checkout.commit else b""
    rows = (line.partition(b"\t") for line in said.split(b"\0") if line)
    return {
        os.fsdecode(name): facts[:6].decode()
        for facts, _, name in rows
        if facts[:6] in (b"100644", b"100755", b"120000")
    }


def _content(checkout: Checkout, path: str) -> tuple[bytes, bool] | None:
    """The bytes of a file and whether it can be run; None when there is none."""
    try:
        descriptor = open_without_links(checkout.root, path)
    except OSError as error:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return None
        raise BadCommit(f"“{path}” cannot be read: {error.strerror}.", "Check the file.") from None
    try:
        facts = os.fstat(descriptor)
        if stat.S_ISDIR(facts.st_mode):
            return None
        data = read_at_most(descriptor, _LARGEST)
    except OSError as error:
        raise BadCommit(f"“{path}” cannot be read: {error.strerror}.", "Check the file.") from None
    finally:
        os.close(descriptor)
    if data is None:
        raise BadCommit(f"“{path}” holds more than {_LARGEST:,} bytes.", "Commit it with git.")
    return data, bool(facts.st_mode & stat.S_IXUSR)


def _tree(checkout: Checkout, scratch: ScratchRepository, changed: bytes) -> str:
    """The tree of the present commit with the changes; raises `BadCommit` when that is the same."""
    scratch.with_index("tree", ["read-tree", checkout.commit or "--empty"])
    if scratch.with_index("tree", ["update-index", "-z", "--index-info"], changed) is None:
        raise BadCommit("Git does not take these files.", "Choose others, or commit with git.")
    missing = ["--missing-ok"] if checkout.repository.is_partial else []
    tree = _hash(scratch.with_index("tree", ["write-tree", *missing]))
    present = scratch.ask(["rev-parse", "--verify", f"{checkout.commit}^{{tree}}"]) if checkout.commit else b""
    if tree == (present or b"").decode().strip():
        raise BadCommit("Nothing was changed in these files.", "Choose files that were changed.")
    return tree


def _parents(checkout: Checkout) -> list[str]:
    return ["-p", checkout.commit] if checkout.commit else []


def _made(
    scratch: ScratchRepository, words: Sequence[str], said: bytes, variables: dict[str, str] | None = None
) -> str:
    return _hash(scratch.ask(words, said, variables or {}))


def _hash(said: bytes | None) -> str:
    value = (said or b"").decode("ascii", "replace").strip()
    if not HASH.fullmatch(value):
        raise BadCommit("Git could not store the commit.", "Check the disk and the rights of the repository's folder.")
    return value


def _now() -> str:
    now = datetime.now().astimezone()
    return f"{int(now.timestamp())} {now:%z}"


class _FileLock:
    """The lock that git takes on a file: what the file shall hold, under a name that only one can make. No link below
    git's own folder is followed."""

    def __init__(self, folder: str, path: str) -> None:
        """`path` counts from `folder`, which holds no links."""
        *self._parts, self._name = path.split("/")
        self._folder = folder
        self._new = f"{self._name}.lock"
        self._is_ours = False

    def __enter__(self) -> _FileLock:
        place = os.path.join(self._folder, *self._parts, self._new)
        try:
            self._make_folders()
            with self._held() as held:
                os.close(held.new(self._new, 0o666))
        except FileExistsError:
            step = f"Try again; if none is, remove {place}."
            raise BadCommit("Another git is at work in this repository.", step) from None
        except OSError as error:
            problem = f"{place} cannot be made: {error.strerror}."
            raise BadCommit(problem, "Check the rights of the folder.") from None
        except StoreStrange as error:
            raise BadCommit(error.problem, "Commit with git.") from None
        self._is_ours = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_ours:
            with suppress(StoreStrange), self._held() as held:
                held.forget(self._new)

    def write(self, data: bytes) -> None:
        with self._opened() as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def look_like_before(self) -> None:
        """Take over the time and the rights of the file as it is now, if it is there."""
        with suppress(FileNotFoundError), self._held() as held, self._opened() as file:
            before = held.lstat(self._name)
            place = file.fileno() if os.utime in os.supports_fd else held.at(self._new)
            os.utime(place, ns=(before.st_mtime_ns, before.st_mtime_ns))
            os.chmod(place, stat.S_IMODE(before.st_mode))

    def put_in_place(self) -> None:
        """Let the file hold what was written; from now on the lock's name may be somebody else's."""
        with self._held() as held:
            held.rename(self._new, held, self._name)
        self._is_ours = False

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        with self._held() as held:
            descriptor = os.open(held.at(self._new), os.O_WRONLY | PLAIN, dir_fd=held.descriptor)
        with os.fdopen(descriptor, "wb") as file:
            yield file

    def _held(self) -> AbstractContextManager[HeldFolder]:
        return hold(self._folder, self._parts, "Commit with git.")

    def _make_folders(self) -> None:
        """Those that a branch with a slash in its name needs."""
        for number, name in enumerate(self._parts):
            with hold(self._folder, self._parts[:number], "Commit with git.") as held, suppress(FileExistsError):
                os.mkdir(held.at(name), 0o777, dir_fd=held.descriptor)


def _fill(lock: _FileLock, made: Path) -> None:
    """Write an index into its lock. It keeps the time of the one before: by that git judges whether a file may have
    been changed in the same moment in which it was last looked at."""
    lock.write(made.read_bytes())
    lock.look_like_before()


def _move_branch(checkout: Checkout, commit: str) -> None:
    """Have the branch name a commit, if it still names the one before and is still checked out."""
    path = os.path.join(checkout.repository.folder, *checkout.branch.split("/"))
    with _FileLock(checkout.repository.folder, checkout.branch) as lock:
        is_same = ref_value(checkout.repository.folder, checkout.branch) == checkout.commit
        if not is_same or branch_of(checkout.own) != checkout.branch or os.path.islink(path):
            raise BadCommit("Somebody else has just committed here.", "Look at the changes again, then commit.")
        lock.write(f"{commit}\n".encode())
        lock.put_in_place()


def _note(checkout: Checkout, commit: str, identity: CommitAuthor, rest: str) -> None:
    """Add a line to the logs of refs that there are, by which git finds what was there before."""
    before = checkout.commit or "0" * len(commit)
    line = f"{before} {commit} {identity.name} <{identity.email}> {rest}\n"
    for home, path in ((checkout.own, "HEAD"), (checkout.repository.folder, checkout.branch)):
        *folders, name = ("logs", *path.split("/"))
        folder = OwnFolder(Path(home, *folders), len(folders), is_shared=True)
        with suppress(OSError, StoreStrange), folder.open_to_write(name) as file:
            file.seek(0, os.SEEK_END)
            file.write(line.encode("utf-8", "replace"))
