"""The table of what may be asked to get another name: documents, folders and headings. Only the command line asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pinakes.access import TokenScope
from pinakes.serve.requests.parameters import Doors, Parameter, Request, row
from pinakes.serve.requests.rows import CLI

ApplyFlag = Annotated[bool, Parameter("Write the changes; without it they are only shown.", doors=CLI)]
ForceFlag = Annotated[bool, Parameter("Also change files whose last changes git has not committed.", doors=CLI)]
UndoFlag = Annotated[bool, Parameter("Take the last move or rename back.", doors=CLI)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRequest(Request):
    """A document, file or folder gets another path."""

    doors: ClassVar[Doors] = CLI
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    source: str = row("A document, file or folder.", default="")
    target: str = row("Its new path, or the folder to move it into.", default="")
    apply: ApplyFlag = False
    force: ForceFlag = False
    undo: UndoFlag = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameRequest(Request):
    """A heading gets other words, or a document or folder another name where it is."""

    doors: ClassVar[Doors] = CLI
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    address: str = row("path#anchor of a heading, or a document or folder.", default="")
    name: str = row("The new heading or name.", default="")
    apply: ApplyFlag = False
    force: ForceFlag = False
    undo: UndoFlag = False
