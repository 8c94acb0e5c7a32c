"""Write a plan of edits, all of it or nothing, and take it back.

A root, a plan and a journal enter. Every file must hold what the plan was made for. The journal is written first, then
all files together; an error on the way puts everything back at once, and after a kill `recover_edits` does. Edits that
were being taken back when their process was killed are taken back to the end.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from pinakes.edits.journal import EditedFile, EditJournal, EditRecord
from pinakes.edits.paths import path_fault
from pinakes.errors import BadEdit, EditConflict, NotFound, PinakesError, StoreBusy
from pinakes.file_changes import Disk, FileRewrite, digest_if_there, rewrite_all, undo_rewrites
from pinakes.records.edits import EditPlan, FileChange

_MOST_UNDONE = 6_000_000
"""Bytes of text that the journal keeps."""
_AGAIN = "Try the blocks once more: they are compared with the files as they are now."


def apply_edits(root: Path, plan: EditPlan, journal: EditJournal) -> None:
    """Write the changes of a plan; raises `BadEdit` when nothing was changed, `StoreBusy` while others write."""
    if not plan.changes:
        return
    with journal.locked(), _nothing_changed():
        disk = Disk(root, BadEdit)
        _settle(disk, journal)
        record = _examined(plan, disk)
        rewrites = [_forth(disk, change) for change in plan.changes]
        _carry_out(journal, record, disk, rewrites, record)


def undo_edits(root: Path, journal: EditJournal) -> EditPlan:
    """Take the last edits back and say what was changed; raises `NotFound` when there are none, `BadEdit` when a file
    has been changed since."""
    with journal.locked(), _nothing_changed():
        disk = Disk(root, BadEdit)
        _settle(disk, journal)
        record = journal.last()
        if record is None or record.root != disk.root:
            raise NotFound("There are no edits to undo.", "Only the last ones can be undone, and only once.")
        changes = _way_back(record, disk)
        undoing = replace(record, token=secrets.token_hex(8), is_undo=True)
        _carry_out(journal, undoing, disk, [_forth(disk, change) for change in changes], None)
        return EditPlan(changes)


def can_undo(root: Path, journal: EditJournal) -> bool:
    """Whether there are edits to take back. A file that was changed since may still prevent it."""
    record = journal.last()
    return record is not None and record.root == Disk(root, BadEdit).root


def recover_edits(root: Path, journal: EditJournal) -> tuple[str, ...] | None:
    """Put right what edits left that were killed, unless some are under way right now. Returns the files that somebody
    changed meanwhile, which stay as they are; None where there was nothing to do. Raises `BadEdit` where that is not
    possible."""
    if journal.doing() is None:
        return None
    try:
        with journal.locked(wait_s=0.0):
            return _settle(Disk(root, BadEdit), journal)
    except StoreBusy:
        return None
    except (PinakesError, OSError) as error:
        raise BadEdit(f"Edits were interrupted and could not be taken back: {error}") from error


def _settle(disk: Disk, journal: EditJournal) -> tuple[str, ...] | None:
    """Bring what a killed process began to its end: edits are taken back, whichever way it was going."""
    record = journal.doing()
    if record is None or record.root != disk.root:  # of a folder that was copied
        return None
    last = journal.last()
    if not record.is_undo and last is not None and last.token == record.token:
        journal.give_up()  # everything was written, only this was not said
        return None
    rewrites = [_of_record(disk, one) for one in record.files]
    left = undo_rewrites(rewrites, record.token)
    _remove_made(record, disk)
    if record.is_undo:
        journal.end(None)
    else:
        journal.give_up()
    return tuple(left)


@contextmanager
def _nothing_changed() -> Iterator[None]:
    """Say of a disk that fails what became of the files."""
    try:
        yield
    except OSError as error:
        raise BadEdit(f"The files cannot be changed: {error.strerror}.", "All of them are as they were.") from error


def _carry_out(
    journal: EditJournal, record: EditRecord, disk: Disk, rewrites: Sequence[FileRewrite], kept: EditRecord | None
) -> None:
    """Write everything; `kept` is what can be taken back afterwards. Raises `BadEdit` and `OSError` when all is as it
    was."""
    try:
        journal.begin(record)
        for folder in () if record.is_undo else record.made:
            disk.make_folder(folder)
        rewrite_all(rewrites, record.token)
        if record.is_undo:
            _remove_made(record, disk)
        journal.end(kept)
    except BaseException:
        _take_back(journal, record, disk, rewrites)
        raise


def _take_back(journal: EditJournal, record: EditRecord, disk: Disk, rewrites: Sequence[FileRewrite]) -> None:
    """Leave everything as it was; raises `BadEdit` where even that fails, and the next command has to do it."""
    try:
        for folder in record.made if record.is_undo else ():
            disk.make_folder(folder)
        undo_rewrites(rewrites, record.token)
        if not record.is_undo:
            _remove_made(record, disk)
        journal.give_up()
    except OSError as error:
        raise BadEdit(
            f"The files cannot be written, and not all could be put back: {error.strerror}.",
            "Make room on the disk and run pinakes sync: it puts them back.",
        ) from error


def _examined(plan: EditPlan, disk: Disk) -> EditRecord:
    """Everything that is needed to carry a plan out; raises `BadEdit` where something is not as the plan expects."""
    made: dict[str, None] = {}
    for change in plan.changes:
        if fault := path_fault(change.path):
            raise BadEdit(f"The path “{change.path}” {fault}.", "Name a file of the repository from its root.")
        if disk.read_if_there(change.path) != change.before:
            raise EditConflict(f"{change.path} has been changed since.", _AGAIN)
        if change.before is not None:
            disk.refuse_unwritable(change.path)
        made.update(dict.fromkeys(disk.missing_folders(change.path)))
    files = tuple(map(EditedFile.of, plan.changes))
    if sum(len(one.old) for one in files) > _MOST_UNDONE:
        raise BadEdit(f"More than {_MOST_UNDONE:,} bytes of text would be replaced.", "Change fewer files at a time.")
    return EditRecord(disk.root, secrets.token_hex(8), tuple(made), files)


def _way_back(record: EditRecord, disk: Disk) -> tuple[FileChange, ...]:
    """The changes that take edits back; raises `BadEdit` when a file is not as they left it."""
    changes, others = [], []
    for one in record.files:
        now = disk.read_if_there(one.path)
        if digest_if_there(now) != one.after:
            others.append(one.path)
        else:
            changes.append(FileChange(one.path, now, None if one.before is None else one.taken_back(now or b"")))
    if others:
        problem = f"Changed since, so that the edits cannot be undone: {', '.join(others)}."
        raise EditConflict(problem, "Undo them by hand.")
    return tuple(changes)


def _forth(disk: Disk, change: FileChange) -> FileRewrite:
    before, after = digest_if_there(change.before), digest_if_there(change.after)
    return FileRewrite(disk, change.path, before, after, _always(change.after or b""), _always(change.before or b""))


def _of_record(disk: Disk, one: EditedFile) -> FileRewrite:
    """A rewrite that can only be put back: the journal does not hold the text afterwards."""
    return FileRewrite(disk, one.path, one.before, one.after, _always(b""), one.taken_back)


def _always(data: bytes) -> Callable[[bytes], bytes]:
    return lambda _: data


def _remove_made(record: EditRecord, disk: Disk) -> None:
    for folder in reversed(record.made):
        disk.remove_empty(folder)
