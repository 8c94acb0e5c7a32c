"""The tools as clients see them: name, description, schemas of what goes in and comes out, hints. Plain data.

Written by hand and not derived from signatures: a model reads all of it before its first question, so every word
costs, and the whole list stays below 2,500 tokens. Output schemas name what one can rely on; answers hold more (see
docs/mcp.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.records import Kind

Schema = dict[str, object]

MOST_TOKENS = 100_000

_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer"}
_YES: Schema = {"type": "boolean"}
_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _texts(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _tokens(default: int) -> Schema:
    return {"type": "integer", "minimum": 1, "maximum": MOST_TOKENS, "default": default}


def _chosen(choices: Sequence[str], default: str, description: str = "") -> Schema:
    made: Schema = {"type": "string", "enum": list(choices), "default": default}
    return {**made, "description": description} if description else made


def _takes(properties: Mapping[str, Schema], *required: str) -> Schema:
    made: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**made, "required": list(required)} if required else made


def _gives(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list_of(**properties: Schema) -> Schema:
    return {"type": "array", "items": _gives(**properties)}


_ADDRESS = _text("path, path#anchor or path:12-30")
_LINK = _list_of(target=_TEXT, outcome=_TEXT, line=_WHOLE)

INPUTS: Mapping[str, Schema] = {
    "map": _takes(
        {
            "under": _text("folder or document; default everything"),
            "focus": _text("question, path or section whose surroundings to keep first"),
            "since": _text("hash of an earlier map, or a git revision: only what changed"),
            "summary": _flag("add each section's first sentence"),
            "max_tokens": _tokens(4000),
        }
    ),
    "search": _takes(
        {
            "query": _text('a question; "phrase" must occur, -word must not'),
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "max_tokens": _tokens(4000),
            "detail": _chosen(("ids", "snippet", "section"), "section"),
            "profile": _chosen(("fast", "balanced", "thorough"), "balanced"),
            "hypothesis": _text("your guess of the answer, searched by meaning"),
            "pack": _flag("fewest passages that cover the question, in reading order"),
            "paths": _texts("folders or globs, any"),
            "tags": _texts("all of them"),
            "kinds": {"type": "array", "items": {"type": "string", "enum": [kind.value for kind in Kind]}},
            "categories": _TEXTS,
            "languages": _texts("of code blocks"),
            "author": _TEXT,
            "after": _text("2026-01-31"),
            "before": _TEXT,
            "linked_to": _text("only sections linking to this address"),
            "anyway": _flag("show the nearest even if nothing answers"),
            "explain": _flag("add votes, stages and evidence"),
        },
        "query",
    ),
    "read": _takes({"address": _ADDRESS, "max_tokens": _tokens(8000)}, "address"),
    "links": _takes({"address": _text("path or path#anchor"), "max_tokens": _tokens(4000)}, "address"),
    "status": _takes({"max_tokens": _tokens(2000)}),
    "check": _takes({"under": _text("folder or document; default everything"), "max_tokens": _tokens(4000)}),
}

OUTPUTS: Mapping[str, Schema] = {
    "map": _gives(text=_TEXT, hash=_TEXT, tokens=_WHOLE),
    "search": _gives(
        hits=_list_of(ref=_TEXT, path=_TEXT, lines=_TEXT, title=_TEXT, text=_TEXT, score={"type": "number"}),
        missing=_TEXTS,
        unknown=_TEXTS,
        abstained=_TEXT,
        nearest=_TEXTS,
    ),
    "read": _gives(ref=_TEXT, path=_TEXT, title=_TEXT, lines=_TEXT, text=_TEXT, digest=_TEXT),
    "links": _gives(ref=_TEXT, outgoing=_LINK, incoming=_LINK),
    "status": _gives(root=_TEXT, generation=_WHOLE, counts={"type": "object"}, embedder=_TEXT, keywords=_TEXT),
    "check": _gives(findings=_list_of(code=_TEXT, severity=_TEXT, ref=_TEXT, line=_WHOLE, message=_TEXT)),
}

DESCRIPTIONS: Mapping[str, tuple[str, str]] = {
    "map": (
        "Map of the documents",
        "Outline of all documents within max_tokens: headings, sizes, keywords, links. Call it first.",
    ),
    "search": (
        "Search the documents",
        "Passages that answer a question, best first, verbatim with their addresses.",
    ),
    "read": ("Read a section", "A document, section or lines, verbatim. Says where to go on when cut."),
    "links": ("Links of a section", "What a document or section points at and what points at it."),
    "status": ("State of the library", "What is indexed, what failed and why."),
    "check": ("Check the documents", "Broken links and anchors, orphans, contradictions."),
}
"""Title and description."""

PRESETS: Mapping[str, tuple[str, ...]] = {
    "few": ("map", "search", "read", "links", "status"),
    "full": ("map", "search", "read", "links", "status", "check"),
}

_HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def listed(preset: str, libraries: Sequence[str]) -> list[Schema]:
    """The tools of a preset in the protocol's shape; `library` is an argument only where there are several."""
    return [
        {
            "name": name,
            "title": DESCRIPTIONS[name][0],
            "description": DESCRIPTIONS[name][1],
            "inputSchema": input_schema(name, libraries),
            "outputSchema": OUTPUTS[name],
            "annotations": _HINTS,
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
    which: Schema = {"type": "string", "enum": list(libraries), "default": libraries[0]}
    return {**schema, "properties": {**properties, "library": which}}
