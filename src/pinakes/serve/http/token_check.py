"""What a request may do by the token it shows, and how wrong tokens are slowed.

The head of a request enters; a refusal leaves, or a `Grant` in its scope. What a route needs is in `rights`, what a
token allows in `token_keys`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from base64 import b64decode
from binascii import Error as BadBase64
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from pinakes.access import Grant, TokenScope
from pinakes.access.access_log import Refusal
from pinakes.access.tokens import TokenVerdict
from pinakes.errors import PinakesError
from pinakes.serve.http.problems import problem, problem_of
from pinakes.serve.http.rights import needed
from pinakes.serve.http.token_keys import TokenKeys

_GRANT, _VERDICT = "pinakes.grant", "pinakes.verdict"
_NOTHING = Grant(TokenScope.READ, frozenset())
"""For who hears that the server is alive, and no more."""
_BASIC, _BEARER = 'Basic realm="pinakes", charset="UTF-8"', 'Bearer realm="pinakes"'
"""Each in a header of its own: browsers look at the first scheme of each."""
FREE_TRIES = 5
"""Wrong tokens that a peer may show before it is slowed."""
_FORGOTTEN_S = 60.0
"""After so long without a wrong token, a peer begins anew."""
_MOST_PEERS = 1000
_WAIT_S = 0.25
_AGAIN_S = 3.0
"""How often the token of an answer that takes long is looked at again."""
_MOST_WAITING = 8
"""Refusals held back at once. Those beyond are turned away immediately, so that they hold no connection."""
_REASONS = {
    "unknown": "This is not the token of this server.",
    "expired": "This token has expired.",
    "revoked": "This token was revoked.",
}


class TokenCheck:
    """Compares tokens, and remembers who showed wrong ones. The right token is never refused or slowed."""

    def __init__(self, keys: TokenKeys, tell_wrong: Callable[[str], None]) -> None:
        """`tell_wrong` hears of every peer that shows a wrong token."""
        self._keys = keys
        self._tell_wrong = tell_wrong
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """By peer: how many in a row, and when the last one came."""
        self._waiting = 0

    async def refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Why the request may not go on, if so; otherwise `scope` says from now on what it may do."""
        try:
            verdict = await self.permit(scope, headers)
        except PinakesError as trouble:  # the database does not answer
            return problem_of(trouble)
        needs = needed(scope["method"], scope["path"])
        is_shown = _shown(headers.get("authorization", "")) is not None
        if verdict.grant is None and is_shown:
            return await self._wrong_token(scope, headers, verdict)
        if needs is None or (verdict.grant is not None and verdict.grant.may(needs)):
            return None
        if verdict.grant is None or not is_shown:
            return self._asks(headers)
        note_refusal(self._keys, scope)
        has = verdict.grant.scope.value
        return problem(403, f"This token may {has}, and this asks for one that may {needs.value}.", _ASK_ADMIN)

    async def permit(self, scope: Scope, headers: Headers) -> TokenVerdict:
        """Have `scope` say what the request may do, and return what became of the token that it shows."""
        shown = _shown(headers.get("authorization", ""))
        scope[_GRANT] = _NOTHING
        if shown is None:
            verdict = TokenVerdict(self._keys.unshown)
        else:
            peer = peer_of(scope)
            verdict = await self._keys.verdict(shown, peer if self._shown_wrong(peer) > FREE_TRIES else "")
        scope[_GRANT], scope[_VERDICT] = verdict.grant or _NOTHING, verdict
        return verdict

    async def answer_while_valid(self, headers: Headers, answer: Awaitable[None]) -> Response | None:
        """Have a request answered for as long as its token is valid. What takes long, such as a stream, is ended a
        moment after the token has expired or was revoked; then this returns the refusal, for whoever can still be told.
        """
        shown = _shown(headers.get("authorization", ""))
        if self._keys.is_one or shown is None:
            await answer
            return None
        answering = asyncio.ensure_future(answer)
        try:
            while not answering.done():
                await asyncio.wait({answering}, timeout=_AGAIN_S)
                if answering.done():
                    break
                try:
                    verdict = await self._keys.verdict(shown)
                except PinakesError as trouble:
                    return problem_of(trouble)
                if verdict.grant is None:
                    return _unauthorized(headers, _REASONS[verdict.reason], _ASK_ADMIN)
            answering.result()
            return None
        finally:
            if not answering.done():
                answering.cancel()
                with suppress(asyncio.CancelledError):
                    await answering

    def _asks(self, headers: Headers) -> Response:
        if self._keys.unshown is None:
            what, step = "This server asks for its token.", "Send the header Authorization: Bearer TOKEN."
            step = step if self._keys.is_one else f"{step} pinakes token create makes one."
        else:
            what = "This server asks for its token before it writes."
            step = "Send the header Authorization: Bearer TOKEN; where the server runs, pinakes token prints it."
        return _unauthorized(headers, what, step)

    async def _wrong_token(self, scope: Scope, headers: Headers, verdict: TokenVerdict) -> Response:
        step = "Where the server runs, pinakes token prints the one it made." if self._keys.unshown else ""
        note_refusal(self._keys, scope)
        self._tell_wrong(peer := peer_of(scope))
        if self.count(peer) > FREE_TRIES:
            if self._waiting >= _MOST_WAITING:
                soon = {"Retry-After": "1", "Connection": "close"}
                return problem(429, "Too many wrong tokens came from this address.", step, headers=soon)
            self._waiting += 1
            try:
                await asyncio.sleep(_WAIT_S)
            finally:
                self._waiting -= 1
        if verdict.reason in ("expired", "revoked"):
            step = _ASK_ADMIN
        return _unauthorized(headers, _REASONS[verdict.reason], step)

    def count(self, peer: str) -> int:
        """One more wrong token from a peer; returns how many came in a row."""
        count = self._shown_wrong(peer) + 1
        self._wrong[peer] = count, time.monotonic()
        self._wrong.move_to_end(peer)
        if len(self._wrong) > _MOST_PEERS:
            self._wrong.popitem(last=False)
        return count

    def _shown_wrong(self, peer: str) -> int:
        """How many wrong tokens came in a row from a peer."""
        count, last = self._wrong.get(peer, (0, 0.0))
        return 0 if time.monotonic() - last > _FORGOTTEN_S else count


