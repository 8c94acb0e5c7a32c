"""What can be asked about the index itself: its state, its files, and that it be published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pinakes.access import TokenScope
from pinakes.serve.requests.parameters import Doors, Request, row
from pinakes.serve.requests.rows import CLI, HTTP, MCP, budget


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRequest(Request):
    """What is indexed, what failed and why; of files, why each of them is or is not indexed."""

    doors: ClassVar[Doors] = CLI | MCP
    path: tuple[str, ...] = row(
        "Why these files are or are not indexed.",
        "why indexed or not",
        default=(),
        longest=10_000,
        entries=100_000,
    )
    files: bool = row("List every file with its state and the reason for it.", default=False)
    budget: Annotated[int, budget(2000)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesRequest(Request):
    """Each file's state and the reason for it: of those named, or of all."""

    doors: ClassVar[Doors] = HTTP
    path: tuple[str, ...] = row("Only these files.", default=(), shortest=1, entries=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRequest(Request):
    """The folder, below the root, that the library is published into."""

    doors: ClassVar[Doors] = MCP
    needs: ClassVar[TokenScope] = TokenScope.ADMIN
    out: str = row("A folder below the root.")
