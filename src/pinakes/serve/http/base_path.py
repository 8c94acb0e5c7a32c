"""The path that a proxy serves us under, such as ``/docs``.

A setting enters as somebody wrote it, and requests with the path in front; both leave without doubt: the path as it is
put before every address that goes out, and the request as the routes know it. A proxy may hand the path on or take it
off; both kinds of request get the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from starlette.types import Scope

from pinakes.errors import ConfigError

_SEGMENT = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*\Z")


def normal_base_path(given: str) -> str:
    """As it is put before an address, without a slash at its end; empty for none. Raises `ConfigError` for what is no
    plain path."""
    segments = [segment for segment in given.strip().split("/") if segment]
    for segment in segments:
        if not _SEGMENT.match(segment):
            raise ConfigError(
                f"“{given}” is no path to serve under: “{segment}” is not a plain name.",
                "Write --base-path /docs; letters, digits, - . _ and ~ are taken, and not the address of the server.",
            )
    return "".join(f"/{segment}" for segment in segments)


def refuse_own(base_path: str, routes: Iterable[str]) -> None:
    """Refuse a path that begins as one of our routes does: behind a proxy that takes the path off, nobody could tell
    the two apart."""
    first = base_path.split("/")[1] if base_path else ""
    if first and first in {route.split("/")[1] for route in routes}:
        raise ConfigError(
            f"Pinakes cannot be served under {base_path}: /{first} is one of its own addresses.",
            "Choose another path, such as --base-path /docs.",
        )


def without_base_path(scope: Scope, base_path: str) -> Scope:
    """The request as the routes know it."""
    path = scope["path"]
    if not base_path or not (path == base_path or path.startswith(f"{base_path}/")):
        return scope
    # What stands before the rest is plain ASCII, so it is as long in bytes; but somebody may have percent-encoded it.
    raw = scope.get("raw_path", b"")
    prefix = base_path.encode()
    rest = {"raw_path": raw[len(prefix) :] or b"/"} if raw.startswith(prefix) else {"raw_path": b""}
    return {**scope, "path": path[len(base_path) :] or "/", **rest}
