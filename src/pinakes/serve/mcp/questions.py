"""The tools that ask about the documents: map, search, read, links, status, check, history, context.

A library and the tool's own request enter, one call of the library is made, its record leaves as a draft of the answer.
Everything here blocks and runs in a thread. Nothing here knows the protocol.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pinakes.check.findings import as_text
from pinakes.library import Library
from pinakes.records import FileStatus, Hit
from pinakes.render import Json, components_text, connections_text, files_text, object_of, status_text, wire
from pinakes.render.context import layout_text
from pinakes.serve.mcp.answers import (
    Draft,
    ToolAnswer,
    cut,
    hidden_note,
    passage_for_model,
    results_draft,
    told,
)
from pinakes.serve.requests.context import ContextRequest
from pinakes.serve.requests.questions import (
    CheckRequest,
    HistoryRequest,
    LinksRequest,
    MapView,
    ReadRequest,
    SearchRequest,
)
from pinakes.serve.requests.status import StatusRequest
from pinakes.tokens import count_tokens

_USUAL_HITS = 8
"""Hits that a model gets where it asks for no number."""
_MAP_MARKS = 30
"""Tokens around a map: the notice, the marks, its hash."""
_SHARE = 4
"""The names of components have a quarter of a map."""
_HIT_MARKS = 40
"""Tokens around a commit: its address, its headings, the marks."""


def map(library: Library, request: MapView) -> Draft:
    asked = request.record(library)
    together = library.components(request.under) if request.components else {}

    def make(parts: int) -> ToolAnswer:
        grouped = f"\n{components_text(together, parts // _SHARE)}" if together else ""
        room = max(parts - _MAP_MARKS - count_tokens(grouped), 1)
        wanted = replace(asked, budget_tokens=room if asked.budget_tokens else 0)
        drawn = library.map_text(request.under, wanted, focus=request.focus, since=request.since)

        def data() -> dict[str, Json]:
            found = library.map(request.under, wanted, focus=request.focus, since=request.since)
            return {**object_of(drawn), "components": wire(found.components)}

        answer = told(data, drawn.text + grouped)
        return replace(answer, text=f"{answer.text}\nmap {drawn.hash}")

    whole = make(asked.budget_tokens)  # at once: what is not there is told before anything is cut
    return Draft(lambda parts: whole if parts == asked.budget_tokens else make(parts), asked.budget_tokens)


def search(library: Library, request: SearchRequest) -> Draft:
    query = request.record(library)
    # No default of the parameter: a number that was asked for also keeps what is far below the best.
    asked = query if request.limit else replace(query, limit=_USUAL_HITS)
    return results_draft(library.search(asked), explain=request.explain)


def read(library: Library, request: ReadRequest) -> Draft:
    passage = library.read(request.address)

    def make(parts: int) -> ToolAnswer:
        shown, notes = cut(passage, parts)
        return ToolAnswer(passage_for_model(shown), lambda: object_of(shown), notes)

    return Draft(make, len(passage.text))


def links(library: Library, request: LinksRequest) -> Draft:
    found = library.links(request.address)
    outgoing, incoming = found.with_context()
    total = len(outgoing) + len(incoming)

    def make(parts: int) -> ToolAnswer:
        ahead = min(len(outgoing), max(parts // 2, parts - len(incoming)))
        behind = min(len(incoming), parts - ahead)
        words = (*(said for _, said in outgoing[:ahead]), *(said for _, said in incoming[:behind]))
        shown = replace(found, outgoing=found.outgoing[:ahead], incoming=found.incoming[:behind], around=words)
        return told(
            lambda: object_of(shown),
            connections_text(shown) if parts or not total else "",
            hidden_note(total - ahead - behind, "links"),
        )

    return Draft(make, total)


def status(library: Library, request: StatusRequest) -> Draft:
    if request.path or request.files:
        return _files(library.files(request.path))
    status = library.status()
    lines = len(status_text(status).splitlines())

    def make(parts: int) -> ToolAnswer:
        shown = replace(status, failures=status.failures[:parts], warnings=status.warnings[:parts])
        text = status_text(shown).splitlines()
        hidden = len(status.failures) - len(shown.failures) + len(status.warnings) - len(shown.warnings)
        hidden += max(len(text) - parts, 0)
        return told(lambda: object_of(shown), "\n".join(text[:parts]), hidden_note(hidden, "lines"))

    return Draft(make, max(lines, len(status.failures), len(status.warnings)))


def _files(files: tuple[FileStatus, ...]) -> Draft:
    """Each file with its state and the reason for it."""

    def make(parts: int) -> ToolAnswer:
        shown = files[:parts]
        hidden = hidden_note(len(files) - len(shown), "files", "name some with `path`")
        return told(lambda: {"files": [wire(one) for one in shown]}, files_text(shown), hidden)

    return Draft(make, len(files))


def check(library: Library, request: CheckRequest) -> Draft:
    findings = request.run(library)

    def make(parts: int) -> ToolAnswer:
        shown = findings[:parts]
        hidden = hidden_note(len(findings) - len(shown), "findings", "name a folder with `under`")
        text = as_text(shown) if shown or not findings else ""
        return told(lambda: {"findings": [wire(finding) for finding in shown]}, text, hidden)

    return Draft(make, len(findings))


def history(library: Library, request: HistoryRequest) -> Draft:
    found = request.run(library)

    fitting = replace(found, hits=tuple(_fitting(found.hits, request.budget))) if request.budget else found
    return results_draft(fitting, explain=request.explain, hidden_keys=("match", "kind", "also_in", "origin"))


def _fitting(hits: Sequence[Hit], most: int) -> Sequence[Hit]:
    """Hits that fit together, as far as they do; those for whose text there is no room by their titles alone."""
    left = most - _HIT_MARKS * len(hits)
    fitting = []
    for hit in hits:
        shown, _ = cut(hit, left) if left > 0 else (replace(hit, text=""), ())
        left -= count_tokens(shown.text)
        fitting.append(shown)
    return fitting


def context(library: Library, request: ContextRequest) -> Draft:
    """The budget is that of the whole answer: the map gets what the other blocks leave."""
    whole = request.answer(library)
    others = sum(one.block.tokens for one in whole.layout.blocks if not one.block.key.startswith("map:"))

    def make(parts: int) -> ToolAnswer:
        left = request.changed(budget=max(parts - others - _MAP_MARKS, 1))
        found = left.answer(library) if parts < whole.tokens else whole
        # What a model is told about its task stays out of the quotation, in which nothing is an instruction.
        text = "\n\n".join(part.text for part in found.prompt.parts if part.name != "system")
        shown = layout_text(found.layout, found.tokens, found.cached_tokens) if request.explain else text
        return told(lambda: object_of(found), shown)

    return Draft(make, whole.tokens)
