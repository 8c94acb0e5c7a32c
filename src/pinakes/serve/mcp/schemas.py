"""The tools as clients see them: name, description, schemas of what goes in and comes out, hints. Plain data.

Written by hand and not derived from signatures: a model reads all of it before its first question, so every word
costs, and the whole list stays below 2,500 tokens. Output schemas name what one can rely on; answers hold more (see
docs/mcp.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.records import Kind
from pinakes.records.memory import MemoryType

Schema = dict[str, object]

MOST_TOKENS = 100_000

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
_LIMIT: Schema = {"type": "integer", "maximum": 100}


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _texts(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _tokens(default: int) -> Schema:
    return {"type": "integer", "default": default}


def _chosen(choices: Sequence[str], default: str = "") -> Schema:
    made: Schema = {"enum": list(choices)}
    return {**made, "default": default} if default else made


def _takes(properties: Mapping[str, Schema], *required: str) -> Schema:
    made: Schema = {"type": "object", "properties": dict(properties)}  # what else is sent is refused with a sentence
    return {**made, "required": list(required)} if required else made


def _gives(*names: str, **lists: Sequence[str]) -> Schema:
    """An object that has these; `lists` are lists of objects that have those. What the names mean, they say."""
    made: Schema = {"type": "object", "required": [*names, *lists]}
    held = {name: {"type": "array", "items": {"required": list(inside)}} for name, inside in lists.items() if inside}
    return {**made, "properties": held} if held else made


_DAY = _text("2026-01-31")
_TYPE = _chosen([kind.value for kind in MemoryType])
_UNDER = _text("folder or document")

INPUTS: Mapping[str, Schema] = {
    "map": _takes(
        {
            "under": _UNDER,
            "focus": _text("question or address whose surroundings to keep"),
            "since": _text("map hash or git revision: only what changed"),
            "summary": _flag("add each section's first sentence"),
            "max_tokens": _tokens(4000),
        }
    ),
    "search": _takes(
        {
            "query": _text('a question; "phrase" must occur, -word must not'),
            "limit": _LIMIT,
            "max_tokens": _tokens(4000),
            "detail": _chosen(("ids", "snippet", "section"), "section"),
            "profile": _chosen(("fast", "balanced", "thorough"), "balanced"),
            "hypothesis": _text("your guess of the answer"),
            "pack": _flag("fewest that cover the question"),
            "corpora": _texts("docs, docs@NAME, added, memories, history, all"),
            "project": _text("of added documents"),
            "paths": _texts("folders or globs, any"),
            "tags": _texts("all of them"),
            "kinds": {"type": "array", "items": {"enum": [kind.value for kind in Kind]}},
            "categories": _TEXTS,
            "languages": _texts("of code blocks"),
            "author": _TEXT,
            "after": _DAY,
            "before": _TEXT,
            "linked_to": _text("only what links to this address"),
            "anyway": _flag("the nearest, even if nothing answers"),
            "explain": _flag("add reasons"),
        },
        "query",
    ),
    "read": _takes({"address": _text("path, path#anchor or path:12-30"), "max_tokens": _tokens(8000)}, "address"),
    "links": _takes({"address": _text("path or path#anchor"), "max_tokens": _tokens(4000)}, "address"),
    "history": _takes(
        {
            "query": _text("a question or hash; default the newest"),
            "files": _texts("globs over changed files, any"),
            "author": _TEXT,
            "after": _DAY,
            "before": _TEXT,
            "limit": _LIMIT,
            "max_tokens": _tokens(4000),
        }
    ),
    "remember": _takes(
        {
            "text": _text("Markdown; link what it is about: [[src/a.py]], [[guide.md#setup]]"),
            "title": _TEXT,
            "type": _TYPE,
            "tags": _TEXTS,
            "links": _texts("more addresses"),
            "review_by": _DAY,
            "supersedes": _texts("ids"),
            "append_to": _text("id of a note to lengthen instead"),
        },
        "text",
    ),
    "recall": _takes(
        {
            "query": _text("default the newest"),
            "type": _TYPE,
            "tags": _TEXTS,
            "after": _DAY,
            "linked_to": _text("address"),
            "archived": _FLAG,
            "limit": _LIMIT,
            "max_tokens": _tokens(4000),
        }
    ),
    "status": _takes({"max_tokens": _tokens(2000)}),
    "check": _takes({"under": _UNDER, "max_tokens": _tokens(4000)}),
    "add": _takes(
        {
            "source": _text("URL, or path in the library"),
            "text": _text("instead of a source"),
            "project": _TEXT,
            "title": _TEXT,
        }
    ),
    "drop": _takes({"id": _TEXT}, "id"),
    "list": _takes({"project": _TEXT, "max_tokens": _tokens(4000)}),
    "forget": _takes({"id": _TEXT}, "id"),
    "publish": _takes({"out": _TEXT}),
}

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
    "map": "Outline of all documents within max_tokens: headings, sizes, keywords, links. Call it first.",
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
    schema = INPUTS[name]
    if len(libraries) < 2:
        return schema
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return {**schema, "properties": {**properties, "library": {"enum": list(libraries)}}}
