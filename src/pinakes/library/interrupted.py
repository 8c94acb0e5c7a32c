"""What a move or edits left that were killed: looked for before every question, so that nothing is loaded for it where
there is none."""

from __future__ import annotations

from pathlib import Path

from pinakes.errors import BadEdit, StoreError
from pinakes.own_folder import OwnFolder

EDITS = "edits"
"""Folder inside the store for the journal of edits."""


def recovered_edits(root: Path, store: OwnFolder) -> str:
    """Put right what edits left that were killed; a sentence when there were some, also when that is not possible."""
    try:
        folder = store.folder(EDITS)
        if not folder.exists():
            return ""
        from pinakes.edits import EditJournal, recover_edits

        left = recover_edits(root, EditJournal(folder))
    except BadEdit as error:
        return str(error)
    except (StoreError, OSError):
        return ""  # whoever opens the index is told
    if left is None:
        return ""
    but = f", but for those in {', '.join(left[:5])}, changed since" if left else ""
    return f"Edits were interrupted; they were taken back{but}."


def recovered_move(root: Path) -> tuple[str, ...] | None:
    """Undo what a move left that was killed; see `moves.apply.recover`."""
    from pinakes.moves.journal import Journal

    journal = Journal(root)
    entry = journal.read()
    if entry is None or entry.is_done:
        return None
    from pinakes.moves.apply import recover

    return recover(journal)
