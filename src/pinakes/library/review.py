"""What was changed and is not committed yet, or between two commits: for people, and for a model's context; and the
commit of it.

A library and a range enter; a `Review` leaves, and the block that a prompt has of it. A message and paths enter; the
hash of a commit leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pinakes.edits.diff import unified
from pinakes.errors import NotFound
from pinakes.library.context import make_block
from pinakes.library.listed_files import is_hidden
from pinakes.records import DOCS
from pinakes.records.context import ContextBlock
from pinakes.records.edits import EditPlan
from pinakes.records.review import Review
from pinakes.render.text import safe
from pinakes.sources.git.committing import commit_files
from pinakes.sources.git.review import review_changes
from pinakes.write_log import log_writes

if TYPE_CHECKING:
    from pinakes.library.library import Library

_LONGEST = 400_000
"""Characters of a block."""


def review(library: Library, range: str = "") -> Review:
    """What was changed since the commit that is checked out, or in a range: since ``A``, between ``A..B``, or on B
    since it left A, ``A...B``. Files that git does not know count as new, unless something ignores them. Raises
    `NotFound`."""
    listed = (stamp.ref.path for stamp in library.corpus(DOCS).source.scan().stamps)
    return review_changes(library.root, range, [path for path in listed if not is_hidden(path)])


def review_block(found: Review) -> ContextBlock:
    """The block of a prompt that has the changes as a unified diff, as far as there is room."""
    return make_block(f"review:{found.range}", f"{_title(found)}\n\n{review_text(found)}")


def _title(found: Review) -> str:
    if not found.range:
        return "Changes that are not committed, as a diff:"
    return f"Changes {'in' if '..' in found.range else 'since'} {safe(found.range)}, as a diff:"


def review_text(found: Review) -> str:
    """The changes as a unified diff; files without a text to show, or for which there is no room, by name alone."""
    parts: list[str] = []
    names = [f"{safe(one.path)} {one.reason}" for one in found.unseen]
    room = _LONGEST
    for change in found.changes:
        part = unified(EditPlan((change,))) or f"{safe(change.path)} is empty\n"
        room -= len(part)
        if room < 0:
            names.append(f"{safe(change.path)} was changed too, and there is no room for it")
        else:
            parts.append(part)
    if not found.changes and not names:
        return "Nothing was changed."
    return "".join([*parts, *(f"not shown: {name}\n" for name in names)]).rstrip("\n")


def commit(library: Library, message: str, paths: Sequence[str]) -> str:
    """Commit some of the files that `review` shows, as they are on disk, on the branch that is checked out; returns the
    full hash. Hooks and filters are not run, and the commit is not signed. Raises `BadCommit` and `NotFound`."""
    found = review(library)
    changed = {one.path for one in found.changes} | {one.path for one in found.unseen}
    for path in paths:
        if path not in changed:
            raise NotFound(f"“{path}” was not changed.", "Choose files that were changed.")
    made = commit_files(library.root, message, paths)
    log_writes("commit", [(f"history:{made}", "done")], library.root)
    return made
