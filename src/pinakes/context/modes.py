"""The two modes of work: over source code, or over documents."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import files

from pinakes.context.snippets import SnippetList, load_snippets
from pinakes.records import CODE, DOCS, CorpusName


class ContextMode(StrEnum):
    """What a conversation is about."""

    CODE = "code"
    DOCS = "docs"

    @property
    def corpus(self) -> CorpusName:
        """The corpus whose map stands in the context."""
        return CODE if self is ContextMode.CODE else DOCS

    @property
    def system_prompt(self) -> str:
        """What a model is told about its task, the map's signs and how to write changes."""
        name = "system.md" if self is ContextMode.CODE else "system_doc.md"
        return files("pinakes.context").joinpath("prompts", name).read_text(encoding="utf-8").strip()

    @property
    def snippets(self) -> SnippetList:
        """What a person can ask by a click, read anew each time: from the user's own file, else from the package."""
        return load_snippets("snippets.json" if self is ContextMode.CODE else "doc-snippets.json")
