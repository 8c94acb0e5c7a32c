"""One table of requests, four doors: every row stands at each of its doors, and all refuse in the same words."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import pytest

from kits.git import Repo, needs_git
from kits.hostile import pinakes_here
from kits.http import PAGES, Server, serving
from kits.mcp import answer
from kits.trees import write_tree
from pinakes.errors import PinakesError
from pinakes.library import Library, open_library
from pinakes.records import HISTORY
from pinakes.serve.cli import find_command
from pinakes.serve.mcp.tools import input_schema
from pinakes.serve.requests.context import ContextRequest
from pinakes.serve.requests.notes import ListMemories, RecallRequest
from pinakes.serve.requests.parameters import Doors, Request, parameters
from pinakes.serve.requests.questions import (
    CheckRequest,
    HistoryRequest,
    LinksRequest,
    MapView,
    ReadRequest,
    SearchRequest,
)

pytestmark = needs_git

KINDS: Mapping[str, type[Request]] = {
    "search": SearchRequest,
    "history": HistoryRequest,
    "recall": RecallRequest,
    "memories": ListMemories,
    "map": MapView,
    "read": ReadRequest,
    "links": LinksRequest,
    "check": CheckRequest,
    "context": ContextRequest,
}
POSTED = ("history", "recall")
VIEWS = {"search": "search", "history": "history", "recall": "memories", "memories": "memories"}

Given = dict[str, object]
LONG = "x" * 10_001

REFUSED: list[tuple[str, Given, str]] = [
    ("search", {"query": "tides", "after": "2026-99-99"}, "after: “2026-99-99” is not a valid date. Write a year"),
    ("search", {"query": "tides", "before": "17180000"}, "before: “17180000” is not a valid date. Write a year"),
    ("search", {"query": "tides", "limit": -1}, "limit: “-1” is not taken. Give a whole number from 1 to 100."),
    ("search", {"query": "tides", "limit": 0}, "limit: “0” is not taken. Give a whole number from 1 to 100."),
    ("search", {"query": "tides", "limit": 101}, "limit: “101” is not taken. Give a whole number from 1 to 100."),
    ("search", {"query": "tides", "budget": -5}, "budget: “-5” is not taken. Give a whole number from 0 upwards."),
    ("search", {"query": "tides", "min_score": -0.5}, "min_score: “-0.5” is not taken. Give a number from 0 upwards."),
    ("search", {"query": "tides", "kind": ["poem"]}, "kind: “poem” is unknown. Choose one of spec, guide,"),
    ("search", {"query": "tides", "profile": "magic"}, "profile: “magic” is unknown. Choose one of fast, balanced,"),
    ("search", {"query": "tides", "corpus": ["nothing"]}, "nothing"),
    (
        "search",
        {"query": "tides", "project": "Our Handbook"},
        "project: “Our Handbook” is not a valid project. Try our-handbook.",
    ),
    ("search", {"query": "tides", "path": ["y" * 501]}, "path: there are 501 characters. Give at most 500 characters."),
    ("search", {"query": "tides", "tag": ["a"] * 101}, "tag: there are 101 entries. Give at most 100 of them."),
    (
        "search",
        {"query": "tides", "linked_to": "#a"},
        "linked_to: “#a” is not a valid address. Write path, path#anchor,",
    ),
    ("search", {"query": LONG}, "query: there are 10,001 characters. Give at most 10,000 characters."),
    ("search", {"query": "tides", "hypothesis": LONG}, "hypothesis: there are 10,001 characters."),
    ("history", {"after": "2026-99-99"}, "after: “2026-99-99” is not a valid date. Write a year"),
    ("history", {"query": "tides", "before": "soon"}, "before: “soon” is not a valid date. Write a year"),
    ("history", {"limit": 1000}, "limit: “1000” is not taken. Give a whole number from 1 to 100."),
    ("history", {"profile": "magic"}, "profile: “magic” is unknown."),
    ("recall", {"after": "2026"}, "after: “2026” is not a valid day. Write it as 2026-01-31."),
    ("recall", {"type": "rumour"}, "type: “rumour” is unknown. Choose one of plan, journal,"),
    ("recall", {"limit": -3}, "limit: “-3” is not taken. Give a whole number from 1 to 100."),
    ("recall", {"tag": ["b" * 101]}, "tag: there are 101 characters."),
    ("memories", {"status": "lost"}, "status: “lost” is unknown. Choose one of active, archived."),
    ("map", {"budget": -1}, "budget: “-1” is not taken. Give a whole number from 0 upwards."),
    ("map", {"format": "pdf"}, "format: “pdf” is unknown. Choose one of text, json, svg."),
    ("read", {"address": "#a"}, "address: “#a” is not a valid address. Write path, path#anchor,"),
    ("links", {"address": ""}, "There is no address. Give it: path, path#anchor,"),
    ("check", {"only": ["typo"]}, "only: “typo” is unknown. Choose one of broken-link,"),
    ("context", {"mode": "both"}, "mode: “both” is unknown. Choose one of code, docs."),
    ("context", {"budget": -1}, "budget: “-1” is not taken. Give a whole number from 0 upwards."),
    ("context", {"select": ["a"] * 101}, "select: there are 101 entries. Give at most 100 of them."),
]

TAKEN: list[tuple[str, Given]] = [
    ("search", {"query": "tides"}),
    ("search", {"query": "x" * 10_000}),
    ("search", {"query": "tides", "limit": 100, "budget": 0, "after": "2026", "before": "2026-02-28"}),
    ("search", {"query": "tides", "path": ["guide", "**/t*.md"], "tag": ["sea"], "kind": ["guide", "notes"]}),
    ("search", {"query": "tides", "category": ["a"], "lang": ["python"], "author": "Ada", "linked_to": "README.md"}),
    ("search", {"query": "tides", "hypothesis": "Twice a day.", "pack": True, "diverse": True, "anyway": True}),
    ("search", {"query": "tides", "min_score": 0.5, "profile": "fast", "corpus": ["docs", "memories"]}),
    ("history", {}),
    ("history", {"query": "dusk", "file": ["guide/**"], "author": "a", "after": "2020-02-29", "limit": 1}),
    ("history", {"after": "1718000000", "before": 1999999999}),
    ("history", {"query": "dusk", "profile": "fast", "budget": 50, "anyway": True}),
    ("recall", {"query": "dusk", "type": "fact", "tag": ["oil"], "after": "2026-01-31", "archived": True, "limit": 3}),
    ("recall", {"query": "dusk", "linked_to": "guide/tides.md"}),
    ("memories", {"type": "plan", "tag": ["oil"], "status": "active"}),
    ("map", {"under": "guide", "budget": 500, "focus": "tides", "summary": True, "tokens": True}),
    ("read", {"address": "guide/tides.md#tables"}),
    ("links", {"address": "guide/tides.md"}),
    ("check", {"under": "guide", "only": ["broken-link"]}),
    ("context", {"mode": "docs", "select": ["guide/tides.md"], "budget": 500}),
    ("context", {"explain": True}),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_tree(tmp_path_factory.mktemp("asked") / "library", PAGES)
    Repo(folder).commit("Light the lamp at dusk", {"guide/lamp.md": "# Lamp\n\nLit at dusk.\n"})
    return folder


@pytest.fixture(scope="module")
def server(root: Path, library: Library) -> Iterator[Server]:
    with serving(root) as server:
        yield server


@pytest.fixture(scope="module")
def library(root: Path) -> Iterator[Library]:
    with open_library(root) as library:
        library.sync()
        library.refresh(corpora=(HISTORY,))
        yield library


def at_command_line(root: Path, name: str, given: Given) -> str | None:
    """What the door says against a request; None when it takes it."""
    rows = parameters(KINDS[name], Doors.CLI)
    options, arguments = [], []
    for key, value in given.items():
        if key in ("query", "address", "under"):
            arguments += [str(value)]
        elif rows[key].base is bool:
            options += [f"--{key}"] if value else []
        else:
            options += [f"--{key.replace('_', '-')}={one}" for one in (value if isinstance(value, list) else [value])]
    ran = pinakes_here(root, name, *options, "--", *arguments)
    return None if ran.code != 2 and not ran.error.startswith("pinakes: There is no ") else ran.error


def over_http(server: Server, name: str, given: Given) -> str | None:
    told = server.post(f"/{name}", given) if name in POSTED else server.ask("GET", f"/{name}?{_query(given)}")
    if told.status == 200:
        return None
    assert told.media == "application/problem+json"
    assert told.status == (404 if "corpus" in given else 422)
    return f"{told.json['detail']} {told.json.get('next_step', '')}"


def by_mcp(library: Library, name: str, given: Given) -> str | None:
    try:
        answer(name, library, given)
    except PinakesError as error:
        return str(error)
    return None


def on_the_page(server: Server, name: str, given: Given) -> str | None:
    plain = {key: ",".join(value) if isinstance(value, list) else value for key, value in given.items()}
    told = server.ask("GET", f"/in/library/{VIEWS[name]}?{_query(plain)}")
    data = server.ask("GET", f"/in/library/{VIEWS[name]}.json?{_query(plain)}")
    assert told.status == data.status
    if told.status == 200:
        return None
    assert told.status == (404 if "corpus" in given else 422)
    text = html.unescape(re.sub(r"<[^>]*>", " ", told.body.decode()))
    assert " ".join(json.loads(data.body)["detail"].split()) in " ".join(text.split())
    return str(json.loads(data.body)["detail"])


def _query(given: Mapping[str, object]) -> str:
    flat = [(key, one) for key, value in given.items() for one in (value if isinstance(value, list) else [value])]
    return "&".join(
        f"{key}={quote(str(value).lower() if isinstance(value, bool) else str(value))}" for key, value in flat
    )


def _said(root: Path, server: Server, library: Library, name: str, given: Given) -> dict[str, str | None]:
    """What each door says against a request, as far as it has the request and all of these parameters."""
    said: dict[str, str | None] = {}
    rows = parameters(KINDS[name])
    doors = [door for door in (Doors.CLI, Doors.HTTP, Doors.MCP, Doors.PAGE) if door & KINDS[name].doors]
    for door in doors:
        if not all(rows[key].doors & door for key in given):
            continue
        if door is Doors.CLI:
            said["cli"] = at_command_line(root, name, given)
        elif door is Doors.HTTP:
            said["http"] = over_http(server, name, given)
        elif door is Doors.MCP:
            said["mcp"] = by_mcp(library, name, given)
        elif name in VIEWS:
            said["page"] = on_the_page(server, name, given)
    return said


@pytest.mark.parametrize(("name", "given", "sentence"), REFUSED, ids=lambda value: str(value)[:40])
def test_every_door_refuses_in_the_same_words(
    root: Path, server: Server, library: Library, name: str, given: Given, sentence: str
) -> None:
    said = _said(root, server, library, name, given)
    assert len(said) >= 2
    assert {door: sentence in (words or "") for door, words in said.items()} == dict.fromkeys(said, True), said
    whole = {
        " ".join((words or "").split()).removeprefix("pinakes: ").partition(" pinakes ")[0] for words in said.values()
    }
    assert len({one.rstrip() for one in whole}) == 1


@pytest.mark.parametrize(("name", "given"), TAKEN, ids=lambda value: str(value)[:40])
def test_every_door_takes_what_the_others_take(
    root: Path, server: Server, library: Library, name: str, given: Given
) -> None:
    said = _said(root, server, library, name, given)
    assert len(said) >= 2
    assert said == dict.fromkeys(said)


@pytest.mark.parametrize("name", KINDS)
def test_every_row_stands_at_each_of_its_doors(server: Server, name: str) -> None:
    kind = KINDS[name]
    options = {one.name for one in find_command(name).params if not getattr(one, "hidden", False)}
    common = {"root", "store", "named", "as_json", "do_sync"}
    assert options - common == set(parameters(kind, Doors.CLI))
    assert _described(server, name) == set(parameters(kind, Doors.HTTP))
    if kind.doors & Doors.MCP:
        assert set(input_schema(name, ("docs",))["properties"]) == set(parameters(kind, Doors.MCP))  # type: ignore[call-overload]
    if name in VIEWS:
        page = server.ask("GET", f"/in/library/{VIEWS[name]}").body.decode()
        fields = set(re.findall(r'<(?:input|select)[^>]* name="(\w+)"', page))
        # Without added documents there is no project to choose, and nobody ticks a box that says they are typing: the
        # page's script asks with it.
        assert set(parameters(kind, Doors.PAGE)) - fields <= {"project", "typing"}


def _described(server: Server, name: str) -> set[str]:
    """The names that OpenAPI gives for a route."""
    document = server.get("/openapi.json").json
    if name not in POSTED:
        return {one["name"] for one in document["paths"][f"/{name}"]["get"]["parameters"]}
    body = document["paths"][f"/{name}"]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    return set(document["components"]["schemas"][body.rpartition("/")[2]]["properties"])


def test_defaults_in_schemas_are_those_of_the_library(library: Library) -> None:
    properties = input_schema("search", ("docs",))["properties"]
    assert isinstance(properties, dict)
    assert "default" not in properties["profile"]  # the configuration decides
    assert [properties[name]["default"] for name in ("budget", "limit", "detail")] == [1300, 8, "snippet"]
