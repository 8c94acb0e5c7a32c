"""The app of `pinakes serve` in this process, asked with requests that are made of bytes."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

from kits.http import PAGES
from kits.trees import write_tree
from pinakes.serve.http.app import create_app
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.libraries import Libraries

_ANSWER_S = 60.0
"""A guard against hanging."""
_KNOWN = (
    *(b"GET /search?query=", b"GET /map?", b"GET /read?address=", b"GET /links?address=", b"GET /", b"GET /read/"),
    *(b"POST /mcp", b"POST /remember", b"POST /append", b"POST /update", b"POST /drop", b"POST /recall"),
)
"""The first byte chooses how a request begins, so that the fuzzer need not guess addresses."""
_UNENDING = ("/events", "/mcp")
"""Streams, when one GETs them."""


class Wire:
    """One library behind the app, its loop in a thread."""

    def __init__(self, root: Path) -> None:
        write_tree(root, PAGES)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._options = ServeOptions()
        self._app = create_app(Libraries((root,), {"added.fetch": False}), self._options)
        self._lifespan: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(_ANSWER_S)

    def ask(self, data: bytes) -> None:
        """Send `data` as a request: a byte for the beginning, the rest of the address, headers, an empty line, a body.

        Raises `AssertionError` when the answer is not whole or is a failure of the server.
        """
        if not data:
            return
        head, _, body = data[1:].partition(b"\n\n")
        address, *lines = (_KNOWN[data[0] % len(_KNOWN)] + head).split(b"\n")
        method, _, target = address.partition(b" ")
        path, _, query = target.partition(b"?")
        if method != b"POST" and path.decode("latin-1").rstrip("/") in _UNENDING:
            return
        pairs = [line.partition(b":") for line in lines[:50]]
        headers = [(name.strip().lower(), value.strip()) for name, _, value in pairs if name.strip()]
        own = (b"host", b"content-type", b"content-length", b"accept")
        headers = [pair for pair in headers if pair[0] not in own]
        headers += [(b"host", f"127.0.0.1:{self._options.port}".encode()), (b"content-length", b"%d" % len(body))]
        headers += [(b"content-type", b"application/json"), (b"accept", b"application/json, text/event-stream")]
        scope = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"},
            **{"method": method.decode("latin-1"), "path": path.decode("utf-8", "replace"), "raw_path": path},
            **{"query_string": query, "root_path": "", "headers": headers},
            **{"client": ("127.0.0.1", 1), "server": ("127.0.0.1", self._options.port)},
        }
        status = asyncio.run_coroutine_threadsafe(self._answer(scope, body), self._loop).result(_ANSWER_S)
        assert status < 500 or status == 503, f"{status} for {address!r}"

    async def _answer(self, scope: dict[str, Any], body: bytes) -> int:
        sent = [{"type": "http.request", "body": body, "more_body": False}]
        status, is_whole = 0, asyncio.Event()

        async def receive() -> dict[str, Any]:
            if not sent:
                await is_whole.wait()
            return sent.pop() if sent else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            nonlocal status
            status = message.get("status", status)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                is_whole.set()

        await self._app(scope, receive, send)  # type: ignore[arg-type]
        assert is_whole.is_set(), "no answer, or half of one"
        return status

    async def _start(self) -> None:
        started = asyncio.Event()

        async def receive() -> dict[str, Any]:
            return {"type": "lifespan.startup"} if not started.is_set() else await self._lifespan.get()

        async def send(message: dict[str, Any]) -> None:
            assert message["type"] == "lifespan.startup.complete", message
            started.set()

        scope = {"type": "lifespan", "asgi": {"version": "3.0"}}
        self._running = asyncio.ensure_future(self._app(scope, receive, send))  # type: ignore[arg-type]
        await started.wait()
