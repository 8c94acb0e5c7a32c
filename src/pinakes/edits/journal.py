"""The journal of edits: how to take the last ones back, and what killed ones left behind.

There are two files in a folder of the index. `edits-undo.json` says how the last edits are taken back.
`edits-doing.json` is there while files are being written: whoever finds it without its writer takes those edits back,
or finishes taking them back. Both are carried out by whoever finds them, so both are signed with the user's key and
name the root that they were written for: a repository cannot bring one along.

    format   1
    root     the folder that paths count from
    token    a part of the names of temporary files, and the name of these edits
    made     folders that were made for them, the uppermost first
    files    path, digest before and after (null: no file), and the bytes `start` to `end` of the file afterwards that
             took the place of `old` (Base64)
    is_undo  whether they are being taken back
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from msgspec import Struct

from pinakes.errors import StoreError
from pinakes.file_changes import digest_if_there
from pinakes.folder_lock import NEXT_STEP, exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.records.edits import FileChange
from pinakes.user_key import read_signed, write_signed

_UNDO, _DOING = "edits-undo.json", "edits-doing.json"
_FORMAT = 1


class EditedFile(Struct, frozen=True):
    """A file that edits changed, and how it was before."""

    path: str
    before: str | None
    """The digest of its bytes; None where there was no file."""
    after: str | None
    start: int
    end: int
    """The bytes afterwards that took the place of `old`."""
    old: bytes

    @classmethod
    def of(cls, change: FileChange) -> EditedFile:
        """What must be known to take a change back."""
        old, new = change.before or b"", change.after or b""
        start = _shared(old, new)
        tail = _shared(old[start:][::-1], new[start:][::-1])
        before, after = digest_if_there(change.before), digest_if_there(change.after)
        return cls(change.path, before, after, start, len(new) - tail, old[start : len(old) - tail])

    def taken_back(self, after: bytes) -> bytes:
        """The bytes before, from those afterwards."""
        return after[: self.start] + self.old + after[self.end :]


class EditRecord(Struct, frozen=True):
    """Edits that were begun, and perhaps came to their end."""

    root: str
    token: str
    made: tuple[str, ...]
    files: tuple[EditedFile, ...]
    is_undo: bool = False


class EditJournal:
    """The journal of one library, in a folder of ours."""

    def __init__(self, folder: OwnFolder) -> None:
        self._folder = folder

    @contextmanager
    def locked(self, wait_s: float = 30.0) -> Iterator[None]:
        """One writer at a time; raises `StoreBusy` and `StoreError`."""
        try:
            self._folder.make(unseen=True, parents=True)
        except OSError as error:
            raise StoreError(f"Edits cannot be noted in {self._folder.path}: {error.strerror}.", NEXT_STEP) from error
        with exclusive_lock(self._folder, "edits", wait_s):
            yield

    def last(self) -> EditRecord | None:
        """The edits that can be taken back; None when there are none, or none of this user."""
        return self._read(_UNDO)

    def doing(self) -> EditRecord | None:
        """The edits that are being written, or whose writer was killed."""
        return self._read(_DOING)

    def begin(self, record: EditRecord) -> None:
        """Keep what is about to happen; it outlives a power cut. Raises `OSError`."""
        self._write(_DOING, record)

    def end(self, record: EditRecord | None) -> None:
        """It happened: `record` can be taken back from now on, or nothing can. Raises `OSError`."""
        if record is None:
            self._folder.remove(_UNDO, durable=True)
        else:
            self._write(_UNDO, record)
        with suppress(OSError):  # from here on, whoever finds what is left of it knows that it happened
            self.give_up()

    def give_up(self) -> None:
        """It did not happen, and everything is as it was. Raises `OSError`."""
        self._folder.remove(_DOING, durable=True)

    def _read(self, name: str) -> EditRecord | None:
        record = read_signed(self._folder, name)
        return _record(record) if record is not None and record.get("format") == _FORMAT else None

    def _write(self, name: str, record: EditRecord) -> None:
        files = [
            {
                "path": one.path,
                "before": one.before,
                "after": one.after,
                "start": one.start,
                "end": one.end,
                "old": b64encode(one.old).decode(),
            }
            for one in record.files
        ]
        data: Mapping[str, object] = {
            "format": _FORMAT,
            "root": record.root,
            "token": record.token,
            "made": list(record.made),
            "files": files,
            "is_undo": record.is_undo,
        }
        write_signed(self._folder, name, data, durable=True)


def _record(data: Mapping[str, Any]) -> EditRecord:
    """What was written: it is signed, so it has this form."""
    files = tuple(EditedFile(**{**one, "old": b64decode(one["old"])}) for one in data["files"])
    return EditRecord(data["root"], data["token"], tuple(data["made"]), files, data["is_undo"])


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes at the beginning of both are the same."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
