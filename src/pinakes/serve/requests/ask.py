"""What can be asked of a language model in a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pinakes.context.modes import ContextMode
from pinakes.library.workspace import LONGEST_QUESTION
from pinakes.serve.requests.parameters import BadParameter, Doors, Request, row
from pinakes.serve.requests.rows import CLI


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest(Request):
    """A question for a language model, over the map and the selected files."""

    doors: ClassVar[Doors] = CLI
    question: str = row("What to ask.", longest=LONGEST_QUESTION)
    mode: ContextMode | None = row(
        "Over documents or over source code. Default: as in the session that goes on, else docs.", default=None
    )
    select: tuple[str, ...] = row("A file that the model sees in full.", default=())
    review: str = row(
        "The model sees these changes: HEAD for what is not committed, main..HEAD for a range of commits.", longest=500
    )
    apply: bool = row("Write the changes that the answer proposes, without asking.", default=False)
    dry_run: bool = row("Only show the changes that the answer proposes.", default=False)
    session: str = row("Go on with the session of this id.", longest=100)
    model: str = row("Ask this model. Default: as configured.", longest=200)
    sessions: bool = row("List the earlier sessions; with a question, those in which its words occur.", default=False)
    undo: bool = row("Take the last changes back.", default=False)

    def check(self) -> None:
        if self.apply and self.dry_run:
            raise BadParameter("--apply and --dry-run exclude each other.", "Give one of them.")
        if self.undo and (self.question or self.sessions):
            raise BadParameter("--undo takes back the last changes, and asks nothing.", "Give it alone.")
        if not (self.question.strip() or self.undo or self.sessions):
            raise BadParameter("There is no question.", 'Give it: pinakes ask "What is missing here?"')
