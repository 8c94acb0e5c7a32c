"""The page's routes: each turns an address into one or two calls of the library and records into a view.

Requests enter, answers leave. Everything that takes a while runs in a thread; every view answers as HTML, and as data
when its address ends in ``.json``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pinakes.errors import BadAddress, ExtraMissing, NotFound, PinakesError
from pinakes.library import Library
from pinakes.records import DOCS, HISTORY, Media
from pinakes.render import dumps, picture_svg, wire
from pinakes.serve.beside import FirstReading, beside, bring
from pinakes.serve.libraries import Libraries
from pinakes.serve.web import policy
from pinakes.serve.web.added import added_html
from pinakes.serve.web.asked import FIELDS, asked_lines, asked_query, filters_html
from pinakes.serve.web.assets import own_file, picture
from pinakes.serve.web.files import files_html, progress_html, unread_html
from pinakes.serve.web.frame import View, page, state
from pinakes.serve.web.graph import graph_html
from pinakes.serve.web.history import FIELDS as HISTORY_FIELDS
from pinakes.serve.web.history import asked_history, commit_margin_html, history_html, reading_html, without_html
from pinakes.serve.web.living import among_documents, connected, memory_of, remembered
from pinakes.serve.web.markup import Markup, join, tag
from pinakes.serve.web.memories import FIELDS as MEMORY_FIELDS
from pinakes.serve.web.memories import counts_html, memories_html, memory_html, remembered_html, speaks_of_html
from pinakes.serve.web.places import Places, asked_path, named
from pinakes.serve.web.reader import margin_html, reader_html
from pinakes.serve.web.results import results_html
from pinakes.serve.web.shelf import Shelf
from pinakes.serve.web.tree import branch, sections

_TROUBLE: Sequence[tuple[type[PinakesError], int]] = ((NotFound, 404), (BadAddress, 400), (PinakesError, 503))
"""What an error is called in the page's answers; the first that fits counts."""


@dataclass(frozen=True, slots=True)
class Desk:
    """One request at one library."""

    request: Request
    shelf: Shelf
    library: Library
    places: Places
    is_data: bool
    """Whether the twin is asked for."""
    note: str
    """What a reader should know about freshness."""

    @property
    def is_part(self) -> bool:
        """Whether the page's script asks for the hits alone, to put them into the page it has."""
        return self.request.query_params.get("part") == "hits"

    def path(self, view: str) -> str:
        """What the address names below a view, without the twin's ending."""
        asked = asked_path(self.request, view)
        return asked.removesuffix(".json") if self.is_data else asked

    def tree(self, current: str = "") -> Markup:
        """The map for the left column."""
        tree = self.shelf.tree(self.places.library)
        return tag("div", branch(tree, self.places, "", current), class_="tree", data_tree=True)


Answer = Callable[[Desk], Response]


def routes(libraries: Libraries) -> list[BaseRoute]:
    """The page's routes over open libraries, to be mounted at the root of an ASGI app."""
    shelf = Shelf(libraries)
    first = FirstReading()
    history, search, read = partial(_history, first), partial(_search, first), partial(_read, first)

    def view(path: str, answer: Answer) -> Route:
        return Route(f"/in/{{library}}/{path}", partial(_served, shelf, answer), methods=["GET"])

    async def progress(request: Request) -> Response:
        name = request.path_params["library"]
        if name not in libraries.names:
            return Response(dumps({"detail": "There is no such library."}), 404, policy.PAGE, "application/json")
        shelf.compare(name)  # who watches the files wants to know of new ones; the next question tells
        is_ready = await shelf.work(partial(shelf.is_ready, name))
        generation = await shelf.work(lambda: libraries.get(name).generation)
        told = wire({"progress": shelf.progress(name), "generation": generation, "is_ready": is_ready})
        return Response(dumps(told), 200, policy.PAGE, "application/json")

    async def home(request: Request) -> Response:
        return RedirectResponse(Places(libraries.names[0]).search(**_fields(request)), 303, policy.PAGE)

    return [
        Route("/", home, methods=["GET"]),
        Route("/static/{name}", own_file, methods=["GET"]),
        Route("/in/{library}/progress.json", progress, methods=["GET"]),
        view("asset/{path:path}", _asset),
        view("branch/{path:path}", _branch),
        view("search", search),
        view("search.json", search),
        view("map", _map),
        view("map.json", _map),
        view("map/{path:path}", _map),
        view("graph", _graph),
        view("graph.json", _graph),
        view("history", history),
        view("history.json", history),
        view("memories", _memories),
        view("memories.json", _memories),
        view("files", _files),
        view("files.json", _files),
        view("read/{path:path}", read),
    ]


