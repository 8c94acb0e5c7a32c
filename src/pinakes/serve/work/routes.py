"""The paths of a workspace: each is a call of the workspace, made and written in a thread.

A table of paths stands below; the page itself and the two streams, of events and of answers, are the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pinakes.context.modes import ContextMode
from pinakes.errors import Refused
from pinakes.library.review import review, review_block
from pinakes.library.work.files import listed_paths, mime_type_of, work_files
from pinakes.library.work.grep import GrepQuery, grep
from pinakes.render import dumps, wire
from pinakes.serve.http.problems import problem
from pinakes.serve.pool import Lane
from pinakes.serve.requests.work import (
    CommitRequest,
    EnterWork,
    ExchangeRequest,
    FindSessions,
    GrepRequest,
    OpenFile,
    PageAddress,
    ResumeSession,
    ReviewRequest,
    SaveFile,
    SelectFiles,
    SetOverlay,
    SetReview,
    SwitchMode,
    WorkRequest,
)
from pinakes.serve.work.answering import answer_question
from pinakes.serve.work.bodies import work_request
from pinakes.serve.work.desk import WorkDesk
from pinakes.serve.work.entering import EntryTicket
from pinakes.serve.work.page import work_page, work_static
from pinakes.serve.work.shapes import (
    changes_shape,
    context_shape,
    grep_shape,
    messages_shape,
    plan_shape,
)

ANSWER_S = 120.0
"""How long a call may take that waits for other servers."""


class WorkRoute(Struct, frozen=True):
    """A path that is one call."""

    method: str
    path: str
    """Below ``/work``."""
    call: Callable[[WorkDesk, Any], object]
    """The desk and the request enter, plain data or a record leaves."""
    kind: type[WorkRequest] = WorkRequest
    lane: Lane = Lane.QUICK


def routes(desk: WorkDesk, ticket: EntryTicket | None = None) -> list[BaseRoute]:
    """The page and all paths of a workspace, to be mounted at the root of an ASGI app."""

    async def enter(request: Request) -> Response:
        asked = await work_request(request, EnterWork)
        if ticket is None:
            raise Refused("Nobody was given a ticket.", "Send the token.")
        return Response(dumps({"token": ticket.redeem(asked.ticket)}), media_type="application/json")

    async def events(request: Request) -> Response:
        if request.method != "GET":  # a stream would be left open
            return problem(405, "This path does not take that method.", headers={"Allow": "GET"})
        return desk.news.listen(lambda: {"library": wire(desk.name)})

    found: list[BaseRoute] = [
        Route("/work", work_page, methods=["GET"]),
        Route("/work/static/{name}", work_static, methods=["GET"]),
        Route("/work/events", events, methods=["GET"]),
        Route("/work/enter", enter, methods=["POST"]),
        Route("/work/ask", partial(answer_question, desk), methods=["POST"]),
    ]
    for path in dict.fromkeys(one.path for one in ROUTES):
        ways = {one.method: one for one in ROUTES if one.path == path}
        found.append(Route(f"/work/{path}", partial(_handle, desk, ways), methods=[*ways]))
    return found


async def _handle(desk: WorkDesk, ways: dict[str, WorkRoute], http: Request) -> Response:
    one = ways.get(http.method)
    if one is None:
        return problem(405, "This path does not take that method.", headers={"Allow": ", ".join(ways)})
    request = await work_request(http, one.kind)

    def answer() -> str:
        return dumps(wire(one.call(desk, request)))

    body = await desk.run(answer, one.lane, ANSWER_S if one.lane in (Lane.NETWORK, Lane.ANSWER) else 30.0)
    return Response(body, media_type="application/json")


def _switch(desk: WorkDesk, request: SwitchMode) -> object:
    if request.mode is ContextMode.DOCS:
        desk.require_documents()
    found = wire(desk.workspace.switch(request.mode))
    desk.news.tell("mode", found)
    desk.news.tell("selection", {"paths": [], "tokens": 0})
    return found


def _select(desk: WorkDesk, request: SelectFiles) -> object:
    found = desk.workspace.select(request.paths)
    desk.news.tell("selection", {"paths": wire(found.paths), "tokens": found.tokens})
    return {"selection": found.paths, "tokens": found.tokens}


def _apply(desk: WorkDesk, request: ExchangeRequest) -> object:
    done = desk.workspace.apply(request.exchange)
    _tell_changed(desk, done.changed)
    return done


def _undo(desk: WorkDesk, request: WorkRequest) -> object:
    changed = desk.workspace.undo()
    _tell_changed(desk, changed)
    return {"changed": changed}


def _open(desk: WorkDesk, request: OpenFile) -> object:
    found = desk.workspace.editing.open(request.path)
    return {"path": found.path, "text": found.text, "digest": found.digest, "media": mime_type_of(found.path)}


def _save(desk: WorkDesk, request: SaveFile) -> object:
    digest = desk.workspace.editing.save(request.path, request.text, request.digest)
    _tell_changed(desk, (request.path,))
    return {"path": request.path, "digest": digest}


def _tell_changed(desk: WorkDesk, paths: tuple[str, ...]) -> None:
    if paths:
        desk.news.tell("changed", {"paths": wire(paths)})


def _grep(desk: WorkDesk, request: GrepRequest) -> object:
    library = desk.workspace.library
    paths = listed_paths(library, is_indexed=desk.is_indexed())
    return grep_shape(grep(library, paths, GrepQuery(request.q, request.regex, request.case)))


def _begin_session(desk: WorkDesk, request: WorkRequest) -> object:
    return {"id": desk.workspace.begin_session()}


def _resume_session(desk: WorkDesk, request: ResumeSession) -> object:
    desk.workspace.resume_session(request.id)
    return {"id": request.id, "title": desk.workspace.log.title}


def _compact(desk: WorkDesk, request: WorkRequest) -> object:
    is_done = desk.workspace.compact()
    said = "What was said before is summarised." if is_done else "There is nothing to summarise yet."
    return {"is_compacted": is_done, "message": said}


def _forget_url(desk: WorkDesk, request: PageAddress) -> object:
    desk.workspace.forget_url(request.url)
    return {"url": request.url}


def _review(desk: WorkDesk, request: ReviewRequest) -> object:
    found = review(desk.workspace.library, request.range)
    return {
        "range": found.range,
        "changes": changes_shape(found.changes),
        "unseen": found.unseen,
        "tokens": review_block(found).tokens,
    }


def _set_review(desk: WorkDesk, request: SetReview) -> object:
    desk.workspace.set_review(request.range if request.on else None)
    return {"on": request.on, "range": request.range if request.on else ""}


ROUTES = (
    WorkRoute("GET", "state", lambda desk, _: desk.state()),
    WorkRoute("POST", "mode", _switch, SwitchMode, Lane.SLOW),
    WorkRoute("POST", "selection", _select, SelectFiles),
    WorkRoute(
        "POST", "overlay", lambda desk, request: {"overlay": desk.workspace.set_overlay(on=request.on)}, SetOverlay
    ),
    WorkRoute("POST", "stop", lambda desk, _: {"stopped": desk.workspace.stop()}),
    WorkRoute("GET", "messages", lambda desk, _: messages_shape(desk.workspace.log.lines)),
    WorkRoute(
        "POST",
        "edits/preview",
        lambda desk, request: plan_shape(desk.workspace.plan(request.exchange)),
        ExchangeRequest,
    ),
    WorkRoute("POST", "edits/apply", _apply, ExchangeRequest, Lane.SLOW),
    WorkRoute("POST", "edits/undo", _undo, lane=Lane.SLOW),
    WorkRoute("GET", "files", lambda desk, _: work_files(desk.workspace.library, is_indexed=desk.is_indexed())),
    WorkRoute("GET", "grep", _grep, GrepRequest, Lane.SLOW),
    WorkRoute("GET", "file", _open, OpenFile),
    WorkRoute("PUT", "file", _save, SaveFile, Lane.SLOW),
    WorkRoute("GET", "context", lambda desk, _: context_shape(desk.workspace.context()), lane=Lane.SLOW),
    WorkRoute("GET", "sessions", lambda desk, request: desk.workspace.log.list(request.q), FindSessions),
    WorkRoute("POST", "sessions", _begin_session),
    WorkRoute("POST", "sessions/resume", _resume_session, ResumeSession),
    WorkRoute("POST", "compact", _compact, lane=Lane.ANSWER),
    WorkRoute("POST", "fetch", lambda desk, request: desk.workspace.fetch(request.url), PageAddress, Lane.NETWORK),
    WorkRoute("POST", "forget-url", _forget_url, PageAddress),
    WorkRoute("GET", "review", _review, ReviewRequest, Lane.SLOW),
    WorkRoute("POST", "review", _set_review, SetReview, Lane.SLOW),
    WorkRoute(
        "POST",
        "commit/message",
        lambda desk, _: {"message": desk.workspace.propose_commit_message()},
        lane=Lane.ANSWER,
    ),
    WorkRoute(
        "POST",
        "commit",
        lambda desk, request: {"commit": desk.workspace.commit(request.message, request.paths)},
        CommitRequest,
        Lane.SLOW,
    ),
)
