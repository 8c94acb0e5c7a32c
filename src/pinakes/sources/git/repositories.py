"""Which repositories belong to these folders?

Roots enter; a `Repository` for each one found leaves, with the hashes its refs name, and a `RepositoryProblem` for each
that is not read. Only files are looked at; no program is run. The rules:

- A repository is a folder with ``.git`` in it, at a root or in a folder below that documents could be in: ignored,
  excluded and hidden folders are not entered.
- ``.git`` may be a file (worktrees, submodules) or a folder. Where it leads out of the roots it is followed only if the
  place it leads to points back at it, as git's worktrees and submodules do: an archive could name any folder there.
- A bare repository counts when a root is one; one that lies among the files is data that came with them.
- A root that lies inside a repository is part of its history: commits that changed something below the root count, and
  of these only what lies below the root.
- Objects that are borrowed from elsewhere (alternates, links) are borrowed from inside the roots or not at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from pinakes.other_python import is_below
from pinakes.sources.folder_rules import FolderRules
from pinakes.sources.git.refs import Unsupported, tips
from pinakes.sources.inside import read_plain
from pinakes.sources.options import FolderOptions

_SMALL = 65_536
_WORKTREE = re.compile(rb"^[ \t]*worktree[ \t]*=[ \t]*\"?([^\"\r\n]+?)\"?[ \t]*$", re.MULTILINE)
_WHOLE = "git repack -a -d there makes it whole; then remove its file objects/info/alternates."


class Repository(Struct, frozen=True):
    """Where a repository keeps what we read."""

    name: str
    """Its folder seen from the root, ``.`` for the root itself; the enclosing one's is ``..``, ``../..``."""
    folder: str
    """Git's own folder, the one that worktrees share."""
    objects: str
    shallow: str = ""
    """The file that says where history was cut off; empty when it is whole."""
    inside: str = ""
    """The part that counts, with a slash at the end; empty for all of it."""
    is_partial: bool = False
    """Whether contents were left on a server, so that git cannot show differences."""
    is_sha256: bool = False


class RepositoryCandidate(NamedTuple):
    """A folder that is a repository by the look of it."""

    top: str
    name: str
    inside: str
    is_bare: bool


class RepositoryProblem(Struct, frozen=True):
    """A repository that is not read, and why."""

    name: str
    reason: str
    next_step: str
    is_refused: bool = False
    """Whether we could and will not; else it may be read another time, and what is known of it stays."""


class RepositoryScan(Struct, frozen=True):
    """The repositories of some roots, and those that are not read."""

    repositories: tuple[tuple[Repository, tuple[tuple[str, str], ...]], ...]
    """Each with the names and hashes of its refs, sorted."""
    problems: tuple[RepositoryProblem, ...]


def find(roots: Sequence[str], among: Iterable[RepositoryCandidate] | None = None) -> RepositoryScan:
    """Every repository of these folders, whose paths hold no links, in the order of their names.

    `among` is what `candidates` gave a moment ago, which spares looking into every folder again.
    """
    found: dict[tuple[str, str], tuple[Repository, tuple[tuple[str, str], ...]]] = {}
    problems: list[RepositoryProblem] = []
    for top, name, inside, is_bare in candidates(roots) if among is None else among:
        try:
            folder = top if is_bare else _git_folder(top, roots if not inside else (*roots, top))
            if (folder, inside) in found:
                continue
            if not os.path.isdir(os.path.join(folder, "objects")):
                continue  # a folder of that name, or a submodule that was never fetched
            repository = _repository(folder, name, inside, (*roots, top))
            refs = tips(folder)
        except Unsupported as trouble:
            problems.append(RepositoryProblem(name, str(trouble), trouble.next_step, is_refused=True))
        except OSError as error:
            problems.append(
                RepositoryProblem(name, f"This repository cannot be read: {error.strerror}.", "Check its permissions.")
            )
        else:
            is_sha256 = any(len(value) == 64 for value in refs.values())
            found[folder, inside] = replace(repository, is_sha256=is_sha256), tuple(sorted(refs.items()))
    return RepositoryScan(tuple(found.values()), tuple(problems))


def candidates(roots: Sequence[str], exclude: tuple[str, ...] = ()) -> Iterator[RepositoryCandidate]:
    """Folders that are repositories by the look of them; what matches the patterns in `exclude` is not entered."""
    for root in roots:
        if _exists(root, ".git"):
            pass
        elif all(_exists(root, part) for part in ("HEAD", "objects", "refs")):
            yield RepositoryCandidate(root, ".", "", is_bare=True)
        elif above := _above(root):
            inside = os.path.relpath(root, above).replace(os.sep, "/") + "/"
            yield RepositoryCandidate(above, "/".join([".."] * inside.count("/")), inside, is_bare=False)
        for path in _with_git(root, exclude):
            yield RepositoryCandidate(os.path.join(root, path) if path else root, path or ".", "", is_bare=False)


def _exists(folder: str, name: str) -> bool:
    return os.path.lexists(os.path.join(folder, name))


