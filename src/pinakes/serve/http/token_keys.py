"""The tokens that a server takes: one of its own, or those in a database.

The text that a client shows enters, a verdict leaves: what it allows, or why it allows nothing. The one token is
compared here, those in a database are looked up by `token_lookups`.
"""

from __future__ import annotations

import hmac
from functools import partial
from pathlib import PurePath
from typing import Protocol

from pinakes.access import EVERYTHING, Grant, TokenScope
from pinakes.access.access_log import AccessLog, Refusal, TokenWrite
from pinakes.access.tokens import UNKNOWN, TokenTable, TokenVerdict, is_token
from pinakes.postgres import shared_database
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.http.token_lookups import TokenLookups
from pinakes.write_log import LoggedWrite, LogWrite

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

    async def verdict(self, shown: bytes, doubted: str = "") -> TokenVerdict:
        """What a token allows; `doubted` is the address that shows it, if it showed many wrong ones before. Raises
        `StoreError` and `Overloaded`."""
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
    return DatabaseTokens(options.tokens_url, options.tokens_read_urls) if options.tokens_url else OneToken(options)


class OneToken:
    """The token of this server."""

    is_one = True

    def __init__(self, options: ServeOptions) -> None:
        self._token = (options.token or options.write_token).encode()
        self.unshown = None if options.token else _READER if self._token else EVERYTHING

    async def verdict(self, shown: bytes, doubted: str = "") -> TokenVerdict:
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

    def __init__(self, url: str, read_urls: tuple[str, ...]) -> None:
        database = shared_database(url, read_urls)
        self._log = AccessLog(database)
        self._lookups = TokenLookups(TokenTable(database).verdict)

    async def verdict(self, shown: bytes, doubted: str = "") -> TokenVerdict:
        text = shown.decode("ascii", "replace")
        return await self._lookups.verdict(text, doubted) if is_token(text) else UNKNOWN

    def note(self, refusal: Refusal) -> None:
        self._log.refused(refusal)

    def log_of(self, grant: Grant) -> LogWrite | None:
        return partial(self._wrote, grant)

    def close(self) -> None:
        self._lookups.close()
        self._log.close()

    def _wrote(self, grant: Grant, one: LoggedWrite) -> None:
        library = PurePath(one.root).name
        self._log.wrote(TokenWrite(grant.token, grant.name, one.door, one.action, one.object, library, one.result))
