"""Tokens in a database: made, listed, revoked and compared.

    pinakes_3k9xw2m7q4hd_…43 letters and digits…
            └ id         └ secret

The id leads to one row, and the secret is compared with its hash. A secret is 256 random bits, so that one round of
SHA-256 is enough: nobody can try them out, and a slow hash would only make every request slow.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from pinakes.access.grant import Grant, TokenScope
from pinakes.errors import ConfigError, NotFound, StoreError

if TYPE_CHECKING:
    from pinakes.postgres.database import Database

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_ID = 12
_TOKEN = re.compile(rf"pinakes_([{_LETTERS}]{{{_ID}}})_([A-Za-z0-9_-]{{43}})")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}")
MOST_AWAY_S = 600.0
"""How long replicas are believed about tokens while the primary is away: they hear of none that is revoked then."""
LONGEST_LIBRARY = 255
MOST_LIBRARIES = 1000
_COLUMNS = "id, name, scope, libraries, made, expires, revoked, expires <= now()"


class TokenRow(Struct, frozen=True):
    """A token as it is listed: without its secret, which nobody has but its holder."""

    id: str
    name: str
    scope: TokenScope
    libraries: tuple[str, ...] | None
    """None for all."""
    made: str
    """In UTC, as are the others."""
    expires: str
    """Empty for never."""
    revoked: str
    """Empty where it was not."""
    state: str
    """valid, expired or revoked."""


class TokenVerdict(Struct, frozen=True):
    """What became of a token that was shown."""

    grant: Grant | None
    """What it allows; None where it allows nothing."""
    reason: str = ""
    """Why it allows nothing: unknown, expired, revoked."""
    token: str = ""
    """Its id, where there is a token of that id."""
    name: str = ""


UNKNOWN = TokenVerdict(None, "unknown")


def is_token(text: str) -> bool:
    """Whether a text could be a token of a database."""
    return _TOKEN.fullmatch(text) is not None


class TokenTable:
    """The tokens of one database; its methods block."""

    def __init__(self, database: Database) -> None:
        """Tokens are looked up at the primary; while it is away, at the replicas that `database` knows."""
        self._database = database
        self._history = ""
        """Names the database: a server that is no replica of it has another one."""

    def require(self) -> None:
        """Raise `StoreError` with the next step unless the tables are there."""
        from pinakes.access.schema import ACCESS_TABLES
        from pinakes.postgres.migrations import require_schema

        require_schema(self._database, [ACCESS_TABLES])

    def create(
        self, name: str, scope: TokenScope, libraries: Sequence[str] | None, expires: datetime | None
    ) -> tuple[str, TokenRow]:
        """Make a token; returns its text, which is kept nowhere, and its row. Raises `ConfigError` for a name that is
        taken or none, and for a time that is over."""
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"“{name[:80]}” is no name of a token.", "Use up to 64 letters, digits, spaces and . _ @ -"
            )
        named = None if libraries is None else sorted(set(libraries))
        if named is not None and not all(0 < len(one) <= LONGEST_LIBRARY for one in named):
            raise ConfigError("A library has a name of 1 to 255 characters.", "pinakes token create --library NAME")
        if named is not None and not 0 < len(named) <= MOST_LIBRARIES:
            raise ConfigError(f"A token names 1 to {MOST_LIBRARIES:,} libraries.", "--library '*' means all.")
        self.require()
        identity = "".join(secrets.choice(_LETTERS) for _ in range(_ID))
        secret, salt = secrets.token_urlsafe(32), secrets.token_bytes(16)
        with self._database.transaction() as connection:
            row = connection.execute(
                "INSERT INTO tokens (id, name, scope, libraries, salt, hash, expires)"
                " SELECT %s, %s, %s, %s::text[], %s, %s, %s::timestamptz"
                " WHERE coalesce(%s::timestamptz > now(), true)"
                f" ON CONFLICT (name) WHERE revoked IS NULL DO NOTHING RETURNING {_COLUMNS}",
                (identity, name, scope.value, named, salt, _hashed(salt, secret), expires, expires),
            ).fetchone()
            if row is None:
                taken = connection.execute("SELECT id FROM tokens WHERE name = %s AND revoked IS NULL", (name,))
                if taken.fetchone() is None:
                    raise ConfigError("The token would have expired already.", "Give a time to come: --expires 90d")
                raise ConfigError(
                    f"There is a token “{name}” already.", f"Revoke it first: pinakes token revoke “{name}”."
                )
        return f"pinakes_{identity}_{secret}", _row(row)

    def list(self) -> tuple[TokenRow, ...]:
        """Every token, the newest last."""
        self.require()
        rows = self._database.ask(f"SELECT {_COLUMNS} FROM pinakes.tokens ORDER BY made, id")
        return tuple(map(_row, rows))

    def revoke(self, wanted: str) -> TokenRow:
        """Have a token of that name or id allow nothing from now on; raises `NotFound`."""
        self.require()
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE tokens SET revoked = now() WHERE revoked IS NULL AND (name = %s OR id = %s)"
                f" RETURNING {_COLUMNS}",
                (wanted, wanted),
            ).fetchone()
        if row is None:
            raise NotFound(f"There is no valid token “{wanted[:80]}”.", "pinakes token list shows all.")
        return _row(row)

    def verdict(self, shown: str) -> TokenVerdict:
        """What a token that was shown allows."""
        found = _TOKEN.fullmatch(shown)
        if found is None:
            return UNKNOWN
        asked = (
            "SELECT name, scope, libraries, salt, hash, expires <= now(), revoked IS NOT NULL,"
            " coalesce((SELECT history FROM pinakes.indexes ORDER BY id LIMIT 1), 'none')"
            " FROM pinakes.tokens WHERE id = %s"
        )
        rows = self._database.ask(asked, (found[1],), anywhere=True)
        self._believe(rows[0][-1] if rows else "")
        if not rows:
            return UNKNOWN
        name, scope, libraries, salt, kept, is_expired, is_revoked, _ = rows[0]
        if not hmac.compare_digest(_hashed(bytes(salt), found[2]), bytes(kept)):
            return UNKNOWN
        if is_revoked or is_expired:
            return TokenVerdict(None, "revoked" if is_revoked else "expired", found[1], name)
        named = None if libraries is None else frozenset(libraries)
        return TokenVerdict(Grant(TokenScope(scope), named, found[1], name), "", found[1], name)

    def _believe(self, history: str) -> None:
        """Raise `StoreError` unless whoever answered is the primary, or may speak for it. A replica that knows no such
        token may only be behind."""
        away_s = self._database.away_s
        if not away_s:
            self._history = history or self._history
        elif history != self._history or away_s > MOST_AWAY_S:
            problem = f"Tokens cannot be looked up: {self._database.shown} does not answer."
            raise StoreError(problem, "Try again when it does.")


def _hashed(salt: bytes, secret: str) -> bytes:
    return hashlib.sha256(salt + secret.encode()).digest()


def _row(row: tuple[Any, ...] | None) -> TokenRow:
    assert row is not None
    identity, name, scope, libraries, made, expires, revoked, is_expired = row
    named = None if libraries is None else tuple(libraries)
    state = "revoked" if revoked else "expired" if is_expired else "valid"
    return TokenRow(identity, name, TokenScope(scope), named, in_utc(made), in_utc(expires), in_utc(revoked), state)


def in_utc(time: datetime | None) -> str:
    """A time as it is shown; empty for none."""
    return time.astimezone(UTC).isoformat(timespec="seconds") if time is not None else ""
