"""What each tool does: arguments enter, one call of the library is made, its record leaves as data and as text.

Everything here blocks and runs in a thread. Nothing here knows the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pinakes.check.report import as_text
from pinakes.library import Library
from pinakes.outline import MapRequest
from pinakes.records import Detail, Filter, Kind, Passage, Query, Span
from pinakes.render import Json, connections_text, status_text, wire
from pinakes.search import PROFILES
from pinakes.serve.mcp.arguments import Arguments
from pinakes.serve.mcp.quoting import NOTICE, passage_for_model, results_for_model
from pinakes.serve.mcp.schemas import INPUTS, MOST_TOKENS
from pinakes.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's answer: the record as data, and as text for a model."""

    data: dict[str, Json]
    text: str


Tool = Callable[[Library, Arguments], Answer]

_EXPLAINS = ("query", "kind", "stages", "evidence")
_EXPLAINS_HIT = ("votes", "matches", "span")
"""Parts of the wire shape that tell why; a model pays for them without use, so they come when asked for."""


def answer(name: str, library: Library, given: Mapping[str, object]) -> Answer:
    """Call a tool; what the argument `library` says has been heard by then."""
    properties = INPUTS[name]["properties"]
    assert isinstance(properties, dict)
    return TOOLS[name](library, Arguments(given, tuple(properties)))


def noted(made: Answer, note: str) -> Answer:
    """The same answer with a sentence about itself."""
    if not note:
        return made
    notes = made.data.get("notes")
    listed = notes if isinstance(notes, list) else []
    return Answer({**made.data, "notes": [*listed, note]}, f"{made.text}\n{note}")


def _map(library: Library, given: Arguments) -> Answer:
    request = MapRequest(
        budget_tokens=given.number("max_tokens", 4000, 1, MOST_TOKENS),
        summary=given.flag("summary"),
    )
    drawn = library.map_text(given.text("under"), request, focus=given.text("focus"), since=given.text("since"))
    return Answer(_object(drawn), f"{drawn.text}\nmap {drawn.hash}")


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
    data = _object(found)
    if not given.flag("explain"):
        hits = data["hits"]
        assert isinstance(hits, list)
        data = {key: held for key, held in data.items() if key not in _EXPLAINS}
        data["hits"] = [_without(hit, _EXPLAINS_HIT) for hit in hits]
    return Answer(data, results_for_model(found))


def _read(library: Library, given: Arguments) -> Answer:
    address, most = given.text("address", required=True), given.number("max_tokens", 8000, 1, MOST_TOKENS)
    shown, notes = _cut(library.read(address), most)
    data: dict[str, Json] = {**_object(shown), "notes": list(notes)} if notes else _object(shown)
    return Answer(data, passage_for_model(shown, notes))


def _links(library: Library, given: Arguments) -> Answer:
    address, most = given.text("address", required=True), given.number("max_tokens", 4000, 1, MOST_TOKENS)
    found = library.links(address)
    outgoing, incoming = found.told()
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
    made = Answer(_object(shown), f"{NOTICE}\n{text}")
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
    made = Answer(_object(shown), status_text(shown))
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


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")

TOOLS: Mapping[str, Tool] = {
    "map": _map,
    "search": _search,
    "read": _read,
    "links": _links,
    "status": _status,
    "check": _check,
}


def _cut(passage: Passage, most: int) -> tuple[Passage, tuple[str, ...]]:
    """As many whole lines as fit, and how to go on; of a line that is too long itself, its beginning."""
    if count_tokens(passage.text) <= most:
        return passage, ()
    lines = _LINE.findall(passage.text)
    kept, left = 0, most - count_tokens(lines[0])
    while left >= 0:
        kept += 1
        left -= count_tokens(lines[kept])
    if kept:
        text, end = "".join(lines[:kept]), passage.lines.start + kept
    else:
        text, end = _beginning(lines[0], most), passage.lines.start + 1
    start = passage.span.start
    shown = replace(
        passage,
        text=text,
        lines=Span(passage.lines.start, end),
        span=Span(start, start + len(text.encode("utf-8", "surrogateescape"))),
    )
    rest = f"{passage.ref.path}:{end + 1}-{passage.lines.end}"
    what = "" if kept else f" Line {end} is longer than that."
    return shown, (f"Cut at max_tokens.{what}" + (f" Read {rest} to go on." if end < passage.lines.end else ""),)


def _beginning(line: str, most: int) -> str:
    line = line[: 8 * most]  # no piece is longer than that on average, so there is little left to try
    while line and count_tokens(line) > most:
        line = line[: len(line) * 3 // 4]
    return line


def _object(record: object) -> dict[str, Json]:
    data = wire(record)
    assert isinstance(data, dict)
    return data


def _without(data: Json, keys: Sequence[str]) -> Json:
    assert isinstance(data, dict)
    return {key: held for key, held in data.items() if key not in keys}


def _one_of(value: str, choices: type[Kind]) -> str:
    return Arguments({"kinds": value}, ("kinds",)).choice("kinds", [one.value for one in choices], "")