def _above(root: str) -> str:
    """The nearest folder above that is a repository; nothing when there is none."""
    folder = os.path.dirname(root)
    while not _exists(folder, ".git"):
        if os.path.dirname(folder) == folder:
            return ""
        folder = os.path.dirname(folder)
    return folder


def _with_git(root: str, exclude: tuple[str, ...]) -> Iterator[str]:
    """Folders, seen from the root, that have ``.git`` in them and could hold documents."""
    rules = FolderRules(root, FolderOptions(exclude=exclude))
    waiting = [rules.top()]
    while waiting:
        place = waiting.pop()
        try:
            entries = rules.entries(place)
        except OSError:
            continue
        entered = rules.entered(place, entries, [])
        if isinstance(entered, str):
            continue
        below = []
        for entry in entries:
            if entry.name == ".git":
                yield place.path.rstrip("/")
            elif entry.name[0] != "." and entry.is_dir(follow_symlinks=False):
                inner = rules.below(entered, entry.name)
                if not isinstance(inner, str):
                    below.append(inner)
        waiting += sorted(below, reverse=True, key=lambda one: one.path)


def _git_folder(top: str, roots: Iterable[str]) -> str:
    """Git's own folder of a working tree, the one its worktrees share; raises `OSError`, `Unsupported`."""
    path = os.path.join(top, ".git")
    if os.path.islink(path) or os.path.isdir(path):
        folder = os.path.realpath(path)
        if not is_below(folder, (*roots, top)):
            raise Unsupported("Its .git is a link that leads out of the library, so it is not followed.", "")
        return folder
    said = (read_plain(path, _SMALL) or b"").strip()
    if not said.startswith(b"gitdir:"):
        raise Unsupported("Its .git file does not say where the repository is.", "git worktree repair may help.")
    folder = os.path.realpath(os.path.join(top, os.fsdecode(said[7:].strip())))
    shared = os.path.dirname(os.path.dirname(folder))
    is_worktree = os.path.basename(os.path.dirname(folder)) == "worktrees" and _exists(folder, "commondir")
    if not (is_below(folder, roots) or _points_back(folder, top, path)):
        raise Unsupported(
            "Its .git file leads out of the library to a place that does not know of it, so it is not followed.",
            "git worktree repair, run in the repository, makes the two know each other again.",
        )
    return shared if is_worktree else folder


def _points_back(folder: str, top: str, path: str) -> bool:
    """Whether git's folder says that this is the working tree it belongs to."""
    try:
        back = (read_plain(os.path.join(folder, "gitdir"), _SMALL) or b"").strip()
        return bool(back) and os.path.realpath(os.path.join(folder, os.fsdecode(back))) == os.path.realpath(path)
    except OSError:
        pass
    try:
        said = _WORKTREE.search(read_plain(os.path.join(folder, "config"), _SMALL) or b"")
    except OSError:
        return False
    return said is not None and os.path.realpath(os.path.join(folder, os.fsdecode(said[1]))) == top


def _repository(folder: str, name: str, inside: str, roots: Sequence[str]) -> Repository:
    objects = os.path.join(folder, "objects")
    borrowed = (*roots, folder)
    if os.path.realpath(objects) != objects and not is_below(os.path.realpath(objects), borrowed):
        raise Unsupported("Its objects are a link that leads out of the library, so they are not read.", "")
    is_partial = False
    parts = [objects] if os.path.isdir(objects) else []
    for part in parts:
        with os.scandir(part) as entries:
            for entry in entries:
                if entry.is_symlink() and not is_below(os.path.realpath(entry.path), borrowed):
                    raise Unsupported("Its objects lie outside of the library, so they are not read.", "")
                is_partial = is_partial or entry.name.endswith(".promisor")
                if part == objects and entry.is_dir():  # packs, and a folder for each first byte of a loose object
                    parts.append(entry.path)
    _check_alternates(objects, borrowed)
    shallow = os.path.join(folder, "shallow")
    is_shallow = os.path.isfile(shallow) and not os.path.islink(shallow)
    return Repository(name, folder, os.path.realpath(objects), shallow if is_shallow else "", inside, is_partial)


def _check_alternates(objects: str, roots: Sequence[str], depth: int = 0) -> None:
    """Git follows these by itself, so a repository that names a place outside must not be handed to it."""
    path = os.path.join(objects, "info", "alternates")
    try:
        said = read_plain(path, _SMALL)
    except FileNotFoundError:
        return
    if said is None or depth > 5:
        raise Unsupported("The list of places it borrows objects from is not to be believed.", _WHOLE)
    for line in said.split(b"\n"):
        if line and not line.startswith(b"#"):
            other = os.path.realpath(os.path.join(objects, os.fsdecode(line)))
            if line.startswith(b'"') or not is_below(other, roots):  # quoted ones would mean something else to git
                raise Unsupported("It borrows objects from outside of the library, so it is not read.", _WHOLE)
            _check_alternates(other, roots, depth + 1)
