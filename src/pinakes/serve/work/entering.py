"""How a page that was just opened comes to its token.

A browser is started with an address, and every user of the machine can read the words a program was started with. So
the address holds no token but a ticket, in its fragment, which is not sent. The page gives the ticket back for the
token, once, and within a short time.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable

from pinakes.errors import Refused

VALID_S = 120.0
"""A browser that has to be started takes its time."""


class EntryTicket:
    """A word that stands for the token once. Used on one event loop."""

    def __init__(self, token: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.word = secrets.token_urlsafe(32)
        self._token = token
        self._clock = clock
        self._until = clock() + VALID_S

    def redeem(self, shown: str) -> str:
        """The token; raises `Refused` for another word, a second time, or too late."""
        token, is_right = self._token, hmac.compare_digest(shown.encode(), self.word.encode())
        if not token or not is_right or self._clock() > self._until:
            step = "Open the page again with pinakes work, or enter what pinakes token prints."
            raise Refused("This is not the way in any more.", step)
        self._token = ""
        return token