async def _served(shelf: Shelf, answer: Answer, request: Request) -> Response:
    """Answer a request, or say in words and with a fitting status why not."""
    name = request.path_params["library"]
    is_data = request.url.path.endswith(".json") and "asset" not in request.url.path.split("/")[3:4]
    try:
        library = shelf.libraries.get(name)
        note = await shelf.freshen(name)
        desk = Desk(request, shelf, library, Places(name), is_data, note)
        return await shelf.work(partial(_ready_or_not, answer, desk))
    except PinakesError as trouble:
        return _trouble(shelf, name, trouble, is_data=is_data)


def _ready_or_not(answer: Answer, desk: Desk) -> Response:
    if desk.shelf.is_ready(desk.places.library):
        return answer(desk)
    event = desk.shelf.progress(desk.places.library)
    if desk.is_data:
        told = wire({"detail": "Nothing is indexed yet.", "progress": event})
        return Response(dumps(told), 503, {**policy.PAGE, "Retry-After": "1"}, "application/json")
    said = unread_html(event, desk.places, str(desk.library.root))
    return _html(said) if desk.is_part else _page(desk, View("Nothing is indexed yet", "search", said))


def _trouble(shelf: Shelf, name: str, trouble: PinakesError, *, is_data: bool) -> Response:
    status = next(status for kind, status in _TROUBLE if isinstance(trouble, kind))
    if is_data:
        told = wire({"type": "about:blank", "title": trouble.problem, "status": status, "detail": str(trouble)})
        return Response(dumps(told), status, policy.PAGE, "application/problem+json")
    known = name if name in shelf.libraries.names else shelf.libraries.names[0]
    said = state("That did not work" if status != 404 else "Not here", tag("p", trouble.problem), _step(trouble))
    made = page(View("Not here", "trouble", said), Places(known), shelf.libraries.names)
    return _html(made, status)


def _step(trouble: PinakesError) -> Markup | None:
    return tag("p", trouble.next_step, class_="quiet") if trouble.next_step else None


def _search(first: FirstReading, desk: Desk) -> Response:
    given = _fields(desk.request)
    query = asked_query(given, desk.library.config.search.limit, desk.library.config.search.profile)
    if query.text and not _has_commits(first, desk, query.where.corpora):
        return _unread(desk)
    started = time.perf_counter()
    note = f"{desk.note} {bring(desk.library, query.where.corpora) if query.text else ''}".strip()
    results = desk.library.search(query) if query.text else None
    seconds = time.perf_counter() - started
    pointing = desk.library.memories.pointing({hit.ref.document for hit in results.hits}) if results else {}
    if desk.is_data and results is not None:
        return _data({**_object(results), "memories": {str(ref): count for ref, count in pointing.items()}})
    if desk.is_data:
        return _data({"query": query, "hits": []})
    shown = results_html(results, desk.places, note, seconds, pointing) if results is not None else _welcome(desk)
    if desk.is_part:
        return _html(shown)
    main = tag("div", shown, data_results=True)
    title = f"{query.text} · {desk.places.library}" if query.text else desk.places.library
    twin = f"{desk.places.view('search.json')}?{desk.request.url.query}"
    is_empty = not desk.shelf.tree(desk.places.library)[""].documents
    left, right = (None, None) if is_empty else (desk.tree(), filters_html(given, _corpora(desk)))
    return _page(desk, View(title, "search", main, left, right, twin), query.text)


