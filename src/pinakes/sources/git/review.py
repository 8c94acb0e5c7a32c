"""What was changed in a working tree since a commit, or between two commits?

A folder and a range as people write it enter; a `Review` leaves. Contents of the working tree are read by ourselves and
compared by the hash that git would give them, so nothing of the repository's configuration can run. Line ends do not
count: git may keep others than the disk has.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from pinakes.errors import NotFound
from pinakes.records.edits import FileChange
from pinakes.records.review import Review, UnseenChange
from pinakes.sources.git.checkout import Checkout, checkout_of
from pinakes.sources.git.past import LARGEST, read_past
from pinakes.sources.git.revisions import ask, commit_named, no_revision
from pinakes.sources.git.scratch import ScratchRepository
from pinakes.sources.inside import open_without_links, read_at_most

MOST_FILES = 500
MOST_BYTES = 8_000_000
"""Before and after, of all files together."""
_PIECE = 1 << 20
_MODULE = b"160000"
_LINK = b"120000"


class _Candidate(Struct, frozen=True):
    """A file that may have been changed."""

    path: str
    before: str
    """The commit that has it; empty for a new file."""
    after: str
    """The commit that has it, ``.`` for the disk; empty for a file that is gone."""


def review_changes(root: Path, asked: str, listed: Iterable[str]) -> Review:
    """The changes of the files below a folder: those since the commit that is checked out, or for a range those since
    ``A``, between ``A..B``, or on B since it left A, ``A...B``. `listed` are the files that nothing ignores: those of
    them that git does not know are new. Raises `NotFound`."""
    checkout = checkout_of(os.path.realpath(root))
    if checkout is None:
        raise NotFound(f"{root} is not in a git repository.", "git init makes one.")
    first, dots, last = _parted(asked)
    if not dots:
        base = _commit(checkout, first) if first else checkout.commit
        found: Iterable[_Candidate] = _since(checkout, base, listed)
    else:
        old, new = _commit(checkout, first or "HEAD"), _commit(checkout, last or "HEAD")
        if dots == "...":
            words = ["merge-base", old, new]
            old = ask(checkout.root, checkout.repository, words).decode("ascii", "replace").strip() or old
        found = _between(checkout, old, new)
    return _read(checkout, asked, list(found))


def _parted(asked: str) -> tuple[str, str, str]:
    dots = "..." if "..." in asked else ".." if ".." in asked else ""
    first, _, last = asked.partition(dots) if dots else (asked, "", "")
    return first.strip(), dots, last.strip()


def _commit(checkout: Checkout, revision: str) -> str:
    found = commit_named(checkout.root, (checkout.repository, checkout.commit), revision) if checkout.commit else ""
    if not found:
        raise no_revision(revision)
    return found


def _between(checkout: Checkout, old: str, new: str) -> Iterator[_Candidate]:
    words = ["diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", old, new, *_part(checkout)]
    fields = ask(checkout.root, checkout.repository, words).split(b"\0")
    for facts, name in zip(fields[::2], fields[1::2], strict=False):
        before, after, _, _, what = facts.removeprefix(b":").split()
        if _MODULE not in (before, after):
            path = os.fsdecode(name).removeprefix(checkout.repository.inside)
            yield _Candidate(path, old if what != b"A" else "", new if what != b"D" else "")


def _since(checkout: Checkout, base: str, listed: Iterable[str]) -> Iterator[_Candidate]:
    known = _tree(checkout, base) if base else {}
    gone, changed = [], []
    for path, (mode, blob) in known.items():
        present = _blob_on_disk(checkout, path, is_link=mode == _LINK) if mode != _MODULE else blob
        if present is None:
            gone.append(path)
        elif present != blob:
            changed.append(path)
    new = [path for path in listed if path not in known and not _is_in_other(checkout.root, path)]
    with ScratchRepository(checkout) as scratch:
        left_out = scratch.not_checked_out() if gone else frozenset()
        filtered = scratch.filtered(checkout.in_tree(path) for path in changed)
    for path in sorted([*gone, *changed, *new]):
        name = checkout.in_tree(path)
        if path not in known:
            yield _Candidate(path, "", ".")
        elif path in changed and name not in filtered:
            yield _Candidate(path, base, ".")
        elif path in gone and left_out is not None and name not in left_out:
            yield _Candidate(path, base, "")


def _tree(checkout: Checkout, commit: str) -> dict[str, tuple[bytes, str]]:
    """The mode and the hash of each file of a commit, by its path from the root."""
    said = ask(checkout.root, checkout.repository, ["ls-tree", "-r", "-z", "--full-tree", commit, *_part(checkout)])
    found = {}
    for line in said.split(b"\0"):
        facts, _, name = line.partition(b"\t")
        if name:
            mode, _, blob = facts.split()
            found[os.fsdecode(name).removeprefix(checkout.repository.inside)] = mode, blob.decode()
    return found


def _part(checkout: Checkout) -> list[str]:
    return ["--", checkout.repository.inside] if checkout.repository.inside else []


def _blob_on_disk(checkout: Checkout, path: str, *, is_link: bool) -> str | None:
    """What git would call the content of a file; None when it is gone, or something else lies there."""
    target = link_at(checkout.root, path)
    if target is not None:
        return _hashed(checkout, [target], len(target)) if is_link else None
    try:
        descriptor = open_without_links(checkout.root, path)
    except OSError as error:
        return None if isinstance(error, (FileNotFoundError, NotADirectoryError)) else ""
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return None
        pieces = iter(lambda: os.read(descriptor, _PIECE), b"")
        return _hashed(checkout, pieces, facts.st_size)
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _hashed(checkout: Checkout, pieces: Iterable[bytes], size: int) -> str:
    made = (hashlib.sha256 if checkout.repository.is_sha256 else hashlib.sha1)(usedforsecurity=False)
    made.update(b"blob %d\0" % size)
    for piece in pieces:
        made.update(piece)
    return made.hexdigest()


def link_at(root: str, path: str) -> bytes | None:
    """Where a symbolic link at a path leads, as it is written; None when there is none. No link on the way is
    followed."""
    folder = os.path.join(root, os.path.dirname(path))
    if os.path.realpath(folder) != folder.rstrip("/"):
        return None
    try:
        return os.fsencode(os.readlink(os.path.join(root, path)))
    except OSError:
        return None


def _is_in_other(root: str, path: str) -> bool:
    """Whether a file lies in another repository, which is that one's business."""
    parts = path.split("/")[:-1]
    return any(os.path.lexists(os.path.join(root, *parts[:count], ".git")) for count in range(1, len(parts) + 1))


