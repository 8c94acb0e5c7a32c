"""Who is let in: a plain ASGI layer in front of every route, MCP and the page included.

A request enters; a refusal leaves, or the request goes on with its body read and its answer given the headers that
keep browsers from doing harm. Of the routes it knows only which never end, and which takes a whole file.

The order: is it small enough, is it sound, is it for us (`Host`), is it from us (`Origin`, `Sec-Fetch-Site`), may it
(token), can it be taken (content type, size, time). A page on another site can make a browser send us requests, and can
point a name of its own at 127.0.0.1; `Host` and `Origin` stop both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pinakes.access import GRANT
from pinakes.errors import PinakesError
from pinakes.serve.http.base_path import without_base_path
from pinakes.serve.http.bounds import json_refusal, request_refusal
from pinakes.serve.http.compression import send_small
from pinakes.serve.http.disconnects import answer_while_heard
from pinakes.serve.http.endpoints import Door
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.http.problems import problem, problem_of
from pinakes.serve.http.token_check import TokenCheck, grant_of
from pinakes.serve.http.token_keys import TokenKeys
from pinakes.serve.pool import Overloaded
from pinakes.serve.slots import ByteBudget, SharedLimit
from pinakes.write_log import ALSO_LOGGED, DOOR

SECURITY_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}
"""Put on every answer that does not say otherwise."""
UNKEPT, ASKED_AGAIN = "no-store", "private, no-cache"
"""How long a browser keeps an answer: not at all, or to ask each time whether it is still right."""
PROTOCOL_PATH = "/mcp"
"""A client of MCP that goes has not cancelled what it asked: it may come back for the answer."""
STREAMING_PATHS = ("/events", "/work/events", PROTOCOL_PATH)
"""Where asking for the headers alone would leave a stream open."""
FILE_PATH = "/work/file"
"""Where the largest file that can be opened is sent back."""
DRAINED_S, DRAINED_BYTES = 1.0, 64_000_000
"""How much of a body that is too large is read and dropped, so that its sender gets to hear why."""


class Guard:
    """The layer; holds what it compares with and counts what it saw."""

    def __init__(
        self, app: ASGIApp, options: ServeOptions, keys: TokenKeys, door: Door, close: Callable[[], None]
    ) -> None:
        self._app = app
        self._close = close
        self._metrics = door.metrics
        self._limits = options.limits
        self._bodies = ByteBudget(options.limits.bodies_bytes, door.crew.shares.count(SharedLimit.BODIES))
        self._keys = keys
        self._tokens = TokenCheck(self._keys, door.crew.tell_wrong_token)
        self._authorities = options.authorities()
        self._origins = options.origins()
        self._base_path = options.base_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no websockets here; the server refuses when nothing answers
        scope = without_base_path(scope, self._base_path)
        if scope["method"] == "HEAD" and scope["path"] not in STREAMING_PATHS:
            scope = {**scope, "method": "GET"}  # a copy: uvicorn looks at its own, and leaves the body out
        DOOR.set("http")  # for this request, which is a task of its own
        with self._metrics.request(scope) as seen, self._bodies.share() as take:

            async def send_with_headers(message: Message) -> None:
                if message["type"] == "http.response.start":
                    headers = MutableHeaders(scope=message)
                    for name, value in SECURITY_HEADERS.items():
                        headers.setdefault(name, value)
                    is_kept = scope["method"] == "GET" and "etag" in headers
                    headers.setdefault("Cache-Control", ASKED_AGAIN if is_kept else UNKEPT)
                    seen(message["status"])
                await send(message)

            answer = send_small(scope, send_with_headers)
            headers = Headers(scope=scope)
            refusal = request_refusal(scope, self._limits) or self._refusal(headers)
            refusal = refusal or await self._tokens.refusal(scope, headers) or _unfit(scope["method"], headers)
            body = b""
            if refusal is None and _has_body(headers):
                most = self._limits.file_body_bytes if scope["path"] == FILE_PATH else self._limits.body_bytes
                body, refusal = await _body(receive, headers, most, self._limits.body_s, take)
                refusal = refusal or json_refusal(body, self._limits)
            if refusal is not None:
                await refusal(scope, receive, answer)
                return
            await self._answer(scope, body, receive, answer)

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Have the app answer, for as long as the token of the request is valid."""
        self._let_in(scope)
        is_begun = False

        async def tell(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        if scope["path"] == PROTOCOL_PATH:
            answering = self._app(scope, _replayed(body, receive), tell)
        else:
            answering = answer_while_heard(self._app, scope, body, receive, tell)
        ended = await self._tokens.answer_while_valid(Headers(scope=scope), answering)
        if ended is not None and is_begun:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        elif ended is not None:
            await ended(scope, receive, send)

    async def handed_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request that another process of this server has let in, and hands on by a socket of their own."""
        with suppress(PinakesError):  # then it may do nothing
            await self._tokens.permit(scope, Headers(scope=scope))
        DOOR.set("http")
        self._let_in(scope)
        await self._app(scope, receive, send)

    def close(self) -> None:
        """End every stream and start no more work."""
        self._close()
        self._keys.close()

    def _let_in(self, scope: Scope) -> None:
        """Have all that is done for a request, in its task and in threads, know what it may do."""
        GRANT.set(grant := grant_of(scope))
        ALSO_LOGGED.set(self._keys.log_of(grant))

    def count_wrong_token(self, peer: str) -> None:
        """A peer showed another process of this server a wrong token."""
        self._tokens.count(peer)

    def _refusal(self, headers: Headers) -> Response | None:
        if "content-length" in headers and "transfer-encoding" in headers:
            return problem(400, "A request says its length in one way, not in two.", headers={"Connection": "close"})
        if headers.get("host", "").lower() not in self._authorities:
            return problem(421, "This server is not the one the request is for.", "pinakes serve --name adds a name.")
        origins = headers.getlist("origin")
        if any(origin.lower() not in self._origins for origin in origins):
            return problem(403, "Pages of other sites are not answered.")
        if headers.get("sec-fetch-site", "none").lower() not in ("none", "same-origin"):
            return problem(403, "Pages of other sites are not answered.", "Type the address into the browser instead.")
        return None


def _unfit(method: str, headers: Headers) -> Response | None:
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json" and (_has_body(headers) or (media and method not in ("GET", "HEAD"))):
        return problem(415, "Requests with a body are taken as application/json only.")
    return None


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0").strip() != "0" or "transfer-encoding" in headers


async def _body(
    receive: Receive, headers: Headers, most: int, within_s: float, take: Callable[[int], None]
) -> tuple[bytes, Response | None]:
    """All of a body, or why it is not taken: it may have `most` bytes; `take` asks for room for so many."""
    length = headers.get("content-length", "0").strip()
    too_large = length.isdigit() and (len(length) > 12 or int(length) > most)
    body = bytearray()
    try:
        async with asyncio.timeout(within_s):
            more = not too_large
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    break
                take(len(message.get("body", b"")))
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > most:
                    too_large = True
                    break
    except Overloaded as full:
        return b"", problem_of(full)
    except TimeoutError:
        return b"", problem(408, "The body took too long to come.", headers={"Connection": "close"})
    if not too_large:
        return bytes(body), None
    await _drop(receive)
    return b"", problem(413, f"A body may have {most:,} bytes, and this one has more.", headers={"Connection": "close"})


async def _drop(receive: Receive) -> None:
    dropped = 0
    try:
        async with asyncio.timeout(DRAINED_S):
            while dropped < DRAINED_BYTES:
                message = await receive()
                dropped += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What was read, once more; after it, whatever else comes."""
    is_told = False

    async def again() -> Message:
        nonlocal is_told
        if is_told:
            return await receive()
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