def _welcome(desk: Desk) -> Markup:
    counts = desk.library.status().counts
    if not counts.documents:
        return state(
            "There are no documents here",
            tag("p", "Nothing in ", tag("code", str(desk.library.root)), " is a document: Markdown, SVG, text, rst, …"),
            tag("p", tag("a", "Files", href=desk.places.view("files")), " says what was left out and why."),
        )
    failed = None
    if counts.failures:
        said = f"{counts.failures:,} file{'' if counts.failures == 1 else 's'} could not be read"
        failed = tag("p", tag("a", said, href=desk.places.view("files")), ".", class_="quiet")
    return state(
        desk.places.library,
        tag("p", f"{counts.documents:,} documents, {counts.sections:,} sections, {counts.links:,} links."),
        tag("p", "Ask in your own words, or open a document from the map. ", tag("kbd", "?"), " lists the keys."),
        failed,
        progress_html(desk.shelf.progress(desk.places.library), desk.places, is_quiet=True),
    )


def _read(first: FirstReading, desk: Desk) -> Response:
    asked = asked_lines(desk.request.query_params.get("lines", ""))
    path = desk.path("read")
    if not _has_commits(first, desk, (), (path,)):
        return _unread(desk)
    bring(desk.library, addresses=(path,))
    document = desk.library.document(path)
    connections = desk.library.links(path)
    memory = memory_of(desk.library, document)
    noted = () if document.ref.corpus == HISTORY else desk.library.memories.about(named(document.ref))
    if desk.is_data:
        told = {"document": desk.library.read(path), "links": connections, "memories": noted}
        return _data(told if memory is None else {**told, "memory": memory})
    if named(document.ref) != path:
        return RedirectResponse(desk.places.ref(document.ref), 303, policy.PAGE)
    about, beside_it = None, remembered_html(noted, desk.places)
    if memory is not None:
        connections = connected(connections, document, memory)
        about = memory_html(memory, desk.places)
        beside_it = join(speaks_of_html(memory, desk.places), beside_it)
    elif noted:
        connections = among_documents(connections)
    main = reader_html(document, connections, desk.places, asked, about)
    if memory is not None:
        connections = replace(connections, outgoing=(), around=())  # the margin has them already
    if document.stamp.media is Media.COMMIT:
        margin = commit_margin_html(document, desk.places)
    else:
        margin = margin_html(document, connections, desk.places, beside_it)
    is_wide = document.stamp.media is Media.SVG
    twin = f"{desk.places.read(path)}.json"
    left = None if is_wide else desk.tree(path)
    return _page(desk, View(document.title, "read", main, left, margin, twin))


def _map(desk: Desk) -> Response:
    folder = desk.path("map").strip("/")
    tree = desk.shelf.tree(desk.places.library)
    if folder not in tree:
        raise NotFound(f"There is no folder “{folder}” with documents.", "The map shows those there are.")
    if desk.is_data:
        return _data(desk.library.map(folder))
    parts = folder.split("/") if folder else []
    crumbs = [
        join(" / ", tag("a", part, href=desk.places.map("/".join(parts[: place + 1]))))
        for place, part in enumerate(parts)
    ]
    here = tree[folder]
    head = tag("p", tag("a", desk.places.library, href=desk.places.map()), *crumbs, class_="address")
    said = tag("p", f"{here.documents:,} documents, {here.line_count:,} lines", class_="quiet")
    drawn = tag("div", branch(tree, desk.places, folder), class_="tree wide", data_tree=True)
    legend = tag("p", "Right of each name: ←links from elsewhere, and lines.", class_="quiet legend")
    twin = f"{desk.places.map(folder)}.json"
    return _page(desk, View(folder or "Map", "map", join(tag("h1", "Map"), head, said, drawn, legend), twin=twin))


