"""One question to all libraries: the best hits of each, the library first that is believed most.

A request enters, a page leaves, or the same as data, or a short list for the page's own dialog. Each library answers
for itself: scores of two indexes share no scale, so their hits stand apart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pinakes.errors import PinakesError
from pinakes.html.markup import Markup, tag
from pinakes.records import HISTORY, Hit, HitDetail, Results
from pinakes.serve.http.problems import problem_of
from pinakes.serve.requests.questions import SearchRequest
from pinakes.serve.web.forms import given_of, request_of
from pinakes.serve.web.frame import View, page
from pinakes.serve.web.page_request import data_of, html_of
from pinakes.serve.web.page_state import PageState
from pinakes.serve.web.places import Places, shown
from pinakes.serve.web.results import page_html

_EACH = 5
"""Hits of one library that are shown here; its own search has all."""


class LibraryAnswer(Struct, frozen=True):
    """What one library said."""

    library: str
    results: Results | None
    note: str
    """Why there is no answer, or why it may be older than the folder."""

    @property
    def belief(self) -> float:
        """How much is believed that it answers at all; nothing where it has no hits."""
        if self.results is None or not self.results.hits:
            return -1.0
        return self.results.evidence.belief if self.results.evidence is not None else 0.0


def everywhere_routes(state: PageState) -> list[Route]:
    """The route of the view and of its twin."""

    async def everywhere(request: Request) -> Response:
        try:
            given = given_of(request, SearchRequest)
            asked = request_of(given, SearchRequest, is_whole=False)
            state.libraries.name_or_default()  # there is at least one
            answers = await asyncio.gather(*(_ask(state, name, asked) for name in state.libraries.names))
        except PinakesError as trouble:
            return problem_of(trouble)
        best = sorted(answers, key=lambda one: -one.belief)
        if request.url.path.endswith(".json"):
            return data_of({one.library: one.results for one in best})
        if request.query_params.get("part") == "short":
            return html_of(_short_html(best, asked.query, state.base_path))
        places = Places(state.libraries.names[0], state.base_path)
        main = _answers_html(best, given, state.base_path)
        view = View(asked.query or "All libraries", "everywhere", main, twin=places.everywhere_twin(**given))
        return html_of(page(view, places, state.libraries.names, asked.query))

    handlers: Sequence[tuple[str, Callable[[Request], Awaitable[Response]]]] = (
        ("/everywhere", everywhere),
        ("/everywhere.json", everywhere),
    )
    return [Route(path, handler, methods=["GET"]) for path, handler in handlers]


async def _ask(state: PageState, name: str, asked: SearchRequest) -> LibraryAnswer:
    if not asked.query:
        return LibraryAnswer(name, None, "")
    try:
        note = await state.freshness.refresh(name, asked.corpus, first_s=0.0)
        library = state.libraries.get(name)
        query = asked.changed(detail=HitDetail.SNIPPET, limit=asked.limit or _EACH).record(library)
        return LibraryAnswer(name, await state.freshness.answer(name, lambda: library.search(query)), note)
    except PinakesError as trouble:  # the other libraries answer
        return LibraryAnswer(name, None, str(trouble))


def _answers_html(answers: Sequence[LibraryAnswer], given: Mapping[str, str], base_path: str) -> Markup:
    if not given.get("query"):
        words = "One question to all libraries that are served here. Type it above."
        return tag("div", tag("h1", "All libraries"), tag("p", words), class_="state")
    sections = [_answer_html(one, given, Places(one.library, base_path)) for one in answers]
    count = sum(len(one.results.hits) for one in answers if one.results is not None)
    said = f"{count} passages in {len(answers)} libraries" if count else "No library answers this."
    return tag(
        "div", tag("h1", "All libraries", class_="unseen"), tag("p", said, class_="told", role="status"), *sections
    )


def _answer_html(one: LibraryAnswer, given: Mapping[str, str], places: Places) -> Markup:
    results = one.results
    name = tag("h2", tag("a", one.library, href=places.search(**given)), class_="library")
    note = tag("p", one.note, class_="quiet") if one.note else None
    if results is None or not results.hits:
        said = results.abstained if results is not None else ""
        return tag("section", name, note, tag("p", said or "Nothing found.", class_="quiet"))
    pages = [page_html(hits, places, results.query.text, results.folders) for hits in results.pages()]
    return tag("section", name, note, tag("ol", *pages, class_="hits", aria_label=f"Passages of {one.library}"))


def _short_html(answers: Sequence[LibraryAnswer], question: str, base_path: str) -> Markup:
    """A line for each hit."""
    rows = []
    for one in answers:
        places = Places(one.library, base_path)
        hits = one.results.hits if one.results is not None else ()
        rows += [_short_row(hit, one.library, places, question, is_alone=len(answers) == 1) for hit in hits]
    return tag("ul", *rows)


def _short_row(hit: Hit, library: str, places: Places, question: str, *, is_alone: bool) -> Markup:
    heading = hit.trail[-1] if hit.trail and hit.ref.corpus != HISTORY else hit.title
    where = shown(hit.ref.document) if is_alone else f"{library} · {shown(hit.ref.document)}"
    words = (tag("span", heading, class_="heading"), tag("span", where, class_="address"))
    return tag("li", tag("a", *words, href=places.ref(hit.ref, hit.lines.outside(), question)))
