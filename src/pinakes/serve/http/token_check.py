"""What a request may do by the token it shows, and how wrong tokens are slowed.

The head of a request enters; a refusal leaves, or what it may do. A token for everything covers reading, too. A token
for writing covers all routes but those that only read: a route that is new needs it until it is listed here. No token
is needed to hear that the server is alive.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from base64 import b64decode
from binascii import Error as BadBase64
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from pinakes.serve.http.options import ServeOptions
from pinakes.serve.http.problems import problem

READING_POSTS = frozenset(
    (
        "/search",
        "/search/stream",
        "/query_documents",
        "/query_documents_stream",
        "/history",
        "/recall",
        "/mcp",
        "/work/enter",
    )
)
"""Questions that are asked with a body. MCP asks again for each of its tools, see `may_write`; who enters a workspace
shows a ticket."""
_REACHES_OUT = "/updates"
"""Asked by GET it writes nothing, but has this machine ask other servers."""
_PRIVATE, _OPEN = "/work/", ("/work/static/", "/work/enter")
"""What is said in a workspace is nobody else's business, so its paths ask for the token also when they only read, but
for the page's own files."""
_ALIVE = "/health"
"""It says that the server answers and nothing else, so whoever distributes requests may ask it without the token."""
_MAY_WRITE = "pinakes.may_write"
_SCHEMES = {"WWW-Authenticate": 'Bearer realm="pinakes", Basic realm="pinakes", charset="UTF-8"'}
FREE_TRIES = 5
"""Wrong tokens that a peer may show before it is slowed."""
_FORGOTTEN_S = 60.0
"""After so long without a wrong token, a peer begins anew."""
_MOST_PEERS = 1000
_WAIT_S = 0.25
_MOST_WAITING = 8
"""Refusals held back at once. Those beyond are turned away immediately, so that they hold no connection."""


class TokenCheck:
    """Compares tokens, and remembers who showed wrong ones. The right token is never refused or slowed."""

    def __init__(self, options: ServeOptions, tell_wrong: Callable[[str], None]) -> None:
        """`tell_wrong` hears of every peer that shows a wrong token."""
        self._tell_wrong = tell_wrong
        self._covers_reading = bool(options.token)
        self._token = (options.token or options.write_token).encode()
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """By peer: how many in a row, and when the last one came."""
        self._waiting = 0

    async def refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Why the request may not go on, if so; otherwise `scope` says from now on whether it may write."""
        shown = self.permit(scope, headers)
        if scope[_MAY_WRITE]:
            return None
        if shown is not None:
            return await self._wrong_token(scope)
        is_open = not self._covers_reading and _only_reads(scope["method"], scope["path"])
        if is_open or (scope["method"], scope["path"]) == ("GET", _ALIVE):
            return None
        return self._asks()

    def permit(self, scope: Scope, headers: Headers) -> bytes | None:
        """Have `scope` say whether the request may write; returns the token that it shows."""
        shown = _shown(headers.get("authorization", ""))
        scope[_MAY_WRITE] = not self._token or (shown is not None and hmac.compare_digest(shown, self._token))
        return shown

    def _asks(self) -> Response:
        if self._covers_reading:
            what, step = "This server asks for its token.", "Send the header Authorization: Bearer TOKEN."
        else:
            what = "This server asks for its token before it writes."
            step = "Send the header Authorization: Bearer TOKEN; where the server runs, pinakes token prints it."
        return problem(401, what, step, headers=_SCHEMES)

    async def _wrong_token(self, scope: Scope) -> Response:
        step = "Where the server runs, pinakes token prints the one it made." if not self._covers_reading else ""
        self._tell_wrong(peer := _peer(scope))
        if self.count(peer) > FREE_TRIES:
            if self._waiting >= _MOST_WAITING:
                headers = {"Retry-After": "1", "Connection": "close"}
                return problem(429, "Too many wrong tokens came from this address.", step, headers=headers)
            self._waiting += 1
            try:
                await asyncio.sleep(_WAIT_S)
            finally:
                self._waiting -= 1
        return problem(401, "This is not the token of this server.", step, headers=_SCHEMES)

    def count(self, peer: str) -> int:
        """One more wrong token from a peer; returns how many came in a row."""
        now = time.monotonic()
        count, last = self._wrong.pop(peer, (0, now))
        count = 1 if now - last > _FORGOTTEN_S else count + 1
        self._wrong[peer] = count, now
        if len(self._wrong) > _MOST_PEERS:
            self._wrong.popitem(last=False)
        return count


def may_write(scope: Mapping[str, Any]) -> bool:
    """Whether a request that was let in may write."""
    return bool(scope.get(_MAY_WRITE, False))


def _only_reads(method: str, path: str) -> bool:
    if path.startswith(_PRIVATE) and not path.startswith(_OPEN):
        return False
    return path in READING_POSTS or (method in ("GET", "HEAD") and path != _REACHES_OUT)


def _shown(authorization: str) -> bytes | None:
    """A bearer token, or the password that a browser asks its user for; None when there is neither."""
    scheme, _, given = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return given.strip().encode()
    if scheme.lower() == "basic":
        try:
            return b64decode(given.strip(), validate=True).decode("utf-8").partition(":")[2].strip().encode()
        except (BadBase64, ValueError):
            return b""
    return None


def _peer(scope: Scope) -> str:
    """An address, or the network of one of IPv6: there a single client has many."""
    client = scope.get("client")
    try:
        address = ipaddress.ip_address(client[0] if client else "")
    except ValueError:
        return ""
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)
