"""The tools that ask about the documents: map, search, read, links, status, check, history.

A library and the tool's own request enter, one call of the library is answer, its record leaves as data and as text.
Everything here blocks and runs in a thread. Nothing here knows the protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pinakes.check.findings import as_text
from pinakes.library import Library
from pinakes.records import Hit
from pinakes.render import Json, connections_text, object_of, status_text, wire
from pinakes.serve.mcp.answers import (
    NO_LIMIT,
    ToolAnswer,
    cut,
    first_that_fit,
    noted,
    passage_for_model,
    results_for_model,
    told,
    without,
)
from pinakes.serve.requests.questions import (
    CheckRequest,
    HistoryRequest,
    LinksRequest,
    MapView,
    ReadRequest,
    SearchRequest,
    StatusRequest,
)
from pinakes.tokens import count_tokens

_EXPLAINS = ("query", "kind", "stages", "evidence")
_EXPLAINS_HIT = ("votes", "matches", "span")
"""Parts of the wire shape that tell why; a model pays for them without use, so they come when asked for."""


def map(library: Library, request: MapView) -> ToolAnswer:
    drawn = library.map_text(request.under, request.record(library), focus=request.focus, since=request.since)
    answer = told(object_of(drawn), drawn.text)
    return replace(answer, text=f"{answer.text}\nmap {drawn.hash}")


def search(library: Library, request: SearchRequest) -> ToolAnswer:
    found = library.search(request.record(library))
    data = object_of(found)
    if not request.explain:
        hits = data["hits"]
        assert isinstance(hits, list)
        data = {key: held for key, held in data.items() if key not in _EXPLAINS}
        data["hits"] = [without(hit, _EXPLAINS_HIT) for hit in hits]
    return ToolAnswer(data, results_for_model(found))


def read(library: Library, request: ReadRequest) -> ToolAnswer:
    shown, notes = cut(library.read(request.address), request.budget or NO_LIMIT)
    data: dict[str, Json] = {**object_of(shown), "notes": list(notes)} if notes else object_of(shown)
    return ToolAnswer(data, passage_for_model(shown, notes))


def links(library: Library, request: LinksRequest) -> ToolAnswer:
    most = request.budget or NO_LIMIT
    found = library.links(request.address)
    outgoing, incoming = found.with_context()
    left = len(outgoing) + len(incoming)
    shown = found
    while left and count_tokens(text := connections_text(shown)) > most:
        # Halving is coarse and quick; pages with hundreds of links are index pages, where the first ones tell enough.
        left //= 2
        ahead = min(len(outgoing), max(left // 2, left - len(incoming)))
        behind = left - ahead
        words = (*(said for _, said in outgoing[:ahead]), *(said for _, said in incoming[:behind]))
        shown = replace(found, outgoing=found.outgoing[:ahead], incoming=found.incoming[:behind], around=words)
    text = connections_text(shown)
    hidden = len(outgoing) + len(incoming) - left
    answer = told(object_of(shown), text)
    return noted(answer, f"{hidden:,} more links are not shown; ask with a larger budget." if hidden else "")


def status(library: Library, request: StatusRequest) -> ToolAnswer:
    most = request.budget or NO_LIMIT
    shown = status = library.status()
    keep = max(len(status.failures), len(status.warnings))
    while keep and count_tokens(str(wire(shown))) > most:
        keep //= 2
        shown = replace(status, failures=status.failures[:keep], warnings=status.warnings[:keep])
    hidden = len(status.failures) - len(shown.failures) + len(status.warnings) - len(shown.warnings)
    answer = told(object_of(shown), status_text(shown))
    return noted(answer, f"{hidden:,} more failures and warnings are not shown." if hidden else "")


def check(library: Library, request: CheckRequest) -> ToolAnswer:
    findings = request.run(library)
    shown = first_that_fit(findings, as_text, request.budget)
    answer = told({"findings": [wire(finding) for finding in shown]}, as_text(shown))
    hidden = len(findings) - len(shown)
    return noted(answer, f"{hidden:,} more findings are not shown; name a folder with under." if hidden else "")


def history(library: Library, request: HistoryRequest) -> ToolAnswer:
    found = request.run(library)
    shown = replace(found, hits=tuple(_fitting(found.hits, request.budget or NO_LIMIT)))
    data = object_of(shown)
    hits = data["hits"]
    assert isinstance(hits, list)
    brief: dict[str, Json] = {
        "hits": [without(hit, ("votes", "matches", "span", "match", "kind", "also_in", "origin")) for hit in hits],
        **{key: data[key] for key in ("missing", "unknown", "abstained", "nearest", "doubt")},
    }
    return ToolAnswer(brief, results_for_model(shown))


def _fitting(hits: Sequence[Hit], most: int) -> Sequence[Hit]:
    """As many hits as fit together, the last one cut; those after it by their titles alone."""
    fitting = []
    for hit in hits:
        shown, _ = cut(hit, most) if most > 0 else (replace(hit, text=""), ())
        most -= count_tokens(shown.text)
        fitting.append(shown)
    return fitting
