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

from pinakes.errors import BadAddress, NotFound, PinakesError
from pinakes.records import DOCS
from pinakes.render import dumps, picture_svg, wire
from pinakes.serve.beside import FirstReading, beside, bring
from pinakes.serve.libraries import Libraries
from pinakes.serve.web import policy, views
from pinakes.serve.web.added import added_html
from pinakes.serve.web.asked import asked_query, filters_html
from pinakes.serve.web.assets import own_file, picture
from pinakes.serve.web.desk import Desk, data_of, fields, html_of, page_of
from pinakes.serve.web.files import files_html, is_shown, progress_html, unread_html, upgrade_html
from pinakes.serve.web.frame import View, page, state
from pinakes.serve.web.graph import graph_html
from pinakes.serve.web.markup import Markup, join, tag
from pinakes.serve.web.places import Places, asked_path
from pinakes.serve.web.results import results_html
from pinakes.serve.web.shelf import Shelf
from pinakes.serve.web.tree import branch, sections

_TROUBLE: Sequence[tuple[type[PinakesError], int]] = ((NotFound, 404), (BadAddress, 400), (PinakesError, 503))
"""What an error is called in the page's answers; the first that fits counts."""


Answer = Callable[[Desk], Response]


def routes(libraries: Libraries) -> list[BaseRoute]:
    """The page's routes over open libraries, to be mounted at the root of an ASGI app."""
    shelf = Shelf(libraries)
    first = FirstReading()
    history, search, read = partial(views.history, first), partial(_search, first), partial(views.read, first)

    def view(path: str, answer: Answer) -> Route:
        return Route(f"/in/{{library}}/{path}", partial(_served, shelf, answer), methods=["GET"])

    async def progress(request: Request) -> Response:
        name = request.path_params["library"]
        if name not in libraries.names:
            return Response(dumps({"detail": "There is no such library."}), 404, policy.PAGE, "application/json")
        shelf.compare(name)  # who watches the files wants to know of new ones; the next question tells
        is_ready = await shelf.work(partial(shelf.is_ready, name))
        generation = await shelf.work(lambda: libraries.get(name).generation)
        upgrade = await shelf.work(lambda: libraries.get(name).upgraded())
        told = wire(
            {
                "progress": shelf.progress(name),
                "generation": generation,
                "is_ready": is_ready,
                "upgrade": upgrade if is_shown(upgrade) else None,
            }
        )
        return Response(dumps(told), 200, policy.PAGE, "application/json")

    async def home(request: Request) -> Response:
        return RedirectResponse(Places(libraries.names[0]).search(**fields(request)), 303, policy.PAGE)

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
        view("memories", views.memories),
        view("memories.json", views.memories),
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
    return html_of(said) if desk.is_part else page_of(desk, View("Nothing is indexed yet", "search", said))


def _trouble(shelf: Shelf, name: str, trouble: PinakesError, *, is_data: bool) -> Response:
    status = next(status for kind, status in _TROUBLE if isinstance(trouble, kind))
    if is_data:
        told = wire({"type": "about:blank", "title": trouble.problem, "status": status, "detail": str(trouble)})
        return Response(dumps(told), status, policy.PAGE, "application/problem+json")
    known = name if name in shelf.libraries.names else shelf.libraries.names[0]
    said = state("That did not work" if status != 404 else "Not here", tag("p", trouble.problem), _step(trouble))
    made = page(View("Not here", "trouble", said), Places(known), shelf.libraries.names)
    return html_of(made, status)


def _step(trouble: PinakesError) -> Markup | None:
    return tag("p", trouble.next_step, class_="quiet") if trouble.next_step else None


def _search(first: FirstReading, desk: Desk) -> Response:
    given = fields(desk.request)
    query = asked_query(given, desk.library.config.search.limit, desk.library.config.search.profile)
    if query.text and not views.has_commits(first, desk, query.where.corpora):
        return views.unread(desk)
    started = time.perf_counter()
    note = f"{desk.note} {bring(desk.library, query.where.corpora) if query.text else ''}".strip()
    results = desk.library.search(query) if query.text else None
    seconds = time.perf_counter() - started
    if desk.is_data:
        return data_of(results if results is not None else {"query": query, "hits": []})
    shown = results_html(results, desk.places, note, seconds) if results is not None else _welcome(desk)
    if desk.is_part:
        return html_of(shown)
    main = tag("div", shown, data_results=True)
    title = f"{query.text} · {desk.places.library}" if query.text else desk.places.library
    twin = f"{desk.places.view('search.json')}?{desk.request.url.query}"
    is_empty = not desk.shelf.tree(desk.places.library)[""].documents
    left, right = (None, None) if is_empty else (desk.tree(), filters_html(given, _corpora(desk)))
    return page_of(desk, View(title, "search", main, left, right, twin), query.text)


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
        upgrade_html(desk.library.upgraded()),
    )


def _map(desk: Desk) -> Response:
    folder = desk.path("map").strip("/")
    tree = desk.shelf.tree(desk.places.library)
    if folder not in tree:
        raise NotFound(f"There is no folder “{folder}” with documents.", "The map shows those there are.")
    if desk.is_data:
        return data_of(desk.library.map(folder))
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
    return page_of(desk, View(folder or "Map", "map", join(tag("h1", "Map"), head, said, drawn, legend), twin=twin))


def _branch(desk: Desk) -> Response:
    """A folder's rows or a document's sections, as a piece of the page."""
    path = desk.path("branch")
    tree = desk.shelf.tree(desk.places.library)
    if path in tree:
        return html_of(branch(tree, desk.places, path))
    (outline,) = desk.library.outlines(path)[:1]
    return html_of(sections(outline, desk.places))


def _graph(desk: Desk) -> Response:
    layout = desk.shelf.layout(desk.places.library)
    if desk.is_data:
        return data_of(layout)
    drawn = picture_svg(layout, desk.places.read)
    main = graph_html(layout, drawn, desk.places)
    return page_of(desk, View("Graph", "graph", main, twin=desk.places.view("graph.json")))


def _files(desk: Desk) -> Response:
    status, listed, added = desk.library.status(), desk.library.files(), desk.library.added.list()
    event = desk.shelf.progress(desk.places.library)
    if desk.is_data:
        return data_of({"status": status, "files": listed, "added": added, "progress": event})
    main = join(files_html(status, listed, event, desk.places), added_html(added, desk.places))
    return page_of(desk, View("Files", "files", main, twin=desk.places.view("files.json")))


def _corpora(desk: Desk) -> Sequence[str]:
    """Those that can be chosen: what has nothing in it is not offered."""
    return tuple(name for name in desk.library.corpora if name == DOCS or beside(desk.library, (name,)))


def _asset(desk: Desk) -> Response:
    data, media = picture(desk.library, asked_path(desk.request, "asset"))
    return Response(data, 200, policy.ASSET, media)