def _branch(desk: Desk) -> Response:
    """A folder's rows or a document's sections, as a piece of the page."""
    path = desk.path("branch")
    tree = desk.shelf.tree(desk.places.library)
    if path in tree:
        return _html(branch(tree, desk.places, path))
    (outline,) = desk.library.outlines(path)[:1]
    return _html(sections(outline, desk.places))


def _graph(desk: Desk) -> Response:
    layout = desk.shelf.layout(desk.places.library)
    if desk.is_data:
        return _data(layout)
    drawn = picture_svg(layout, desk.places.read)
    main = graph_html(layout, drawn, desk.places)
    return _page(desk, View("Graph", "graph", main, twin=desk.places.view("graph.json")))


def _files(desk: Desk) -> Response:
    status, listed, added = desk.library.status(), desk.library.files(), desk.library.added.list()
    event = desk.shelf.progress(desk.places.library)
    if desk.is_data:
        return _data({"status": status, "files": listed, "added": added, "progress": event})
    main = join(files_html(status, listed, event, desk.places), added_html(added, desk.places))
    return _page(desk, View("Files", "files", main, twin=desk.places.view("files.json")))


def _memories(desk: Desk) -> Response:
    given = _fields(desk.request, MEMORY_FIELDS)
    shown = remembered(desk.library, given)
    if desk.is_data:
        return _data(shown.found if shown.found is not None else shown.listing)
    main = memories_html(shown.listing, shown.found, given, desk.places)
    right = counts_html(shown.listing, desk.places)
    twin = f"{desk.places.view('memories.json')}?{desk.request.url.query}"
    return _page(desk, View("Memories", "memories", main, right=right, twin=twin))


def _history(first: FirstReading, desk: Desk) -> Response:
    given = _fields(desk.request, HISTORY_FIELDS)
    query = asked_history(given, 20, desk.library.config.search.profile)
    twin = f"{desk.places.view('history.json')}?{desk.request.url.query}"
    if not _has_commits(first, desk, (HISTORY,)):
        return _unread(desk)
    bring(desk.library, (HISTORY,))
    try:
        found = desk.library.history(query)
    except (NotFound, ExtraMissing) as trouble:
        if desk.is_data:
            raise
        return _page(desk, View("History", "history", without_html(trouble), twin=twin))
    if desk.is_data:
        return _data(found)
    return _page(desk, View("History", "history", history_html(found, given, desk.places), twin=twin))


def _has_commits(first: FirstReading, desk: Desk, corpora: Sequence[str], addresses: Sequence[str] = ()) -> bool:
    """Whether commits can be asked, where they are about to be."""
    is_asked = HISTORY in beside(desk.library, corpora, addresses)
    return not is_asked or first.is_through(desk.places.library, desk.library)


def _unread(desk: Desk) -> Response:
    if desk.is_data:
        told = wire({"detail": "The commits are being read for the first time."})
        return Response(dumps(told), 503, {**policy.PAGE, "Retry-After": "1"}, "application/json")
    said = reading_html(desk.places)
    return _html(said) if desk.is_part else _page(desk, View("History", "history", said))


def _corpora(desk: Desk) -> Sequence[str]:
    """Those that can be chosen: what has nothing in it is not offered."""
    return tuple(name for name in desk.library.corpora if name == DOCS or beside(desk.library, (name,)))


def _asset(desk: Desk) -> Response:
    data, media = picture(desk.library, asked_path(desk.request, "asset"))
    return Response(data, 200, policy.ASSET, media)


def _fields(request: Request, names: Sequence[str] = FIELDS) -> dict[str, str]:
    return {name: request.query_params[name] for name in names if name in request.query_params}


def _object(record: object) -> dict[str, object]:
    told = wire(record)
    assert isinstance(told, dict)
    return {**told}


def _page(desk: Desk, view: View, question: str = "") -> Response:
    return _html(page(view, desk.places, desk.shelf.libraries.names, question))


def _html(made: Markup, status: int = 200) -> Response:
    return Response(made, status, policy.PAGE, "text/html")


def _data(record: object) -> Response:
    return Response(dumps(wire(record)), 200, policy.PAGE, "application/json")
