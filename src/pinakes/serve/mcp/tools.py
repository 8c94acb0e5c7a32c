"""What each tool does: arguments enter, one call of the library is made, its record leaves as data and as text.

Everything here blocks and runs in a thread. Nothing here knows the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pinakes.check.report import as_text
from pinakes.library import Library
from pinakes.outline import MapRequest
from pinakes.records import Detail, Filter, Kind, Query
from pinakes.render import Json, connections_text, status_text, wire
from pinakes.search import PROFILES
from pinakes.serve.mcp import living
from pinakes.serve.mcp.answers import Answer, cut, noted, object_of, without
from pinakes.serve.mcp.arguments import Arguments
from pinakes.serve.mcp.publishing import publish
from pinakes.serve.mcp.quoting import NOTICE, passage_for_model, results_for_model
from pinakes.serve.mcp.schemas import INPUTS, MOST_TOKENS
from pinakes.tokens import count_tokens

Tool = Callable[[Library, Arguments], Answer]

_EXPLAINS = ("query", "kind", "stages", "evidence")
_EXPLAINS_HIT = ("votes", "matches", "span")
"""Parts of the wire shape that tell why; a model pays for them without use, so they come when asked for."""


def answer(name: str, library: Library, given: Mapping[str, object]) -> Answer:
    """Call a tool; what the argument `library` says has been heard by then."""
    properties = INPUTS[name]["properties"]
    assert isinstance(properties, dict)
    return TOOLS[name](library, Arguments(given, tuple(properties)))


def _map(library: Library, given: Arguments) -> Answer:
    request = MapRequest(
        budget_tokens=given.number("max_tokens", 4000, 1, MOST_TOKENS),
        summary=given.flag("summary"),
    )
    drawn = library.map_text(given.text("under"), request, focus=given.text("focus"), since=given.text("since"))
    return Answer(object_of(drawn), f"{drawn.text}\nmap {drawn.hash}")


def _search(library: Library, given: Arguments) -> Answer:
    options = library.config.search
    linked_to = given.text("linked_to")
    where = Filter(
        paths=given.texts("paths"),
        tags=given.texts("tags"),
        kinds=tuple(Kind(_one_of(kind, Kind)) for kind in given.texts("kinds")),
        categories=given.texts("categories"),
        languages=given.texts("languages"),
        author=given.text("author"),
        after=given.text("after"),
        before=given.text("before"),
        linked_to=library.locate(linked_to) if linked_to else None,
        corpora=given.texts("corpora"),
        project=given.text("project"),
    )
    query = Query(
        given.text("query", required=True),
        where,
        limit=given.number("limit", options.limit, 1, 100),
        profile=given.choice("profile", tuple(PROFILES), options.profile),
        hypothesis=given.text("hypothesis"),
        max_tokens=given.number("max_tokens", 4000, 1, MOST_TOKENS),
        detail=Detail(given.choice("detail", tuple(detail.value for detail in Detail), Detail.SECTION.value)),
        pack=given.flag("pack"),
        abstain=not given.flag("anyway"),
    )
    found = library.search(query)
    data = object_of(found)
    if not given.flag("explain"):
        hits = data["hits"]
        assert isinstance(hits, list)
        data = {key: held for key, held in data.items() if key not in _EXPLAINS}
        data["hits"] = [without(hit, _EXPLAINS_HIT) for hit in hits]
    return Answer(data, results_for_model(found))


def _read(library: Library, given: Arguments) -> Answer:
    address, most = given.text("address", required=True), given.number("max_tokens", 8000, 1, MOST_TOKENS)
    shown, notes = cut(library.read(address), most)
    data: dict[str, Json] = {**object_of(shown), "notes": list(notes)} if notes else object_of(shown)
    return Answer(data, passage_for_model(shown, notes))


def _links(library: Library, given: Arguments) -> Answer:
    address, most = given.text("address", required=True), given.number("max_tokens", 4000, 1, MOST_TOKENS)
    found = library.links(address)
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
    made = Answer(object_of(shown), f"{NOTICE}\n{text}")
    return noted(made, f"{hidden:,} more links are not shown; ask with a larger max_tokens." if hidden else "")


def _status(library: Library, given: Arguments) -> Answer:
    most = given.number("max_tokens", 2000, 1, MOST_TOKENS)
    status = library.status()
    keep = max(len(status.failures), len(status.warnings))
    shown = status
    while keep and count_tokens(str(wire(shown))) > most:
        keep //= 2
        shown = replace(status, failures=status.failures[:keep], warnings=status.warnings[:keep])
    hidden = len(status.failures) - len(shown.failures) + len(status.warnings) - len(shown.warnings)
    made = Answer(object_of(shown), status_text(shown))
    return noted(made, f"{hidden:,} more failures and warnings are not shown." if hidden else "")


def _check(library: Library, given: Arguments) -> Answer:
    under, most = given.text("under"), given.number("max_tokens", 4000, 1, MOST_TOKENS)
    findings = library.check(under)
    keep = len(findings)
    while keep and count_tokens(as_text(findings[:keep])) > most:
        keep = keep * 3 // 4
    shown = findings[:keep]
    made = Answer({"findings": [wire(finding) for finding in shown]}, as_text(shown).rstrip())
    hidden = len(findings) - keep
    return noted(made, f"{hidden:,} more findings are not shown; name a folder with under." if hidden else "")


TOOLS: Mapping[str, Tool] = {
    "map": _map,
    "search": _search,
    "read": _read,
    "links": _links,
    "status": _status,
    "check": _check,
    "history": living.history,
    "remember": living.remember,
    "recall": living.recall,
    "add": living.add,
    "drop": living.drop,
    "list": living.listed,
    "forget": living.forget,
    "publish": publish,
}


def _one_of(value: str, choices: type[Kind]) -> str:
    return Arguments({"kinds": value}, ("kinds",)).choice("kinds", [one.value for one in choices], "")
