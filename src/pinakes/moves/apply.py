"""Carry a plan out: all of it or nothing, and take it back.

A plan and the folders of its corpora enter. First everything is looked at: files have the content that the plan was
made for, nothing is in the way. Then the journal is written, then every new text beside its file; only when all of them
are on disk do they take their places, and files move last. An error on the way puts everything back at once; after a
kill, `recover` does.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from pinakes.errors import BadMove, NotFound, PinakesError, StoreBusy
from pinakes.file_changes import Disk, FileRewrite, digest_of, rewrite_all, undo_rewrites
from pinakes.moves.journal import Journal, JournalEntry
from pinakes.records import CorpusName, Ref
from pinakes.records.moves import FileEdits, FileMove, MovePlan

_AGAIN = "Run the command again: it looks at the files as they are now."


def apply(plan: MovePlan, roots: Mapping[CorpusName, Path], journal: Journal) -> None:
    """Write everything that a plan says; raises `BadMove`, and `OSError` for a disk that fails, when all is as it
    was."""
    with journal.locked():
        put_back(journal)
        disks = {name: Disk(root, BadMove) for name, root in roots.items()}
        entry = _examined(plan, disks)
        journal.write(entry)
        try:
            _carry_out(entry, disks)
            journal.write(replace(entry, is_done=True))
        except BaseException:
            put_back(journal)
            raise


def undo(roots: Mapping[CorpusName, Path], journal: Journal) -> MovePlan:
    """Take the last move back and say what was changed; raises `NotFound` when there is none, `BadMove` when a file has
    been changed since."""
    with journal.locked():
        put_back(journal)
        entry = journal.read()
        if entry is None:
            raise NotFound("There is no move to undo.", "pinakes log shows what was written.")
        if entry.roots != {name: Disk(roots[name], BadMove).root for name in entry.roots if name in roots}:
            raise BadMove("The folders of this library are not those of its last move.", "Undo it by hand.")
        back = turned_around(entry)
        disks = {name: Disk(Path(root), BadMove) for name, root in entry.roots.items()}
        undoing = replace(_examined(back, disks), undoes=entry)
        journal.write(undoing)
        try:
            _carry_out(undoing, disks)
            _remove_made(entry, disks)
            journal.clear()
        except BaseException:
            put_back(journal)
            raise
        return back


def put_back(journal: Journal) -> tuple[str, ...] | None:
    """Undo what a move left that was killed. Returns the files that somebody changed meanwhile, which stay as they are;
    None where there was no such move. The lock must be held."""
    entry = journal.read()
    if entry is None or entry.is_done:
        return None
    disks = {name: Disk(Path(root), BadMove) for name, root in entry.roots.items()}
    for one in reversed(entry.plan.moves):
        disks[one.old.corpus].move_back(one.old.path, one.new.path)
    left = undo_rewrites(_rewrites(entry, disks), entry.token)
    _remove_made(entry, disks)
    if entry.undoes is not None:
        journal.write(entry.undoes)
    else:
        journal.clear()
    return tuple(left)


def recover(journal: Journal) -> tuple[str, ...] | None:
    """As `put_back`, unless a move is under way right now. Raises `BadMove` where that is not possible."""
    entry = journal.read()
    if entry is None or entry.is_done:
        return None
    try:
        with journal.locked(wait_s=0.0):
            return put_back(journal)
    except StoreBusy:
        return None
    except (PinakesError, OSError) as error:
        raise BadMove(f"A move was interrupted and could not be taken back: {error}") from error


def turned_around(entry: JournalEntry) -> MovePlan:
    """The plan that leads back."""
    plan = entry.plan
    moves = tuple(FileMove(one.new, one.old, one.is_folder) for one in reversed(plan.moves))
    files = tuple(path_after(one, plan.moves).turned_around(entry.after[str(one.ref)]) for one in plan.files)
    carried = tuple(path_after(one, plan.moves) for one in plan.carried)
    return MovePlan(plan.new, plan.old, files, moves, carried=carried)


def path_after(one: FileEdits, moves: tuple[FileMove, ...]) -> FileEdits:
    """The file under the path it has once everything moved."""
    path = one.ref.path
    for moved in moves:
        if moved.old.corpus == one.ref.corpus:
            if path == moved.old.path:
                path = moved.new.path
            elif moved.is_folder and path.startswith(f"{moved.old.path}/"):
                path = moved.new.path + path[len(moved.old.path) :]
    return replace(one, ref=Ref(one.ref.corpus, path))


def _examined(plan: MovePlan, disks: Mapping[CorpusName, Disk]) -> JournalEntry:
    """Everything that is needed to carry a plan out; raises `BadMove` where something is not as the plan expects."""
    after = {}
    for edited in (*plan.files, *plan.carried):
        disk, path = disks[edited.ref.corpus], edited.ref.path
        data = disk.read(path)
        if digest_of(data) != edited.digest:
            raise BadMove(f"{path} has been changed since.", _AGAIN)
        if not edited.finds_old_texts(data):
            raise BadMove(f"The plan was not made for {path}: other text stands where it is to be changed.", _AGAIN)
        disk.refuse_unwritable(path)
        if edited.edits:
            after[str(edited.ref)] = digest_of(edited.applied_to(data))
    made: dict[tuple[str, str], None] = {}
    for one in plan.moves:
        disk = disks[one.old.corpus]
        if disk.facts(one.old.path) is None:
            raise BadMove(f"{one.old.path} is no longer there.", _AGAIN)
        if disk.facts(one.new.path) is not None and not disk.is_same_name(one.old.path, one.new.path):
            raise BadMove(f"{one.new.path} exists already.", "Choose another name, or move that away first.")
        disk.refuse_unwritable(one.old.path)
        made.update({(one.new.corpus, folder): None for folder in disk.missing_folders(one.new.path)})
    roots = {name: disk.root for name, disk in disks.items()}
    return JournalEntry(plan, roots, secrets.token_hex(8), tuple(made), after)


def _carry_out(entry: JournalEntry, disks: Mapping[CorpusName, Disk]) -> None:
    rewrite_all(_rewrites(entry, disks), entry.token)
    for corpus, folder in entry.made:
        disks[corpus].make_folder(folder)
    for one in entry.plan.moves:
        disks[one.old.corpus].move(one.old.path, one.new.path)


def _rewrites(entry: JournalEntry, disks: Mapping[CorpusName, Disk]) -> list[FileRewrite]:
    found = []
    for one in entry.plan.files:
        after = entry.after[str(one.ref)]
        disk, back = disks[one.ref.corpus], one.turned_around(after)
        found.append(FileRewrite(disk, one.ref.path, one.digest, after, one.applied_to, back.applied_to))
    return found


def _remove_made(entry: JournalEntry, disks: Mapping[CorpusName, Disk]) -> None:
    for corpus, folder in reversed(entry.made):
        disks[corpus].remove_empty(folder)
