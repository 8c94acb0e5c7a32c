"""Answers made small, and not sent again to whoever has them.

An answer on its way enters; it leaves compressed where the client takes that, with a tag of its content, and as 304
where the client has it. Streams and answers that come in pieces go on as they are.

The length of a compressed answer betrays whether a text that a stranger chose also stands elsewhere in it (BREACH).
That needs a secret in the answer, and a stranger who makes the client ask. No answer holds a token but that of
``/work/enter``, which is left out, and the guard refuses what pages of other sites ask for.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope, Send

LEAST_BYTES = 700
"""What is smaller fits into the first packet anyway."""
LEFT_OUT = "/work/enter"
"""Its answer is a token."""
_IN_THREAD_BYTES = 50_000
"""Compressing more would hold up the event loop for some milliseconds."""
_QUICK, _THOROUGH = 5, {"br": 11, "gzip": 9}
_TEXTS = ("text/", "application/json", "application/problem+json", "application/hal+json", "image/svg+xml")
_STREAM = "text/event-stream"


@lru_cache(maxsize=1)
def encodings() -> tuple[str, ...]:
    """Those that can be sent, the smallest first; Brotli where its package is installed."""
    return ("br", "gzip") if find_spec("brotli") is not None else ("gzip",)


def accepted_encoding(headers: Headers) -> str:
    """The best encoding that a client takes; empty for none."""
    taken: dict[str, bool] = {}
    for part in ",".join(headers.getlist("accept-encoding")).lower().split(","):
        name, _, weight = part.partition(";")
        quality = weight.strip().removeprefix("q=")
        taken[name.strip()] = not (quality and not quality.strip("0."))
    return next((one for one in encodings() if taken.get(one, taken.get("*", False))), "")


def is_text(media: str) -> bool:
    """Whether a media type is of those that become smaller."""
    return media.startswith(_TEXTS) and not media.startswith(_STREAM)


def compressed(data: bytes, encoding: str, *, is_kept: bool = False) -> bytes:
    """Data in an encoding that `accepted_encoding` gave; thoroughly where the result is kept and sent again."""
    level = _THOROUGH[encoding] if is_kept else _QUICK
    if encoding == "br":
        return bytes(import_module("brotli").compress(data, quality=level))
    return gzip.compress(data, compresslevel=level, mtime=0)


def is_known(asked: Headers, etag: str) -> bool:
    """Whether a client has what carries this tag; compressed or not, it is the same."""
    known = {one.strip().removeprefix("W/") for one in ",".join(asked.getlist("if-none-match")).split(",")}
    return "*" in known or etag.removeprefix("W/") in known


def send_small(scope: Scope, send: Send) -> Send:
    """A `send` that compresses whole answers to this request, and answers 304 to whoever has one already."""
    if scope["path"] == LEFT_OUT:
        return send
    asked = Headers(scope=scope)
    held: list[Message] = []
    """The head of the answer, until its body is here."""

    async def small(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("content-type", "").startswith(_STREAM) or "content-encoding" in headers:
                await send(message)
            else:
                held.append(message)
            return
        if held and message["type"] == "http.response.body" and not message.get("more_body", False):
            start, body = held.pop(), message.get("body", b"")
            body = await _shrunk(start, scope["method"], asked, body)
            await send(start)
            await send({"type": "http.response.body", "body": body})
            return
        if held:
            await send(held.pop())
        await send(message)

    return small


async def _shrunk(start: Message, method: str, asked: Headers, body: bytes) -> bytes:
    """The body to be sent, and its head changed to say so."""
    headers = MutableHeaders(scope=start)
    if start["status"] == 200 and method == "GET":
        headers.setdefault("ETag", f'W/"{hashlib.blake2b(body, digest_size=12).hexdigest()}"')
        if is_known(asked, headers["ETag"]):
            start["status"] = 304
            for name in ("content-length", "content-type"):
                if name in headers:
                    del headers[name]
            return b""
    if len(body) < LEAST_BYTES or not is_text(headers.get("content-type", "")):
        return body
    headers.add_vary_header("Accept-Encoding")
    encoding = accepted_encoding(asked)
    if not encoding:
        return body
    if len(body) > _IN_THREAD_BYTES:
        body = await to_thread.run_sync(compressed, body, encoding)
    else:
        body = compressed(body, encoding)
    headers["Content-Encoding"] = encoding
    headers["Content-Length"] = str(len(body))
    if "etag" in headers and not headers["etag"].startswith("W/"):
        headers["ETag"] = f"W/{headers['etag']}"
    return body
