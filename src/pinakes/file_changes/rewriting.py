"""Several files rewritten together: all of them, or none.

First every new text is written beside its file; only when all of them are on disk, and no file has changed meanwhile,
do they take their places. An error on the way raises, and the caller puts everything back; after a kill, whoever reads
the caller's journal does. Temporary names are made of a token that the journal holds, so that what a killed process
left can be told from other files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from pinakes.errors import PinakesError
from pinakes.file_changes.disk import Disk


class FileRewrite(Struct, frozen=True):
    """A file that gets another content, is made, or goes."""

    disk: Disk
    path: str
    before: str | None
    """The digest of what it holds; None where there is no file yet."""
    after: str | None
    """The digest of what it shall hold; None for a file that goes."""
    forth: Callable[[bytes], bytes]
    """From the content before to the one after; nothing is given for a file that is made."""
    back: Callable[[bytes], bytes]
    """From the content after to the one before; nothing is given for a file that went."""


def rewrite_all(rewrites: Sequence[FileRewrite], token: str) -> None:
    """Write everything; raises the error that the disk of a file was given, and `OSError`. Afterwards
    `undo_rewrites` is needed."""
    for number, one in enumerate(rewrites):
        data = _unchanged(one)
        if one.after is not None:
            one.disk.write_beside(one.path, temporary(token, number), one.forth(data))
    for one in rewrites:
        _unchanged(one)
    for number, one in enumerate(rewrites):
        if one.after is None:
            one.disk.remove(one.path)
        elif one.before is None:
            one.disk.put_in_free_place(one.path, temporary(token, number))
        else:
            one.disk.put_in_place(one.path, temporary(token, number))


def undo_rewrites(rewrites: Sequence[FileRewrite], token: str) -> list[str]:
    """Undo what `rewrite_all` did, however far it came. Returns the files that somebody else changed, which stay as
    they are."""
    left = []
    for number, one in enumerate(rewrites):
        one.disk.forget_beside(one.path, temporary(token, number))
        with suppress(PinakesError):  # gone, or no file any more: whoever did that knows
            data = one.disk.read_if_there(one.path)
            now = digest_if_there(data)
            if now == one.after and now != one.before:
                _restore(one, temporary(token, number), data or b"")
            elif data is not None and now != one.before and not _is_half_made(one, data):
                left.append(one.path)
    return left


def temporary(token: str, number: int) -> str:
    """The name of the file that is written beside the file with this number."""
    return f".pinakes-{token}-{number}.new"


def digest_of(data: bytes) -> str:
    """As the index keeps it."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_if_there(data: bytes | None) -> str | None:
    """The digest of a file; None where there is none."""
    return digest_of(data) if data is not None else None


def _restore(one: FileRewrite, name: str, data: bytes) -> None:
    if one.before is None:
        one.disk.remove(one.path)
        return
    one.disk.write_beside(one.path, name, one.back(data))
    if one.after is None:
        one.disk.put_in_free_place(one.path, name)
    else:
        one.disk.put_in_place(one.path, name)


def _is_half_made(one: FileRewrite, data: bytes) -> bool:
    """Whether an empty file is there because the system cannot give a file a free name in one step; it goes."""
    is_ours = one.before is None and not data
    if is_ours:
        one.disk.remove(one.path)
    return is_ours


def _unchanged(one: FileRewrite) -> bytes:
    """The bytes of a file, looked at again at the last moment."""
    data = one.disk.read_if_there(one.path)
    if digest_if_there(data) != one.before:
        raise one.disk.refused(
            f"{one.path} was changed just now.", "Run the command again: it looks at the files as they are now."
        )
    return data or b""
