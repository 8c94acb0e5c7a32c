"""Did we write this record? A store may come with a repository, and its records may name any file of this machine.

A document enters, a voucher leaves: a keyed digest of what it is and where it is from, by a key that lies in the user's
own data folder and nowhere else. A record without ours is searched like any other; its source is not looked at again
until the user adds it themselves.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress

from pinakes.atomic import create_file
from pinakes.records.added import AddedDocument
from pinakes.user_folders import data_path

_KEY = "added.key"
_BYTES = 32


def voucher(document: AddedDocument, environment: Mapping[str, str] = os.environ) -> str:
    """What only we can say of this record; nothing where there is no place to keep the key."""
    key = _key(environment, is_made=True)
    return _digest(key, document) if key else ""


def is_ours(document: AddedDocument, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the record was written with our key."""
    key = _key(environment, is_made=False)
    return bool(key) and hmac.compare_digest(_digest(key, document), document.voucher)


def _digest(key: bytes, document: AddedDocument) -> str:
    said = "\0".join((document.id, document.project, document.origin, document.source))
    return hmac.new(key, said.encode("utf-8", "surrogateescape"), "sha256").hexdigest()


def _key(environment: Mapping[str, str], *, is_made: bool) -> bytes:
    path = data_path(_KEY, environment)
    if path is None:
        return b""
    if is_made:
        with suppress(OSError):  # it is there already, or cannot be: reading it will tell
            path.parent.mkdir(parents=True, exist_ok=True)
            create_file(path, secrets.token_bytes(_BYTES), 0o600)
    try:
        found = path.read_bytes()
    except OSError:
        return b""
    return found if len(found) == _BYTES else b""
