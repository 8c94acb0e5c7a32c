"""What became of each file: indexed, known, failed or left out, and the rule that decided it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from pinakes.ports import Reader
from pinakes.records import Failure, FileState, FileStatus, Ref, StoredFile
from pinakes.sources import FolderSource


def file_states(reader: Reader, source: FolderSource, paths: Collection[str]) -> tuple[FileStatus, ...]:
    """Each file's state and the reason for it: for `paths`, or for all that is known or was left out."""
    kept = reader.files(source.corpus)
    failed = {failure.ref.path: failure for failure in reader.failures(source.corpus)}
    if paths:
        return tuple(_state(path, kept, failed, source) for path in paths)
    left_out = (FileStatus(path, FileState.LEFT_OUT, reason) for path, reason in source.left_out())
    known = (_state(path, kept, failed, None) for path in {*kept, *failed})
    return tuple(sorted((*known, *left_out), key=lambda file: os.fsencode(file.path)))


def _state(
    path: str, kept: Mapping[str, StoredFile], failed: Mapping[str, Failure], source: FolderSource | None
) -> FileStatus:
    """One file's; without a `source` the rule is not looked up, which takes its time for thousands of files."""
    if failure := failed.get(path):
        return FileStatus(path, FileState.FAILED, f"{failure.reason} {failure.next_step}".strip())
    known = kept.get(path)
    if known is None:
        return FileStatus(path, FileState.LEFT_OUT, _why(path, source) if source else "")
    reason = _why(path, source) if source else f"read as {known.stamp.media.name}" if known.digest else "not read"
    return FileStatus(path, FileState.INDEXED if known.digest else FileState.ASSET, reason)


def _why(path: str, source: FolderSource) -> str:
    """The rule that decided about a file, without repeating its name."""
    return source.why(path).removeprefix(f"{str(Ref('', path)).removeprefix(':')} ")