def _read(checkout: Checkout, asked: str, candidates: list[_Candidate]) -> Review:
    """Candidates with their contents, as far as they are text and there is room."""
    wanted = dict.fromkeys(
        (commit, one.path) for one in candidates for commit in (one.before, one.after) if commit not in ("", ".")
    )
    with closing(read_past(Path(checkout.root), wanted)) as past:
        contents: Mapping[tuple[str, str], bytes] = dict(past)
    changes: list[FileChange] = []
    unseen: list[UnseenChange] = []
    spent = 0
    for one in candidates:
        before = contents.get((one.before, one.path)) if one.before else None
        after = _on_disk(checkout.root, one.path) if one.after == "." else contents.get((one.after, one.path))
        if _same_text(before, after):
            continue
        spent += len(before or b"") + len(after or b"")
        reason = _unseen(one, before, after)
        if not reason and (len(changes) == MOST_FILES or spent > MOST_BYTES):
            reason = "is one too many"
        if reason:
            unseen.append(UnseenChange(one.path, reason))
        else:
            changes.append(FileChange(one.path, before, after))
    return Review(asked, tuple(changes), tuple(unseen))


def _on_disk(root: str, path: str) -> bytes | None:
    target = link_at(root, path)
    if target is not None:
        return target
    try:
        descriptor = open_without_links(root, path)
    except OSError:
        return None
    try:
        return read_at_most(descriptor, LARGEST)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _same_text(before: bytes | None, after: bytes | None) -> bool:
    if before is None or after is None:
        return False
    return before.replace(b"\r\n", b"\n") == after.replace(b"\r\n", b"\n")


def _unseen(one: _Candidate, before: bytes | None, after: bytes | None) -> str:
    """Why the text of a change is not shown; nothing when it is."""
    if one.path.startswith(".") or "/." in one.path:
        return "is hidden"
    if (one.before and before is None) or (one.after and after is None):
        return f"is larger than {LARGEST:,} bytes, or cannot be read"
    return "is no text" if b"\0" in (before or b"") or b"\0" in (after or b"") else ""
