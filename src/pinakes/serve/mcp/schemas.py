"""The tools as clients see them: name, description, schemas of what goes in and comes out, hints. Plain data.

What goes in is the table of requests, in its brief words: a model reads all of it before its first question, so every
word costs, and the whole list stays below 2,500 tokens. Output schemas name what one can rely on; answers hold more
(see docs/mcp.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.serve.requests.notes import (
    AddDocument,
    DropDocuments,
    ListDocuments,
    OneMemory,
    RecallRequest,
    Remember,
)
from pinakes.serve.requests.parameters import Doors, Request, object_schema
from pinakes.serve.requests.questions import (
    CheckRequest,
    HistoryRequest,
    LinksRequest,
    MapView,
    PublishRequest,
    ReadRequest,
    SearchRequest,
    StatusRequest,
)

Schema = dict[str, object]


REQUESTS: Mapping[str, type[Request]] = {
    "map": MapView,
    "search": SearchRequest,
    "read": ReadRequest,
    "links": LinksRequest,
    "history": HistoryRequest,
    "remember": Remember,
    "recall": RecallRequest,
    "status": StatusRequest,
    "check": CheckRequest,
    "add": AddDocument,
    "drop": DropDocuments,
    "list": ListDocuments,
    "forget": OneMemory,
    "publish": PublishRequest,
}
"""What each tool takes."""


def _gives(*names: str, **lists: Sequence[str]) -> Schema:
    """An object that has these; `lists` are lists of objects that have those. What the names mean, they say."""
    made: Schema = {"type": "object", "required": [*names, *lists]}
    held = {name: {"type": "array", "items": {"required": list(inside)}} for name, inside in lists.items() if inside}
    return {**made, "properties": held} if held else made


_HIT = ("ref", "path", "lines", "title", "text")

OUTPUTS: Mapping[str, Schema] = {
    "map": _gives("text", "hash", "tokens"),
    "search": _gives("missing", "unknown", "abstained", "nearest", hits=(*_HIT, "score")),
    "read": _gives(*_HIT, "digest"),
    "links": _gives("ref", "outgoing", "incoming"),
    "history": _gives("hits", "missing", "unknown", "abstained", "nearest"),
    "remember": _gives("id", "ref", "title", "links", "marks"),
    "recall": _gives("hidden", "abstained", found=("memory", "passage")),
    "status": _gives("root", "generation", "counts", "embedder", "keywords"),
    "check": _gives("findings"),
    "add": _gives("ref", "document", "became"),
    "drop": _gives("dropped"),
    "list": _gives("documents"),
    "forget": _gives("id", "title"),
    "publish": _gives("folder", "written", "kept"),
}

DESCRIPTIONS: Mapping[str, str] = {
    "map": "Outline of all documents within budget: headings, sizes, keywords, links. Call it first.",
    "search": "Passages that answer a question, best first, verbatim with their addresses.",
    "read": "A document, section or lines, verbatim. Says where to go on when cut.",
    "links": "What a document or section points at and what points at it.",
    "history": "Git commits that answer a question, or the newest.",
    "remember": "Keep a note for later sessions.",
    "recall": "Notes that answer a question, marked where what they are about has changed.",
    "status": "What is indexed, what failed and why.",
    "check": "Broken links and anchors, orphans, contradictions, drift.",
    "add": "Keep and index a document from elsewhere; the same source replaces.",
    "drop": "Remove an added document.",
    "list": "Added documents.",
    "forget": "Move a note to the trash.",
    "publish": "Write all as static files below the root.",
}

_FEW = ("map", "search", "read", "links", "history", "remember", "recall", "status")
_MORE = ("check", "add", "drop", "list", "forget", "publish")
PRESETS: Mapping[str, tuple[str, ...]] = {"few": _FEW, "full": (*_FEW, *_MORE)}


def _hints(*, destroys: bool = False, repeats: bool = False, abroad: bool = False) -> Schema:
    """What a client may tell its user before a call of a tool that writes; that it cannot be repeated goes without
    saying."""
    repeated = {"idempotentHint": True} if repeats else {}
    return {"readOnlyHint": False, "destructiveHint": destroys, **repeated, "openWorldHint": abroad}


_READS: Schema = {"readOnlyHint": True, "openWorldHint": False}
"""Destroying and repeating mean nothing for these."""
_WRITES: Mapping[str, Schema] = {
    "remember": _hints(),
    "add": _hints(destroys=True, repeats=True, abroad=True),
    "drop": _hints(destroys=True),
    "forget": _hints(destroys=True),
    "publish": _hints(repeats=True),
}


def listed(preset: str, libraries: Sequence[str]) -> list[Schema]:
    """The tools of a preset in the protocol's shape; `library` is an argument only where there are several."""
    return [
        {
            "name": name,
            "description": DESCRIPTIONS[name],
            "inputSchema": input_schema(name, libraries),
            "outputSchema": OUTPUTS[name],
            "annotations": _WRITES.get(name, _READS),
        }
        for name in PRESETS[preset]
    ]


def input_schema(name: str, libraries: Sequence[str]) -> Schema:
    """What a tool takes."""
    schema: Schema = {**object_schema(REQUESTS[name], Doors.MCP)}
    if len(libraries) < 2:
        return schema
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return {**schema, "properties": {**properties, "library": {"enum": list(libraries)}}}
