"""What a request may do: how far, and in which libraries. No database, no token."""

from __future__ import annotations

from contextvars import ContextVar
from enum import StrEnum

from msgspec import Struct


class TokenScope(StrEnum):
    """How far a token reaches; each includes those before it."""

    READ = "read"
    """Ask and read."""
    WRITE = "write"
    """Also change notes and added documents, and have an index compared."""
    ADMIN = "admin"
    """Also change settings, and write files."""

    def covers(self, other: TokenScope) -> bool:
        """Whether who has this one may do what asks for the other."""
        order = tuple(TokenScope)
        return order.index(self) >= order.index(other)


class Grant(Struct, frozen=True):
    """What a request may do."""

    scope: TokenScope
    libraries: frozenset[str] | None = None
    """Their names; None for all, also those that come later."""
    token: str = ""
    """The id of the token that was shown; empty where there is none with an id."""
    name: str = ""
    """What the token is called."""

    def may(self, scope: TokenScope) -> bool:
        return self.scope.covers(scope)

    def sees(self, library: str) -> bool:
        """Whether there is such a library for this request, if there is one at all."""
        return self.libraries is None or library in self.libraries


EVERYTHING = Grant(TokenScope.ADMIN)
"""For our own work, and for who has the one token of a machine."""
GRANT: ContextVar[Grant] = ContextVar("grant", default=EVERYTHING)
"""Of the present request. A door sets it before anything is asked of a library."""
