"""Which commits do a repository's branches and tags name?

A folder of git's enters, full hashes leave. Refs are read by ourselves and not by git, so that neither their names nor
the repository's configuration reach a program: links are not followed, files are read up to a limit, and nothing but
hexadecimal hashes is believed. Stashes, notes, replacements and remote branches are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from pinakes.sources.inside import read_plain

_HASH = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COUNTED = (b"refs/heads/", b"refs/tags/")
_SMALL = 4096
_PACKED = 200_000_000
_DEEPEST = 24
_MOST = 500_000
"""Loose refs; more are a trap rather than a repository."""


class Unsupported(Exception):
    """Refs that are kept in a way we cannot read; the text says which, `next_step` what to do."""

    def __init__(self, problem: str, next_step: str) -> None:
        super().__init__(problem)
        self.next_step = next_step


def tips(folder: str) -> dict[str, str]:
    """By name, the hash of each branch, tag and detached HEAD, worktrees' included; raises `OSError`, `Unsupported`."""
    if os.path.isdir(os.path.join(folder, "reftable")):
        raise Unsupported(
            "This repository keeps its refs in the reftable format, which is not read.",
            "git refs migrate --ref-format=files changes it back.",
        )
    found: dict[str, str] = {}
    packed = _text(os.path.join(folder, "packed-refs"), _PACKED)
    for line in packed.split(b"\n"):
        named, _, ref = line.partition(b" ")
        if ref.startswith(_COUNTED) and _HASH.fullmatch(named):
            found[os.fsdecode(ref)] = named.decode()
    for kind in ("heads", "tags"):
        for name, value in _loose(os.path.join(folder, "refs", kind), f"refs/{kind}"):
            found[name] = value
    for name, path in _heads(folder):
        head = _text(path, _SMALL).strip()
        if _HASH.fullmatch(head):
            found[name] = head.decode()
    return found


def checked_out(top: str, folder: str, refs: Mapping[str, str]) -> str:
    """The commit that a working tree has checked out; nothing when it cannot be told. `folder` is git's own, which is
    only that of the working tree when the latter is not one of several."""
    own = own_folder(top, folder)
    head = _text(os.path.join(own, "HEAD"), _SMALL).strip() if own else b""
    if _HASH.fullmatch(head):
        return head.decode()
    return refs.get(os.fsdecode(head[5:]), "") if head.startswith(b"ref: ") else ""


def own_folder(top: str, folder: str) -> str:
    """Where git keeps what belongs to this working tree alone; nothing when that is not in its own folder."""
    said = _text(os.path.join(top, ".git"), _SMALL).strip()
    own = os.path.realpath(os.path.join(top, os.fsdecode(said[7:].strip()))) if said.startswith(b"gitdir:") else folder
    return own if own == folder or own.startswith(os.path.join(folder, "")) else ""


def branch_of(own: str) -> str:
    """The full name of the branch that is checked out; nothing when there is none."""
    head = _text(os.path.join(own, "HEAD"), _SMALL).strip()
    return os.fsdecode(head[5:]) if head.startswith(b"ref: refs/heads/") else ""


def ref_value(folder: str, name: str) -> str:
    """The hash that a ref names, loose or packed; nothing when there is no such ref, or it names another."""
    loose = _text(os.path.join(folder, *name.split("/")), _SMALL).strip()
    if _HASH.fullmatch(loose):
        return loose.decode()
    wanted = os.fsencode(name)
    for line in _text(os.path.join(folder, "packed-refs"), _PACKED).split(b"\n") if not loose else ():
        named, _, ref = line.partition(b" ")
        if ref == wanted and _HASH.fullmatch(named):
            return named.decode()
    return ""


def _heads(folder: str) -> Iterator[tuple[str, str]]:
    yield "HEAD", os.path.join(folder, "HEAD")
    worktrees = os.path.join(folder, "worktrees")
    try:
        names = sorted(os.listdir(worktrees))
    except OSError:
        return
    for name in names[:_MOST]:
        yield f"worktrees/{name}/HEAD", os.path.join(worktrees, name, "HEAD")


def _loose(top: str, prefix: str) -> Iterator[tuple[str, str]]:
    waiting = [(top, prefix, 0)]
    seen = 0
    while waiting:
        folder, name, depth = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listed:
            seen += 1
            if seen > _MOST:
                return
            inner = f"{name}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST:
                    waiting.append((entry.path, inner, depth + 1))
            elif entry.is_file(follow_symlinks=False) and not entry.name.endswith(".lock"):
                value = _text(entry.path, _SMALL).strip()
                if _HASH.fullmatch(value):
                    yield inner, value.decode()


def _text(path: str, limit: int) -> bytes:
    """A small file; nothing when it is a link, too large, no file or gone."""
    try:
        return read_plain(path, limit) or b""
    except OSError:
        return b""
