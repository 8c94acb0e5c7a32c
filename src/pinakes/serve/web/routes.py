"""The page's routes: each turns an address into one or two calls of the library and records into a view.

Requests enter, answers leave. Everything that takes a while runs in a thread; every view answers as HTML, and as data
when its address ends in ``.json``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pinakes.errors import NotFound, PinakesError
from pinakes.html.markup import Markup, join, tag
from pinakes.records import DOCS, HISTORY, HitDetail
from pinakes.render import dumps, picture_svg, wire
from pinakes.serve.freshness import StillIndexing
from pinakes.serve.http.problems import status_of
from pinakes.serve.pool import Lane
from pinakes.serve.requests.questions import SearchRequest
from pinakes.serve.web import views
from pinakes.serve.web.assets import own_file, picture
from pinakes.serve.web.everywhere import everywhere_routes
from pinakes.serve.web.facets import chips_html, facets_html
from pinakes.serve.web.files import added_html, files_html, is_shown, progress_html, unread_html, upgrade_html
from pinakes.serve.web.forms import filters_html, given_of, request_of
from pinakes.serve.web.frame import View, state
from pinakes.serve.web.lost import trouble_page, wants_html
from pinakes.serve.web.page_request import ASSET_HEADERS, PAGE_HEADERS, PageRequest, data_of, html_of, page_of
from pinakes.serve.web.page_state import PageState
from pinakes.serve.web.places import Places, asked_path
from pinakes.serve.web.results import results_html
from pinakes.serve.web.tree import branch, graph_html, sections

ViewHandler = Callable[[PageRequest], Response]
Names = Callable[[Request], tuple[Sequence[str], Sequence[str]]]
"""The corpora and the addresses that a request names, which are refreshed before it is answered."""


def routes(shelf: PageState) -> list[BaseRoute]:
    """The page's routes over open libraries, to be mounted at the root of an ASGI app."""
    libraries, pool, base_path, freshness = shelf.libraries, shelf.freshness.pool, shelf.base_path, shelf.freshness

    def view(path: str, answer: ViewHandler, names: Names = _names_nothing, lane: Lane = Lane.QUICK) -> list[BaseRoute]:
        """A view at its address; one whose address ends in a plain name has its twin beside it."""
        handle = partial(_served, shelf, answer, names, lane)
        addresses = [path] if path.endswith("}") else [path, f"{path}.json"]
        return [Route(f"/in/{{library}}/{address}", handle, methods=["GET"]) for address in addresses]

    async def progress(request: Request) -> Response:
        name = request.path_params["library"]
        if name not in libraries.names:
            return Response(dumps({"detail": "There is no such library."}), 404, PAGE_HEADERS, "application/json")
        freshness.start(name)  # who watches the files wants to know of new ones; the next question tells
        library = libraries.get(name)
        is_ready, generation, upgrade = await pool.run(
            lambda: (shelf.is_ready(name), library.generation, library.models.upgrade_state())
        )
        data = wire(
            {
                "progress": shelf.progress(name),
                "generation": generation,
                "is_ready": is_ready,
                "upgrade": upgrade if is_shown(upgrade) else None,
            }
        )
        return Response(dumps(data), 200, PAGE_HEADERS, "application/json")

    async def home(request: Request) -> Response:
        return RedirectResponse(
            Places(libraries.name_or_default(), base_path).search(**request.query_params), 303, PAGE_HEADERS
        )

    return [
        Route("/", home, methods=["GET"]),
        Route("/static/{name}", own_file, methods=["GET"]),
        Route("/static/{version}/{name}", own_file, methods=["GET"]),
        Route("/in/{library}/progress.json", progress, methods=["GET"]),
        *everywhere_routes(shelf),
        *view("asset/{path:path}", _asset),
        *view("raw/{path:path}", views.raw, _names_raw),
        *view("branch/{path:path}", _branch),
        *view("search", _search, _names_in_search),
        *view("map", _map, lane=Lane.SLOW),
        *view("map/{path:path}", _map, lane=Lane.SLOW),
        *view("graph", _graph, lane=Lane.SLOW),
        *view("history", views.history, _names_history),
        *view("memories", views.memories),
        *view("files", _files, lane=Lane.SLOW),
        *view("manage", views.manage, lane=Lane.SLOW),
        *view("read/{path:path}", views.read, _names_address),
    ]


