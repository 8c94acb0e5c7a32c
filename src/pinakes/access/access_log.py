"""What was written with tokens, and what was refused: rows of a table, never a token.

Writes and refusals enter from any thread and are written soon by a thread of the log's own, so that nobody waits for
it. Refusals alike are one row with their count, and of others there is one row in two seconds: who tries many tokens
fills no table. What cannot be written is lost,
and a line on stderr says so: an answer does not fail because it cannot be logged.

    time      when it was written
    token     the id of the token; empty where it was unknown or none was shown
    name      what it is called
    door      http, mcp
    action    remember, add, …; of a refusal the method and the path, or the tool
    object    the address that was written
    library   the name of the library
    result    done, added, …; of a refusal its reason: unknown, expired, revoked, scope, none
    peer      of a refusal the address of the client
    count     of a refusal how many there were
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from pinakes.access.tokens import in_utc
from pinakes.errors import PinakesError

if TYPE_CHECKING:
    from pinakes.postgres.database import Database

_LOG = logging.getLogger("pinakes")
FLUSH_S = 0.5
_MOST_KINDS = 200
"""Rows of refusals at once. Each is had again after `_ROW_S`; refusals beyond them are rows without a name."""
_ROW_S, _MORE_S = 2.0, 60.0
"""How often there may be a row of refusals, and how often one of those beyond, where somebody goes on and on."""
KEPT_DAYS = 400
_LONGEST = 300
"""Characters of a field."""


class Refusal(Struct, frozen=True):
    """Somebody was not let in, or not as far as wanted."""

    token: str
    name: str
    door: str
    action: str
    result: str
    """Why: unknown, expired, revoked, scope."""
    peer: str


class TokenWrite(Struct, frozen=True):
    """Something was written with a token."""

    token: str
    name: str
    door: str
    action: str
    object: str
    library: str
    result: str


class AccessRow(Struct, frozen=True):
    """A row of the log."""

    time: str
    """In UTC."""
    token: str
    name: str
    door: str
    action: str
    object: str
    library: str
    result: str
    peer: str
    count: int


_Waiting = tuple[str, str, str, str, str, str, str, str]
_MORE: _Waiting = ("", "", "", "further refusals", "", "", "", "")
_INSERT = (
    "INSERT INTO access_log (token, name, door, action, object, library, result, peer, count)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
)


class AccessLog:
    """The log of one database, as one process writes to it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: Counter[_Waiting] = Counter()
        self._more = 0
        """Refusals beyond the rows that there may be, not written yet."""
        self._rows_left = float(_MOST_KINDS)
        self._counted = self._more_written = time.monotonic() - _MORE_S
        self._changing = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def refused(self, one: Refusal) -> None:
        """Write a refusal soon."""
        row = (one.token, one.name, one.door, one.action, "", "", one.result, one.peer)
        self._add(row, is_bounded=True)

    def wrote(self, one: TokenWrite) -> None:
        """Write a write soon."""
        self._add((one.token, one.name, one.door, one.action, one.object, one.library, one.result, ""))

    def close(self) -> None:
        """Write what waits, if that is quick."""
        with self._changing:
            self._is_closed = True
            self._changing.notify()
            thread = self._thread
        if thread is not None:
            thread.join(1.0)

    def _add(self, row: _Waiting, *, is_bounded: bool = False) -> None:
        cut = tuple(field[:_LONGEST] for field in row)
        with self._changing:
            if is_bounded and cut not in self._waiting and not self._has_row():
                self._more += 1
            else:
                self._waiting[cut] += 1  # type: ignore[index]
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pinakes-access-log", daemon=True)
                self._thread.start()
            self._changing.notify()

    def _has_row(self) -> bool:
        """Whether there may be one more row of refusals, which is taken then."""
        now = time.monotonic()
        self._rows_left = min(_MOST_KINDS, self._rows_left + (now - self._counted) / _ROW_S)
        self._counted = now
        if self._rows_left < 1:
            return False
        self._rows_left -= 1
        return True

    def _more_is_due(self) -> bool:
        return self._more > 0 and time.monotonic() - self._more_written >= _MORE_S

    def _run(self) -> None:
        is_first = True
        while True:
            with self._changing:
                while not (self._waiting or self._is_closed or self._more_is_due()):
                    self._changing.wait(_MORE_S if self._more else None)
                if not self._is_closed:
                    self._changing.wait_for(lambda: self._is_closed, FLUSH_S)  # more of the same may come
                rows, self._waiting = self._waiting, Counter()
                if self._more_is_due() or (self._is_closed and self._more):
                    rows[_MORE], self._more, self._more_written = self._more, 0, time.monotonic()
                is_last = self._is_closed
            self._write(rows, is_first=is_first)
            is_first = False
            if is_last:
                return

    def _write(self, rows: Counter[_Waiting], *, is_first: bool) -> None:
        try:
            with self._database.transaction() as connection:
                if is_first:
                    connection.execute(f"DELETE FROM access_log WHERE time < now() - interval '{KEPT_DAYS} days'")
                for row, count in rows.items():
                    connection.execute(_INSERT, (*row, count))
        except PinakesError as error:
            _LOG.warning("The log of access could not be written: %s", error)


def read_access_log(database: Database, since: datetime | None, limit: int) -> tuple[AccessRow, ...]:
    """The newest rows, the newest last."""
    rows = database.ask(
        "SELECT time, token, name, door, action, object, library, result, peer, count FROM pinakes.access_log"
        " WHERE coalesce(time >= %s::timestamptz, true) ORDER BY id DESC LIMIT %s",
        (since, limit),
    )
    return tuple(AccessRow(in_utc(time), *rest) for time, *rest in reversed(rows))
