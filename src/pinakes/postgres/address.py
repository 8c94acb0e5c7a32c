"""Addresses of databases, and how they are shown: never with their password."""

from __future__ import annotations

import importlib.util
import re
from urllib.parse import unquote

from pinakes.errors import ConfigError, ExtraMissing

SCHEMES = ("postgresql://", "postgres://")
_SECRET_PARAMETER = re.compile(r"(?<=[?&])(password|sslpassword|passfile)=([^&]*)", re.IGNORECASE)
_HIDDEN = "***"


def is_database_url(value: str) -> bool:
    """Whether a place for the index names a database, and not a folder."""
    return value.startswith(SCHEMES)


def without_password(url: str) -> str:
    """The address as it may be shown and logged."""
    user, password, rest = _parted(url)
    shown = f"{user}:{_HIDDEN}{rest}" if password else f"{user}{rest}"
    return _SECRET_PARAMETER.sub(rf"\1={_HIDDEN}", shown)


def secrets_of(url: str) -> tuple[str, ...]:
    """What of an address must not appear in a message, as it is written there and as the server gets it."""
    written = [_parted(url)[1], *(value for _, value in _SECRET_PARAMETER.findall(url))]
    return tuple({form for value in written if value for form in (value, unquote(value))})


def _parted(url: str) -> tuple[str, str, str]:
    """What stands before the password, the password, and the rest. A password whose signs were not written as % codes
    reaches to the last @, so that no part of it is shown."""
    start = url.find("://") + 3 if "://" in url else 0
    end = url.partition("?")[0].rfind("@")
    colon = url.find(":", start)
    if not start <= colon < end:
        return url, "", ""
    return url[:colon], url[colon + 1 : end], url[end:]


def require_client() -> None:
    """Raise `ExtraMissing` where psycopg is not installed."""
    if importlib.util.find_spec("psycopg") is None:
        raise ExtraMissing(
            "An index in PostgreSQL needs psycopg, which is not installed.", 'Run: pip install "pinakes[postgres]"'
        )


def require_url(url: str) -> None:
    """Raise `ConfigError` for what is no address of a PostgreSQL database."""
    if not is_database_url(url):
        raise ConfigError(
            f"“{without_password(url)[:200]}” is no address of a PostgreSQL database.",
            "Write it as postgresql://USER:PASSWORD@HOST/DATABASE, with % codes for signs in the password.",
        )