async def lost(shelf: PageState, request: Request) -> Response | None:
    """A page for an address of no route, where a person asks for it."""
    if not wants_html(request):
        return None
    trouble = NotFound("There is no such page here.", "")
    name = request.url.path.split("/")[2] if request.url.path.startswith("/in/") else ""
    return await shelf.freshness.pool.run(partial(trouble_page, shelf, name, request, trouble))


def _names_nothing(request: Request) -> tuple[Sequence[str], Sequence[str]]:
    return (), ()


def _names_history(request: Request) -> tuple[Sequence[str], Sequence[str]]:
    return (HISTORY,), ()


def _names_in_search(request: Request) -> tuple[Sequence[str], Sequence[str]]:
    asked = request_of(given_of(request, SearchRequest), SearchRequest, is_whole=False)
    return asked.corpus if asked.query else (), ()


def _names_raw(request: Request) -> tuple[Sequence[str], Sequence[str]]:
    return (), (asked_path(request, "raw"),)


def _names_address(request: Request) -> tuple[Sequence[str], Sequence[str]]:
    return (), (asked_path(request, "read"),)


async def _served(shelf: PageState, answer: ViewHandler, names: Names, lane: Lane, request: Request) -> Response:
    """Answer a request, or say in words and with a fitting status why not."""
    name = request.path_params["library"]
    is_data = request.url.path.endswith(".json") and request.url.path.split("/")[3:4] not in (["asset"], ["raw"])
    try:
        corpora, addresses = names(request)
        try:
            note = await shelf.freshness.refresh(name, corpora, addresses, first_s=0.0)
        except StillIndexing as unread:
            if unread.corpus:
                answer = views.unread
            note = unread.problem
        except PinakesError as trouble:  # what is indexed is shown all the same
            note = str(trouble)
        library = shelf.libraries.get(name)  # by now it may be one with other settings
        notes = [note]

        def shown() -> Response:
            desk = PageRequest(
                request, shelf, library, Places(name, shelf.base_path), is_data, " ".join(filter(None, notes))
            )
            return _ready_or_not(answer, desk)

        return await shelf.freshness.answer(name, shown, lane, notes=notes)
    except PinakesError as trouble:
        return await shelf.freshness.pool.run(partial(_trouble, shelf, name, request, trouble, is_data=is_data))


def _ready_or_not(answer: ViewHandler, desk: PageRequest) -> Response:
    if desk.state.is_ready(desk.places.library):
        return answer(desk)
    event = desk.state.progress(desk.places.library)
    if desk.is_data:
        data = wire({"detail": "Nothing is indexed yet.", "progress": event})
        return Response(dumps(data), 503, {**PAGE_HEADERS, "Retry-After": "1"}, "application/json")
    words = unread_html(event, desk.places, str(desk.library.root))
    return html_of(words) if desk.is_part else page_of(desk, View("Nothing is indexed yet", "search", words))


def _trouble(shelf: PageState, name: str, request: Request, trouble: PinakesError, *, is_data: bool) -> Response:
    if not is_data:
        return trouble_page(shelf, name, request, trouble)
    status = status_of(trouble)
    data = wire({"type": "about:blank", "title": trouble.problem, "status": status, "detail": str(trouble)})
    return Response(dumps(data), status, PAGE_HEADERS, "application/problem+json")


def _search(desk: PageRequest) -> Response:
    given = given_of(desk.request, SearchRequest)
    asked = request_of(given, SearchRequest, is_whole=False)
    query = asked.changed(detail=HitDetail.SNIPPET).record(desk.library)
    if desk.request.query_params.get("part") == "facets":
        return html_of(facets_html(desk.library, query, given, desk.places) or Markup())
    started = time.perf_counter()
    results = desk.library.search(query) if query.text else None
    seconds = time.perf_counter() - started
    if desk.is_data:
        return data_of(results if results is not None else {"query": query, "hits": []})
    chips = chips_html(given, desk.places)
    shown = results_html(results, desk.places, desk.note, seconds, chips) if results is not None else _welcome(desk)
    if desk.is_part:
        return html_of(shown)
    facets = tag("div", facets_html(desk.library, query, given, desk.places), data_facets=True)
    main = tag("div", shown, data_results=True)
    title = f"{query.text} · {desk.places.library}" if query.text else desk.places.library
    twin = f"{desk.places.view('search.json')}?{desk.request.url.query}"
    is_empty = not desk.state.tree(desk.places.library)[""].documents
    left, right = (None, None) if is_empty else (desk.tree(), filters_html(given, _corpora(desk), facets))
    return page_of(desk, View(title, "search", main, left, right, twin), query.text)


