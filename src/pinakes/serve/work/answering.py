"""A question over HTTP: the answer as a stream of events, which ends when its listener goes.

A question enters; events leave as they come. A question that is refused gets a status: it is asked before the stream
begins. Whoever closes the connection stops the answer, and what came of it is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pinakes.library.work.asking import Answering
from pinakes.render import dumps
from pinakes.serve.http.streams import HEARTBEAT_S, EventStream, frame
from pinakes.serve.pool import Lane
from pinakes.serve.requests.work import AskModel
from pinakes.serve.work.bodies import work_request
from pinakes.serve.work.desk import WorkDesk
from pinakes.serve.work.shapes import event_shapes


async def answer_question(desk: WorkDesk, request: Request) -> Response:
    """Ask, and stream the answer."""
    asked = await work_request(request, AskModel)
    asking = asyncio.ensure_future(desk.run(lambda: desk.workspace.ask(asked.question), Lane.ANSWER))
    try:
        answering = await asyncio.shield(asking)
    except asyncio.CancelledError:
        asking.add_done_callback(lambda done: _leave(desk, done))
        raise
    return _AnswerResponse(desk, answering)


class _AnswerResponse(EventStream):
    """The stream of one answer. The answer ends with it, also when the stream ends before it has begun: nobody could
    ask again otherwise."""

    def __init__(self, desk: WorkDesk, answering: Answering) -> None:
        super().__init__(_frames(desk, answering))
        self._desk = desk
        self._answering = answering

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._desk.later(self._answering.close)


def _leave(desk: WorkDesk, done: asyncio.Future[Answering]) -> None:
    """Nobody listens to an answer any more that is about to begin."""
    if not done.cancelled() and done.exception() is None:
        desk.later(done.result().close)


async def _frames(desk: WorkDesk, answering: Answering) -> AsyncIterator[bytes]:
    while True:
        waiting = asyncio.ensure_future(desk.freshness.pool.run(lambda: next(answering, None), Lane.ANSWER))
        while not (await asyncio.wait({waiting}, timeout=HEARTBEAT_S))[0]:
            yield b": still here\n\n"  # a model may think for long
        if (event := waiting.result()) is None:
            return
        for name, data in event_shapes(event):
            yield frame(name, dumps(data).encode())
