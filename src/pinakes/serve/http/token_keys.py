"""The tokens that a server takes: one of its own, or those in a database.

The text that a client shows enters, a verdict leaves: what it allows, or why it allows nothing. The one token is
compared here. A token in a database is looked up in a thread and believed for a moment, so that many requests in a row
ask once, and one that was revoked is refused a moment later.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import PurePath
from typing import Protocol

from pinakes.access import EVERYTHING, Grant, TokenScope
from pinakes.access.access_log import AccessLog, Refusal, TokenWrite
from pinakes.access.tokens import UNKNOWN, TokenTable, TokenVerdict, is_token
from pinakes.errors import StoreError
from pinakes.postgres import shared_database
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.pool import Overloaded
from pinakes.write_log import LoggedWrite, LogWrite

BELIEVED_S = 1.0
"""How long a verdict is believed; then a token may have expired or been revoked."""
_WITHOUT_DATABASE_S = 10.0
"""How long it is believed when the database does not answer: another server of it may be taking over."""
_MOST_KNOWN = 1000
_MOST_ASKED = 64
"""Tokens that are looked up at once."""
_READER = Grant(TokenScope.READ)
"""Who shows no token where reading needs none."""


class TokenKeys(Protocol):
    """What a server compares tokens with."""

    @property
    def unshown(self) -> Grant | None:
        """What who shows no token may do; None for nothing."""
        ...

    @property
    def is_one(self) -> bool:
        """Whether there is one token, which who started the server knows."""
        ...

    async def verdict(self, shown: bytes) -> TokenVerdict:
        """What a token allows; raises `StoreError` and `Overloaded`."""
        ...

    def note(self, refusal: Refusal) -> None:
        """Write a refusal down, where one is written."""
        ...

    def log_of(self, grant: Grant) -> LogWrite | None:
        """Who else writes down what is written by a request that may do so much."""
        ...

    def close(self) -> None: ...


def token_keys(options: ServeOptions) -> TokenKeys:
    """Those of a server."""
    return DatabaseTokens(options.tokens_url) if options.tokens_url else OneToken(options)


class OneToken:
    """The token of this server."""

    is_one = True

    def __init__(self, options: ServeOptions) -> None:
        self._token = (options.token or options.write_token).encode()
        self.unshown = None if options.token else _READER if self._token else EVERYTHING

    async def verdict(self, shown: bytes) -> TokenVerdict:
        is_right = not self._token or hmac.compare_digest(shown, self._token)
        return TokenVerdict(EVERYTHING) if is_right else UNKNOWN

    def note(self, refusal: Refusal) -> None:
        """There is no log of refusals on one machine."""

    def log_of(self, grant: Grant) -> LogWrite | None:
        return None

    def close(self) -> None:
        """Nothing is open."""


class DatabaseTokens:
    """The tokens in a database. Used on one event loop."""

    is_one = False
    unshown = None

    def __init__(self, url: str) -> None:
        database = shared_database(url)
        self._table = TokenTable(database)
        self._log = AccessLog(database)
        self._threads = ThreadPoolExecutor(2, "pinakes-tokens")
        self._known: OrderedDict[bytes, tuple[float, TokenVerdict]] = OrderedDict()
        """By the digest of a token: when it was looked up, and what was found."""
        self._asking: dict[bytes, asyncio.Future[TokenVerdict]] = {}

    async def verdict(self, shown: bytes) -> TokenVerdict:
        text = shown.decode("ascii", "replace")
        if not is_token(text):
            return UNKNOWN
        key = hashlib.sha256(shown).digest()
        then, known = self._known.get(key, (float("-inf"), UNKNOWN))
        age = time.monotonic() - then
        if age < BELIEVED_S:
            return known
        try:
            return await self._asked(key, text)
        except (StoreError, Overloaded):  # a flood of other tokens keeps nobody out who was in
            if age < _WITHOUT_DATABASE_S:
                return known
            raise

    def note(self, refusal: Refusal) -> None:
        self._log.refused(refusal)

    def log_of(self, grant: Grant) -> LogWrite | None:
        return partial(self._wrote, grant)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._log.close()

    def _wrote(self, grant: Grant, one: LoggedWrite) -> None:
        library = PurePath(one.root).name
        self._log.wrote(TokenWrite(grant.token, grant.name, one.door, one.action, one.object, library, one.result))

    async def _asked(self, key: bytes, text: str) -> TokenVerdict:
        """Look a token up; who asks for the same one meanwhile waits for the same answer."""
        asking = self._asking.get(key)
        if asking is None:
            if len(self._asking) >= _MOST_ASKED:
                raise Overloaded("Too many tokens are being looked up.", "Come back in a few seconds.")
            try:
                looked_up = self._threads.submit(self._table.verdict, text)
            except RuntimeError:
                raise Overloaded("The server is ending.", "Come back when it runs again.") from None
            self._asking[key] = asking = asyncio.wrap_future(looked_up)
            asking.add_done_callback(lambda done: self._answered(key, done))
        return await asyncio.shield(asking)

    def _answered(self, key: bytes, done: asyncio.Future[TokenVerdict]) -> None:
        self._asking.pop(key, None)
        if done.cancelled() or done.exception() is not None:
            return
        self._known[key] = time.monotonic(), done.result()
        self._known.move_to_end(key)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