def _welcome(desk: PageRequest) -> Markup:
    counts = desk.library.status().counts
    if not counts.documents:
        return state(
            "There are no documents here",
            tag("p", "Nothing in ", tag("code", str(desk.library.root)), " is a document: Markdown, SVG, text, rst, …"),
            tag("p", tag("a", "Files", href=desk.places.view("files")), " says what was left out and why."),
        )
    failed = None
    if counts.failures:
        count = f"{counts.failures:,} file{'' if counts.failures == 1 else 's'} could not be read"
        failed = tag("p", tag("a", count, href=desk.places.view("files")), ".", class_="quiet")
    return state(
        desk.places.library,
        tag("p", f"{counts.documents:,} documents, {counts.sections:,} sections, {counts.links:,} links."),
        tag("p", "Ask in your own words, or open a document from the map. ", tag("kbd", "?"), " lists the keys."),
        failed,
        progress_html(desk.state.progress(desk.places.library), desk.places, is_quiet=True),
        upgrade_html(desk.library.models.upgrade_state()),
        tag("div", data_recent=True),
    )


def _map(desk: PageRequest) -> Response:
    folder = desk.path("map").strip("/")
    tree = desk.state.tree(desk.places.library)
    if folder not in tree:
        raise NotFound(f"There is no folder “{folder}” with documents.", "The map shows all folders.")
    if desk.is_data:
        return data_of(desk.library.map(folder))
    parts = folder.split("/") if folder else []
    crumbs = [
        join(" / ", tag("a", part, href=desk.places.map("/".join(parts[: place + 1]))))
        for place, part in enumerate(parts)
    ]
    here = tree[folder]
    head = tag("p", tag("a", desk.places.library, href=desk.places.map()), *crumbs, class_="address")
    size = tag("p", f"{here.documents:,} documents, {here.line_count:,} lines", class_="quiet")
    drawn = tag("div", branch(tree, desk.places, folder), class_="tree wide", data_tree=True)
    legend = tag("p", "Right of each name: ←links from elsewhere, and lines.", class_="quiet legend")
    twin = f"{desk.places.map(folder)}.json"
    return page_of(desk, View(folder or "Map", "map", join(tag("h1", "Map"), head, size, drawn, legend), twin=twin))


def _branch(desk: PageRequest) -> Response:
    """A folder's rows or a document's sections, as a piece of the page."""
    path = desk.path("branch")
    tree = desk.state.tree(desk.places.library)
    if path in tree:
        return html_of(branch(tree, desk.places, path))
    (outline,) = desk.library.outlines(path)[:1]
    return html_of(sections(outline, desk.places))


def _graph(desk: PageRequest) -> Response:
    layout = desk.state.layout(desk.places.library)
    if desk.is_data:
        return data_of(layout)
    drawn = picture_svg(layout, desk.places.read)
    main = graph_html(layout, drawn, desk.places)
    return page_of(desk, View("Graph", "graph", main, twin=desk.places.view("graph.json")))


def _files(desk: PageRequest) -> Response:
    status, listed, added = desk.library.status(), desk.library.files(), desk.library.added.list()
    event = desk.state.progress(desk.places.library)
    if desk.is_data:
        return data_of({"status": status, "files": listed, "added": added, "progress": event})
    main = files_html(status, listed, event, desk.places, added_html(added, desk.places))
    return page_of(desk, View("Files", "files", main, twin=desk.places.view("files.json")))


def _corpora(desk: PageRequest) -> Sequence[str]:
    """Those that can be chosen: what has nothing in it is not offered."""
    return tuple(name for name in desk.library.corpora if name == DOCS or desk.library.corpus(name).is_live)


def _asset(desk: PageRequest) -> Response:
    data, media = picture(desk.library, asked_path(desk.request, "asset"))
    return Response(data, 200, ASSET_HEADERS, media)
