"""How the files of a library are changed from outside: by the blocks of an answer, or by an editor.

    editing = Editing(library)
    plan = editing.plan(answer)
    editing.apply(plan)
    editing.undo()

What was written is compared with the index at once, whatever its size and time say.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pinakes.config import Config
from pinakes.edits import (
    EditJournal,
    apply_edits,
    blocks_of,
    can_undo,
    plan_edits,
    recover_edits,
    undo_edits,
    unified,
)
from pinakes.edits.match import with_line_ends_of
from pinakes.edits.paths import new_path_fault, path_fault
from pinakes.edits.plan import LARGEST_FILE, bytes_of, text_of
from pinakes.errors import BadEdit, EditConflict, NotFound, PinakesError, StoreError
from pinakes.file_changes import Disk, digest_if_there, digest_of
from pinakes.library.corpora import store_folder
from pinakes.library.interrupted import EDITS
from pinakes.records import CODE, DOCS
from pinakes.records.edits import EditBlock, EditPlan, FileChange, FileText
from pinakes.sources import FolderSource
from pinakes.write_log import logged

if TYPE_CHECKING:
    from pinakes.library.library import Library

_WAIT_S = 30.0
_RELOAD = "Load it again, and make your changes there."


class Editing:
    """The files of a library, for those who change them."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._disk = Disk(library.root, BadEdit)
        self._journal = edit_journal(library.config)

    @property
    def root(self) -> Path:
        return self._library.root

    @property
    def can_undo(self) -> bool:
        """Whether there are edits to take back; a file that was changed since may still prevent it."""
        with suppress(StoreError):  # whoever opens the index is told
            return can_undo(self.root, self._journal)
        return False

    def plan(self, edits: str | Iterable[EditBlock]) -> EditPlan:
        """What an answer, or the blocks of one, would change, and which blocks are refused; nothing is written."""
        self._recover()
        blocks = blocks_of(edits) if isinstance(edits, str) else edits
        return plan_edits(self.root, blocks, self._why_not)

    def diff(self, plan: EditPlan) -> str:
        """A plan as a unified diff."""
        return unified(plan)

    def apply(self, plan: EditPlan) -> tuple[str, ...]:
        """Write a plan, all of it or nothing, and return the paths of the files; raises `BadEdit`."""
        return self._seen(self._applied(plan))

    def undo(self) -> tuple[str, ...]:
        """Take the last edits back, byte for byte, and return the paths of the files; raises `NotFound` when there are
        none, and `BadEdit` when a file has been changed since."""
        return self._seen(self._undone())

    def open(self, path: str) -> FileText:
        """A file to be edited; raises `NotFound` and `BadEdit`."""
        data = self._read(path)
        if data is None:
            raise NotFound(f"There is no file {path}.", "pinakes status --files lists all files.")
        text = text_of(path, data).removeprefix("\ufeff").replace("\r\n", "\n")
        return FileText(path, text, digest_of(data))

    def save(self, path: str, text: str, digest: str) -> str:
        """Put a text into a file and return its new digest. `digest` is that of the file when it was opened, and empty
        for a new one. Line ends and a byte order mark stay as they are in the file. Raises `BadEdit`, also when the
        file has been changed meanwhile."""
        before = self._read(path)
        if before is None and (fault := new_path_fault(path)):
            raise BadEdit(f"No file is made at “{path}”: it {fault}.", "Choose another name.")
        if (digest_if_there(before) or "") != digest:
            if not digest:
                raise EditConflict(f"{path} exists already.", "Open it, or choose another name.")
            raise EditConflict(f"{path} has been changed meanwhile.", _RELOAD)
        old = text_of(path, before) if before is not None else ""
        after = bytes_of(path, with_line_ends_of(text, old) if before is not None else text)
        if after != before:
            self._seen(self._saved(EditPlan((FileChange(path, before, after),))))
        return digest_of(after)

    @logged("edit")
    def _applied(self, plan: EditPlan) -> EditPlan:
        for change in plan.changes:
            self._refuse(change.path)
        apply_edits(self.root, plan, self._journal)
        return plan

    @logged("undo")
    def _undone(self) -> EditPlan:
        return undo_edits(self.root, self._journal)

    @logged("save")
    def _saved(self, plan: EditPlan) -> EditPlan:
        apply_edits(self.root, plan, self._journal)
        return plan

    def _seen(self, plan: EditPlan) -> tuple[str, ...]:
        """Have the index read what was written, and say which files that are."""
        paths = tuple(change.path for change in plan.changes)
        known = [self._library.corpus(name) for name in (DOCS, CODE) if name in self._library.corpora]
        for corpus in known if paths else ():
            report = None
            with suppress(PinakesError, OSError):  # the files are written; whoever asks the index is told
                if not corpus.is_indexed:
                    continue  # an edit is no reason to make one
                report = corpus.refresh(paths, verify=True, wait_s=_WAIT_S, keywords_s=0.0).report
            if report is None:
                corpus.outdate()
        return paths

    def _recover(self) -> None:
        """Look at no file that killed edits left half done; raises `BadEdit` and `StoreError`."""
        if recover_edits(self.root, self._journal) is not None:
            for name in self._library.corpora:
                if self._library.corpus(name).is_indexed:
                    self._library.corpus(name).outdate()

    def _read(self, path: str) -> bytes | None:
        """The bytes of a file that may be changed; None where there is none."""
        self._refuse(path)
        self._recover()
        try:
            return None if self._disk.facts(path) is None else self._disk.read(path, LARGEST_FILE)
        except OSError as error:
            raise BadEdit(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error

    def _refuse(self, path: str) -> None:
        if fault := path_fault(path):
            raise BadEdit(f"The path “{path}” {fault}.", "Name a file of the repository from its root.")
        if reason := self._why_not(path):
            raise BadEdit(f"{path} is not to be changed: {reason}.", "Choose another file.")

    def _why_not(self, path: str) -> str:
        """Why a file is none to be changed: it is ignored or hidden."""
        source = self._library.corpus(DOCS).source
        assert isinstance(source, FolderSource)
        return source.why_ignored(path)


def edit_journal(config: Config) -> EditJournal:
    """The journal of edits of a library."""
    return EditJournal(store_folder(config).folder(EDITS))
