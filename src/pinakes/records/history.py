"""A commit as it travels from git to the parser.

`Commit` is what git said of one commit; `pack` makes the bytes that stand for it in a `Raw` and `unpack` reads them
again. The layout is fields between NUL bytes, which none of them but the difference can hold, and that comes last.
"""

from __future__ import annotations

from msgspec import Struct

_TEXTS = 10
"""Fields of a commit that travel as they are: all those before the changed files."""
_FIELDS = _TEXTS + 4
"""Parts before the changed files: those, two counts, flags, and how many files there are."""


class Commit(Struct, frozen=True):
    """What git says of one commit, undecoded: messages and names may be in any encoding."""

    hash: bytes
    repository: bytes
    """Where the repository lies, seen from the root; ``.`` for the root itself."""
    parents: bytes
    """Hashes with spaces between them."""
    author: bytes
    author_mail: bytes
    authored: bytes
    """ISO date and time; empty where the commit has none that can be read."""
    committer: bytes
    committer_mail: bytes
    committed: bytes
    message: bytes
    files: tuple[tuple[bytes, bytes], ...]
    """What happened (``M``, ``A``, ``D``, ``R``…) and the path, for each file changed; a renamed file has both paths,
    the old one as deleted by a rename (``<``)."""
    diff: bytes
    """Its first lines."""
    left_out: int = 0
    """Lines of the difference that are not in `diff`."""
    files_left_out: int = 0
    """Changed files that are not in `files`."""
    is_cut: bool = False
    """Whether git was stopped before it had said all: more may be left out than the counts say."""
    has_diff: bool = True
    """Whether git could tell the difference at all; it cannot where parts of the repository were never fetched."""


_NAMES = Commit.__struct_fields__[:_TEXTS]


def pack(commit: Commit) -> bytes:
    """The bytes that stand for a commit."""
    flags = (b"c" if commit.is_cut else b"") + (b"" if commit.has_diff else b"n")
    counts = b"%d\0%d\0%s\0%d" % (commit.left_out, commit.files_left_out, flags, len(commit.files))
    texts = map(commit.__getattribute__, _NAMES)
    return b"\0".join([*texts, counts, *[part for file in commit.files for part in file], commit.diff])


def unpack(data: bytes) -> Commit | None:
    """The commit behind such bytes; None when they are something else."""
    parts = data.split(b"\0", _FIELDS)
    counts = (parts[_TEXTS], parts[_TEXTS + 1], parts[_TEXTS + 3]) if len(parts) > _FIELDS else ()
    if not counts or not all(count.isdigit() and len(count) < 10 for count in counts):
        return None
    left_out, files_left_out, size = map(int, counts)
    rest = parts[_FIELDS].split(b"\0", 2 * size)
    if len(rest) != 2 * size + 1:
        return None
    return Commit(
        **dict(zip(_NAMES, parts[:_TEXTS], strict=True)),
        files=tuple(zip(rest[: 2 * size : 2], rest[1 : 2 * size : 2], strict=True)),
        diff=rest[-1],
        left_out=left_out,
        files_left_out=files_left_out,
        is_cut=b"c" in parts[_TEXTS + 2],
        has_diff=b"n" not in parts[_TEXTS + 2],
    )
