"""The table of tools as clients see them: what each takes, what it does, what comes out, hints.

What goes in is the table of requests, in its brief words: a model reads all of it before its first question, so every
word costs, and the whole list stays below 3,000 tokens. Output schemas name what a structured copy always has; it holds
more (see docs/mcp.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from pinakes.library import Library
from pinakes.serve.mcp import notes, questions
from pinakes.serve.mcp.answers import Draft, ToolAnswer, fit
from pinakes.serve.pool import Lane
from pinakes.serve.requests import context as context_requests
from pinakes.serve.requests import notes as note_requests
from pinakes.serve.requests import questions as question_requests
from pinakes.serve.requests import status as status_requests
from pinakes.serve.requests.parameters import Doors, Request, object_schema
from pinakes.serve.requests.revision import asked_library

Schema = dict[str, object]


def _gives(*names: str, **lists: Sequence[str]) -> Schema:
    """An object that has these; `lists` are lists of objects that have those. What the names mean, they say."""
    required: Schema = {"type": "object", "required": [*names, *lists]}
    inner = {name: {"type": "array", "items": {"required": list(inside)}} for name, inside in lists.items() if inside}
    return {**required, "properties": inner} if inner else required


def _writes(*, destroys: bool = False, repeats: bool = False, abroad: bool = False) -> Schema:
    """What a client may tell its user before a call of a tool that writes; that it cannot be repeated goes without
    saying."""
    repeated = {"idempotentHint": True} if repeats else {}
    return {"readOnlyHint": False, "destructiveHint": destroys, **repeated, "openWorldHint": abroad}


_READS: Schema = {"readOnlyHint": True, "openWorldHint": False}
"""Destroying and repeating mean nothing for these."""
_HIT = ("ref", "path", "lines", "title", "text")


class Tool(Struct, frozen=True):
    """One row of the table."""

    request: type[Request]
    """What it takes."""
    call: Callable[[Library, Any], Draft]
    """A library and the request enter; it blocks and runs in a thread."""
    about: str
    output: Schema
    hints: Mapping[str, object] = field(default_factory=lambda: _READS)
    needs_index: bool = True
    """Whether the first index of the documents is waited for."""
    lane: Lane = Lane.QUICK

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return bool(self.hints["readOnlyHint"])


class ToolCall(Struct, frozen=True):
    """A tool with what it is asked; its methods block and run in a thread."""

    tool: Tool
    request: Request
    is_structured: bool
    """Whether the answer is sent as data, too."""

    def draft(self, library: Library) -> Draft:
        """What a library answers, before it is cut. What is sent twice has half the room."""
        with asked_library(library, self.request) as asked:
            return self._draft(asked)

    def fit(self, draft: Draft, notes: Sequence[str]) -> ToolAnswer:
        """A draft within the budget of the request."""
        return fit(draft, self._budget, notes, is_structured=self.is_structured)

    def answer(self, library: Library, notes: Sequence[str]) -> ToolAnswer:
        """What a library answers."""
        with asked_library(library, self.request) as asked:
            return self.fit(self._draft(asked), notes)

    def _draft(self, library: Library) -> Draft:
        halved: dict[str, Any] = {"budget": max(self._budget // 2, 1)} if self.is_structured and self._budget else {}
        return self.tool.call(library, self.request.changed(**halved))

    @property
    def _budget(self) -> int:
        return getattr(self.request, "budget", 0) or 0


TOOLS: Mapping[str, Tool] = {
    "map": Tool(
        question_requests.MapView,
        questions.map,
        "Outline: headings, sizes, keywords, links. Call it first.",
        _gives("text", "hash", "tokens", "components"),
    ),
    "search": Tool(
        question_requests.SearchRequest,
        questions.search,
        "Passages that answer a question, with addresses.",
        _gives("missing", "unknown", "corrections", "abstained", "nearest", "doubt", hits=(*_HIT, "score")),
    ),
    "read": Tool(
        question_requests.ReadRequest,
        questions.read,
        "A document, section or lines, verbatim.",
        _gives(*_HIT, "digest"),
    ),
    "links": Tool(
        question_requests.LinksRequest,
        questions.links,
        "Links from and to a document or section.",
        _gives("ref", "outgoing", "incoming"),
    ),
    "history": Tool(
        question_requests.HistoryRequest,
        questions.history,
        "Git commits that answer a question, or the newest.",
        _gives("hits", "missing", "unknown", "corrections", "abstained", "nearest", "doubt"),
    ),
    "remember": Tool(
        note_requests.Remember,
        notes.remember,
        "Keep a note.",
        _gives("id", "ref", "title", "links", "marks"),
        _writes(),
        needs_index=False,
    ),
    "recall": Tool(
        note_requests.RecallRequest,
        notes.recall,
        "Notes that answer a question; doubts are marked.",
        _gives("hidden", "abstained", "doubt", found=("memory", "passage")),
    ),
    "status": Tool(
        status_requests.StatusRequest,
        questions.status,
        "What is indexed, what failed.",
        _gives(),
    ),
    "check": Tool(
        question_requests.CheckRequest,
        questions.check,
        "Broken links, orphans, contradictions, drift.",
        _gives("findings"),
    ),
    "context": Tool(
        context_requests.ContextRequest,
        questions.context,
        "A prompt: map and selected files.",
        _gives("mode", "tokens", "cached_tokens", "cache_target", "prompt", blocks=("key", "tier", "number", "tokens")),
        lane=Lane.SLOW,
    ),
    "add": Tool(
        note_requests.AddDocument,
        notes.add,
        "Keep a document from elsewhere; the same source replaces.",
        _gives("ref", "document", "became"),
        _writes(destroys=True, repeats=True, abroad=True),
        needs_index=False,
        lane=Lane.NETWORK,
    ),
    "drop": Tool(
        note_requests.DropDocuments,
        notes.drop,
        "Remove an added document.",
        _gives("dropped"),
        _writes(destroys=True),
        needs_index=False,
    ),
    "list": Tool(note_requests.ListDocuments, notes.listed, "Added documents.", _gives("documents"), needs_index=False),
    "forget": Tool(
        note_requests.OneMemory,
        notes.forget,
        "Trash a note.",
        _gives("id", "title"),
        _writes(destroys=True),
        needs_index=False,
    ),
    "publish": Tool(
        status_requests.PublishRequest,
        notes.publish,
        "Write static files below the root.",
        _gives("folder", "written", "kept"),
        _writes(repeats=True),
    ),
}
MOST_NAMED = 40
"""Libraries whose names every tool lists; a model would pay for more with each of them."""
PRESETS: Mapping[str, tuple[str, ...]] = {"few": tuple(TOOLS)[:8], "full": tuple(TOOLS)}
"""The table begins with those that are always offered."""


def listed(preset: str, libraries: Sequence[str], *, is_structured: bool = False) -> list[Schema]:
    """The tools of a preset in the protocol's shape; `library` is an argument only where there are several. A tool that
    has an output schema must send structured content, so it has one only where that is wanted, and where one library
    answers alone."""
    return [
        {
            "name": name,
            "description": TOOLS[name].about,
            "inputSchema": input_schema(name, libraries),
            **({"outputSchema": TOOLS[name].output} if is_structured and len(libraries) < 2 else {}),
            "annotations": TOOLS[name].hints,
        }
        for name in PRESETS[preset]
    ]


def input_schema(name: str, libraries: Sequence[str]) -> Schema:
    """What a tool takes."""
    schema: Schema = {**object_schema(TOOLS[name].request, Doors.MCP)}
    if len(libraries) < 2:
        return schema
    properties = schema["properties"]
    assert isinstance(properties, dict)
    usual = {"description": "default all"} if TOOLS[name].reads else {"default": libraries[0]}
    names: Schema = {"enum": list(libraries)} if len(libraries) <= MOST_NAMED else {"type": "string"}
    return {**schema, "properties": {**properties, "library": {**names, **usual}}}
