"""The corpora of a root, and what a move or edits left that were killed: what every part of a library stands on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pinakes.config import Config
from pinakes.errors import PinakesError
from pinakes.library.addresses import no_corpus
from pinakes.library.corpora import corpora, store_folder
from pinakes.library.corpus import Corpus
from pinakes.library.interrupted import recovered_edits, recovered_move
from pinakes.records import CODE, DOCS, MEMORIES, CorpusName

if TYPE_CHECKING:
    from pinakes.library.memories import Memories
    from pinakes.library.moving import Moving
    from pinakes.records import Ref
    from pinakes.records.moves import MovePlan, MoveResult


class LibraryCorpora:
    """The corpora of a root."""

    def __init__(self, root: Path, config: Config, known: Mapping[CorpusName, Corpus] | None = None) -> None:
        """`known` are the corpora, where they are not those of the files on disk."""
        self.root = root
        self.config = config
        self._corpora = known or corpora(root, config)
        self._docs = self._corpora[DOCS]

    @property
    def corpora(self) -> tuple[CorpusName, ...]:
        """The names of all corpora, the documents of the root first."""
        return tuple(self._corpora)

    def corpus(self, corpus: CorpusName = DOCS) -> Corpus:
        """One corpus with its index; raises `NotFound` with the names there are."""
        if corpus not in self._corpora:
            raise no_corpus(corpus, self._corpora)
        return self._corpora[corpus]

    def _to_sync(self, names: Iterable[CorpusName], paths: Collection[str] | None) -> list[Corpus]:
        """The corpora that are named, else all that are live. Paths count from the root, so that without names they are
        looked for among its documents and its source code."""
        named = [self.corpus(name) for name in names]
        live = (one for name, one in self._corpora.items() if one.is_live and (paths is None or name in (DOCS, CODE)))
        return named or list(live)

    @cached_property
    def memories(self) -> Memories:
        """What people and agents wrote down about this library."""
        from pinakes.library.memories import Memories

        return Memories(self.root, self.config, self._docs, self._corpora[MEMORIES])

    @cached_property
    def _moving(self) -> Moving:
        from pinakes.library.moving import Moving

        return Moving(self)

    def plan_move(self, source: str, target: str) -> MovePlan:
        """What moving a document, file or folder to another path would change. A `target` that is a folder, or ends
        with a slash, is the folder to move into. Raises `NotFound` and `BadMove`."""
        return self._moving.plan_move(source, target)

    def plan_rename(self, address: str, name: str) -> MovePlan:
        """What another heading (for ``path#anchor``) or another name in the same folder would change. A name without an
        ending keeps that of the document. Raises `NotFound` and `BadMove`."""
        return self._moving.plan_rename(address, name)

    def apply(self, plan: MovePlan, *, force: bool = False) -> MoveResult:
        """Carry a plan out, all of it or nothing; raises `BadMove`. Files with changes that git has not committed are
        refused, unless `force` is given."""
        return self._moving.apply(plan, force=force)

    def undo_move(self) -> MoveResult:
        """Take the last move or rename back, byte for byte; raises `NotFound` when there is none and `BadMove` when one
        of its files has been changed since."""
        return self._moving.undo()

    def diff(self, plan: MovePlan) -> str:
        """A plan as a unified diff; raises `BadMove` when a file has been changed since it was made."""
        return self._moving.diff(plan)

    def files_of(self, plan: MovePlan) -> Mapping[Ref, bytes]:
        """The files that a plan edits, as they are now; raises `BadMove` when one has been changed since."""
        return self._moving.files_of(plan)

    def recover_files(self) -> str:
        """Undo what a move, or edits, left that were killed; a sentence when there were some, also when that is not
        possible now."""
        edits = recovered_edits(self.root, store_folder(self.config))
        try:
            left = self.recover_moves()
        except PinakesError as error:
            may_read = not isinstance(error.__cause__, PermissionError)  # whoever may not, has moved nothing
            return f"{edits} {error if may_read else ''}".strip()
        if left is None:
            return edits
        but = f", but for the links in {', '.join(left[:5])}, changed since" if left else ""
        return f"{edits} A move was interrupted; it was taken back{but}.".strip()

    def recover_moves(self) -> tuple[str, ...] | None:
        """Undo what a move left that was killed. Returns the files that were changed since, and stay as they are; None
        where there was no such move. Raises `BadMove` when that is not possible."""
        left = recovered_move(self.root)
        for one in self._corpora.values() if left is not None else ():
            one.outdate()
        return left
