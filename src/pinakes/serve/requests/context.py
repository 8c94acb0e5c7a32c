"""What can be asked for by whoever works with a language model: a context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from pinakes.context.modes import ContextMode
from pinakes.library.context import ContextTrackers, LibraryContext
from pinakes.library.library import Library
from pinakes.records.conversation import ModelPrompt
from pinakes.serve.requests.parameters import Doors, Request, row
from pinakes.serve.requests.rows import CLI, HTTP, MCP, NOT_PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest(Request):
    """The prompt for a language model: a map and the selected files, in the order in which a cache keeps them."""

    doors: ClassVar[Doors] = NOT_PAGE
    mode: ContextMode = row("Over documents or over source code.", default=ContextMode.DOCS)
    select: tuple[str, ...] = row("A file that stands in the prompt in full.", "files in full", default=())
    budget: int = row(
        "At most this many tokens for the map; 0 for as configured (8000).",
        default=0,
        least=0,
        at_doors={MCP: 8000},
        aliases=("max_tokens", "budget_tokens"),
    )
    question: str = row("What is asked, at the end of the prompt.", doors=CLI | HTTP)
    explain: bool = row("List the blocks with their tiers and tokens instead.", default=False)

    def run(self, library: Library) -> LibraryContext:
        """The context of a first request: nothing is remembered between two calls."""
        return ContextTrackers(library).update(self.mode, self.select, self.budget, (), self.question)

    def answer(self, library: Library) -> LibraryContext:
        """The context as data; where the blocks are asked for, without their texts."""
        found = self.run(library)
        return replace(found, prompt=ModelPrompt(())) if self.explain else found
