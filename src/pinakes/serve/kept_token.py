"""The token that `pinakes serve` asks for before it writes.

It is made once and lies in the user's data folder, for nobody else to read. Every program of the user can read it
there, and programs of other users cannot.
"""

from __future__ import annotations

import secrets
from contextlib import suppress

from pinakes.errors import ConfigError, StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.user_folders import data_path
from pinakes.write_log import log_writes

NAME = "serve.token"
_STEP = "Set one yourself with PINAKES_TOKEN, or let everybody on this machine write with --no-token."
_OTHERS = 0o077


def kept_token(*, is_renewed: bool = False) -> str:
    """The user's token, made now if there is none, or anew; raises `ConfigError` when it cannot be kept or trusted."""
    place = data_path(NAME)
    if place is None:
        raise ConfigError("There is no home to keep a token in.", _STEP)
    folder = OwnFolder.of_user(place.parent)
    made = secrets.token_urlsafe(32).encode() + b"\n"
    try:
        folder.make(parents=True)
        if is_renewed:
            folder.replace(NAME, made)
            log_writes("token", [(NAME, "renewed")])
        elif not folder.holds(NAME):
            with suppress(FileExistsError):  # another process was as quick
                folder.create(NAME, made)
                log_writes("token", [(NAME, "made")])
        facts = folder.facts(NAME)
        token = folder.read(NAME, 1000).decode("ascii").strip()
    except (OSError, ValueError, StoreStrange) as error:
        raise ConfigError(f"The token cannot be kept in {place}: {error}", _STEP) from error
    if not token or facts is None or facts.st_mode & _OTHERS:
        raise ConfigError(f"{place} is empty, or others can read it.", "pinakes token --new makes another one.")
    return token
