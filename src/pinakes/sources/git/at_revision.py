"""Which files does somebody mean by a revision?

A folder and a revision as people write it enter; a `GitTree` leaves, and how many files differ between two trees.
"""

from __future__ import annotations

import os
from itertools import islice

from msgspec.structs import replace

from pinakes.errors import NotFound
from pinakes.sources.git.refs import checked_out
from pinakes.sources.git.repositories import Repository, candidates, find
from pinakes.sources.git.revisions import ask, commit_in, no_revision
from pinakes.sources.git.tree import GitTree


def tree_at(root: str, revision: str, inside: str = "") -> GitTree:
    """What the repository that a folder is in holds there at a revision; raises `NotFound`. `inside` is a folder of a
    bare repository, with a slash at the end."""
    real = os.path.realpath(root)
    repository, refs = _repository_of(real)
    commit = commit_in(real, repository, refs, head_in(real, repository, refs), revision)
    if not commit:
        raise no_revision(revision)
    if inside:
        repository, real = replace(repository, inside=inside), os.path.join(real, *inside.rstrip("/").split("/"))
    tree = _named(real, repository, f"{commit}:{repository.inside.rstrip('/')}")
    if not tree:
        raise NotFound(f"Commit {commit[:12]} has no folder {repository.inside.rstrip('/')}.", "Name another revision.")
    return GitTree(real, repository, commit, tree)


def head_tree(tree: GitTree) -> str:
    """The tree of the folder in the commit that is checked out; empty where there is none."""
    try:
        repository, refs = _repository_of(tree.root)
    except NotFound:  # a folder that is in no working tree
        return ""
    head = head_in(tree.root, repository, refs)
    return _named(tree.root, repository, f"{head}:{repository.inside.rstrip('/')}") if head else ""


def differing(tree: GitTree, other: str) -> int | None:
    """How many files are not the same in another tree of the repository; None when it does not know that one."""
    words = ["diff-tree", "-r", "--name-only", "--no-renames", "-z", other, tree.tree]
    try:
        names = ask(tree.root, tree.repository, [*words, "--"]) if other != tree.tree else b""
    except NotFound:
        return None
    return names.count(b"\0") if names or other == tree.tree else None


def head_in(root: str, repository: Repository, refs: dict[str, str]) -> str:
    """The commit that is checked out; empty where there is none."""
    top = root[: -len(repository.inside)] if repository.inside else root
    return checked_out(top, repository.folder, refs)


def _repository_of(root: str) -> tuple[Repository, dict[str, str]]:
    """The repository that a folder is in; others that lie below are not looked for."""
    for repository, refs in find((root,), islice(candidates((root,)), 1)).repositories:
        if repository.inside or repository.name == ".":
            return repository, dict(refs)
    raise NotFound(f"{root} is in no git repository that can be read.", "Ask for the present documents.")


def _named(root: str, repository: Repository, name: str) -> str:
    said = ask(root, repository, ["rev-parse", "--verify", "--quiet", f"{name}"]).decode("ascii", "replace").strip()
    return said
