"""The views of single documents, memories and commits: one or two calls of the library, and records become a view.

A document that memories speak of shows them apart from its other links; a memory shows its links where they stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from msgspec.structs import replace
from starlette.responses import RedirectResponse, Response

from pinakes.errors import BadAddress, ExtraMissing, NotFound
from pinakes.html.markup import join
from pinakes.html.options import editor_address
from pinakes.library import Library
from pinakes.records import DOCS, HISTORY, MEMORIES, Connections, Document, Edge, Layout, Span
from pinakes.records.memory import Memory, MemoryList, MemoryStatus, Recollection
from pinakes.render import dumps, object_of, wire
from pinakes.serve.requests.notes import ListMemories, RecallRequest
from pinakes.serve.requests.questions import HistoryRequest
from pinakes.serve.web.forms import given_of, request_of
from pinakes.serve.web.frame import View
from pinakes.serve.web.history import commit_margin_html, history_html, reading_html, without_html
from pinakes.serve.web.manage import Managed, manage_html
from pinakes.serve.web.memories import counts_html, memories_html, memory_html, remembered_html, speaks_of_html
from pinakes.serve.web.page_request import ASSET_HEADERS, PAGE_HEADERS, PageRequest, data_of, html_of, page_of
from pinakes.serve.web.places import lines_of
from pinakes.serve.web.reader import ReadingFocus, margin_html, reader_html


def read(desk: PageRequest) -> Response:
    """A document, a memory or a commit, with what stands beside it."""
    lines = lines_of(desk.request.query_params.get("lines", ""))
    path = desk.path("read")
    document = desk.library.document(path)
    editor = _editor_address(desk.library, document, lines)
    asked = ReadingFocus(lines, desk.request.query_params.get("words", ""), editor)
    connections = desk.library.links(path)
    memory = _memory_of(desk.library, document)
    noted = () if document.ref.corpus == HISTORY else desk.library.memories.about(document.ref.label)
    if desk.is_data:
        data = {"document": desk.library.read(path), "links": connections, "memories": noted}
        return data_of(data if memory is None else {**data, "memory": memory})
    if document.ref.label != path:
        return RedirectResponse(desk.places.ref(document.ref), 303, PAGE_HEADERS)
    about, beside_it = None, remembered_html(noted, desk.places)
    if memory is not None:
        connections = _connected(connections, document, memory)
        about = memory_html(memory, desk.places)
        beside_it = join(speaks_of_html(memory, desk.places), beside_it)
    elif noted:
        connections = _among_documents(connections)
    main = reader_html(document, connections, desk.places, asked, about)
    if memory is not None:
        connections = replace(connections, outgoing=(), around=())  # the margin has them already
    if document.stamp.media.layout is Layout.COMMIT:
        margin = commit_margin_html(document, desk.places)
    else:
        margin = margin_html(document, connections, desk.places, beside_it)
    is_wide = document.stamp.media.layout is Layout.DRAWING
    twin = f"{desk.places.read(path)}.json"
    left = None if is_wide else desk.tree(path)
    return page_of(desk, View(document.title, "read", main, left, margin, twin))


def raw(desk: PageRequest) -> Response:
    """The text of a document as it is written."""
    document = desk.library.document(desk.path("raw"))
    return Response(document.source, 200, ASSET_HEADERS, "text/plain; charset=utf-8")


def memories(desk: PageRequest) -> Response:
    """What is remembered."""
    given = given_of(desk.request, RecallRequest, ListMemories)
    listing, found = _memories(desk.library, given)
    if desk.is_data:
        return data_of(found if found is not None else listing)
    main = memories_html(listing, found, given, desk.places)
    right = counts_html(listing, desk.places)
    twin = f"{desk.places.view('memories.json')}?{desk.request.url.query}"
    return page_of(desk, View("Memories", "memories", main, right=right, twin=twin))


def manage(desk: PageRequest) -> Response:
    """What a reader with the token may do."""
    library = desk.library
    managed = Managed(
        library.status(),
        desk.state.progress(desk.places.library),
        library.added.list(),
        library.models.list()[0],
        tuple(library.memories.trash()),
    )
    if desk.is_data:
        models = [object_of(one) for one in managed.models]
        data = {name: getattr(managed, name) for name in ("status", "event", "added", "trash")}
        return data_of({**data, "models": models})
    main = manage_html(managed, desk.places)
    return page_of(desk, View("Manage", "manage", main, twin=desk.places.view("manage.json")))


def history(desk: PageRequest) -> Response:
    """Commits that answer, or the newest."""
    given = given_of(desk.request, HistoryRequest)
    twin = f"{desk.places.view('history.json')}?{desk.request.url.query}"
    try:
        found = request_of(given, HistoryRequest).run(desk.library)
    except (NotFound, ExtraMissing) as trouble:
        if desk.is_data:
            raise
        return page_of(desk, View("History", "history", without_html(trouble), twin=twin))
    if desk.is_data:
        return data_of(found)
    return page_of(desk, View("History", "history", history_html(found, given, desk.places), twin=twin))


def unread(desk: PageRequest) -> Response:
    """What is words while commits are read for the first time."""
    if desk.is_data:
        data = wire({"detail": "The commits are being read for the first time."})
        return Response(dumps(data), 503, {**PAGE_HEADERS, "Retry-After": "1"}, "application/json")
    words = reading_html(desk.places)
    return html_of(words) if desk.is_part else page_of(desk, View("History", "history", words))


def _memories(library: Library, given: Mapping[str, str]) -> tuple[MemoryList, Recollection | None]:
    """The memories that pass the filters in an address, and those that answer, where something was asked.

    Raises `BadParameter` for values that cannot be meant.
    """
    wanted, recall = request_of(given, ListMemories), request_of(given, RecallRequest)
    listing = wanted.run(library)
    if recall.linked_to:
        pointing = {memory.ref for memory in library.memories.about(recall.linked_to)}
        listing = replace(listing, memories=tuple(one for one in listing.memories if one.ref in pointing))
    if not recall.query and not recall.after:
        return listing, None
    is_wide = recall.archived or wanted.status is MemoryStatus.ARCHIVED
    return listing, recall.changed(archived=is_wide).run(library)


def _memory_of(library: Library, document: Document) -> Memory | None:
    """The memory that a document is; None for every other document."""
    if document.ref.corpus != MEMORIES:
        return None
    with suppress(NotFound, BadAddress):
        return library.memories.read(str(document.ref))
    return None


def _editor_address(library: Library, document: Document, lines: Span | None) -> str | None:
    """What opens a document of the root in the user's editor, where one is chosen."""
    if document.ref.corpus != DOCS:
        return None
    path = str(library.root / document.ref.path)
    return editor_address(library.config.page.editor, path, lines.start + 1 if lines else 1)


def _connected(connections: Connections, document: Document, memory: Memory) -> Connections:
    """The links of a memory where they stand in its text, as understood among documents."""
    known = {link.target: link for link in memory.links}
    written = [
        Edge(document.ref, link, known[link.target].to, known[link.target].outcome)
        for link in document.links
        if link.target in known
    ]
    targets = {edge.link.target for edge in written}
    others = [edge for edge in connections.outgoing if edge.link.target not in targets]
    outgoing = (*written, *others)
    words = (*("" for _ in outgoing), *(said for _, said in connections.with_context()[1]))
    return replace(connections, outgoing=outgoing, around=words)


def _among_documents(connections: Connections) -> Connections:
    """The links of a document without those of memories, which are shown by themselves."""
    outgoing, incoming = connections.with_context()
    others = [(edge, words) for edge, words in incoming if edge.origin.corpus != MEMORIES]
    contexts = (*(words for _, words in outgoing), *(words for _, words in others))
    edges = tuple(edge for edge, _ in others)
    return replace(connections, outgoing=tuple(edge for edge, _ in outgoing), incoming=edges, around=contexts)