_ASK_ADMIN = "Ask for another token whoever runs this server: pinakes token create makes one."


def _unauthorized(headers: Headers, detail: str, next_step: str) -> Response:
    """A browser asks its user for the token where he opens a page. What the page asks for by itself goes without: there
    the browser's question would come between, and the page asks itself."""
    refusal = problem(401, detail, next_step)
    if "text/html" in headers.get("accept", ""):
        refusal.headers.append("WWW-Authenticate", _BASIC)
    refusal.headers.append("WWW-Authenticate", _BEARER)
    return refusal


def grant_of(scope: Mapping[str, Any]) -> Grant:
    """What a request that was let in may do."""
    grant: Grant = scope.get(_GRANT, _NOTHING)
    return grant


def note_refusal(keys: TokenKeys, scope: Mapping[str, Any], what: str = "") -> None:
    """Write down that a request was not let in, or not as far as it wanted."""
    verdict: TokenVerdict = scope[_VERDICT]
    action = f"{str(scope['method'])[:10]} {what or scope['path']}"
    keys.note(Refusal(verdict.token, verdict.name, "http", action, verdict.reason or "scope", peer_of(scope)))


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


def peer_of(scope: Mapping[str, Any]) -> str:
    """An address, or the network of one of IPv6: there a single client has many."""
    client = scope.get("client")
    try:
        address = ipaddress.ip_address(client[0] if client else "")
    except ValueError:
        return ""
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)
