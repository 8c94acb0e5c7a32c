"""What the errors of PostgreSQL and of its client mean, in our own family, each with the next step.

An error and an address without its password enter, a `StoreError` leaves. Messages of the server are repeated where
they help; a password never is, even where a server or library repeats one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from pinakes.errors import StoreBusy, StoreError, StoreReadOnly
from pinakes.postgres.address import secrets_of, without_password

MIGRATE = "Run `pinakes migrate --store URL` once, as a user who may create tables."
"""The next step where tables are missing or older."""

_LOST = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.IdleInTransactionSessionTimeout)
_CONNECTION = "08"
"""How the codes of connections begin, which poolers give, too."""
_LATER = (errors.LockNotAvailable, errors.SerializationFailure, errors.DeadlockDetected)
_MISSING = (errors.UndefinedTable, errors.InvalidSchemaName, errors.UndefinedFunction, errors.UndefinedColumn)
_LOGIN = re.compile("authentication failed|no pg_hba.conf entry|role .* does not exist|no password supplied")
_NO_DATABASE = re.compile("database .* does not exist")
_NO_PRIMARY = re.compile("session is read-only|hot standby mode")
_FULL = (errors.DiskFull, errors.OutOfMemory, errors.TooManyConnections)


@contextmanager
def translate_database_errors(url: str) -> Iterator[None]:
    """Errors of the client leave as `StoreError`; the others as they are."""
    try:
        yield
    except psycopg.Error as error:
        raise store_error(error, url) from None  # the original may repeat the address


def store_error(error: psycopg.Error, url: str) -> StoreError:
    """What to tell of an error that PostgreSQL or its client raised."""
    where = f"The database {without_password(url)}"
    said = _said(error, url)
    if isinstance(error, _LATER):
        return StoreBusy(f"{where} was changed by somebody else at the same moment.", "Try again.")
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return StoreReadOnly(f"{where} can only be read.", "Name the primary server, not a replica, to write.")
    if isinstance(error, errors.InsufficientPrivilege):
        return StoreError(f"{where} does not allow this ({said}).", "Grant this user its rights on the schema pinakes.")
    if isinstance(error, _MISSING):
        return StoreError(f"{where} has other tables than this Pinakes ({said}).", MIGRATE)
    if isinstance(error, _FULL):
        return StoreError(f"{where} has no room ({said}).", "Free space or connections there; the index is as it was.")
    if isinstance(error, errors.QueryCanceled):
        return StoreBusy(f"{where} took too long to answer ({said}).", "Try again when it has less to do.")
    if is_connection_lost(error):
        # Until a connection stands there are no codes, only what the server says to people.
        if _LOGIN.search(said):
            return StoreError(f"{where} refuses this user ({said}).", "Check the user and the password in the address.")
        if _NO_DATABASE.search(said):
            return StoreError(f"{where} does not exist.", "Create it with createdb, then run `pinakes migrate`.")
        if _NO_PRIMARY.search(said):
            step = "Wait until a replica is promoted, or promote one, then ask again."
            return StoreError(f"{where} has no server that takes writes ({said}).", step)
        step = "Check that the server runs and can be reached at this address, then ask again."
        return StoreError(f"{where} does not answer ({said}).", step)
    return StoreError(f"{where} could not be used ({said}).", "Look at the log of the server; `pinakes doctor` helps.")


def is_connection_lost(error: psycopg.Error) -> bool:
    """Whether another connection may do what this one could not."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    return not error.sqlstate or error.sqlstate.startswith(_CONNECTION) or isinstance(error, _LOST)


def _said(error: psycopg.Error, url: str) -> str:
    """The first line of the message, without secrets."""
    lines = [line.strip() for line in str(error.diag.message_primary or error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    for secret in secrets_of(url):
        text = text.replace(secret, "***")
    return text[:300].rstrip(".")
