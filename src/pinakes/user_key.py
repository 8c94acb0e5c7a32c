"""Did this user write it? A key that lies in the user's own data folder, and the signatures it makes.

A purpose and what is to be vouched for enter, a signature leaves. Folders come with archives and repositories, and so
may an index in them: whatever decides what Pinakes answers is signed when it is written and believed only when the
signature is this user's. Where no key can be kept (no home, or one that cannot be written to), each process has a key
of its own: what it wrote itself it believes, and nothing else.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pinakes.errors import StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.user_folders import data_path

NAME = "user.key"
_BYTES = 32
_LARGEST_RECORD = 10_000_000
_PROCESS_KEY = os.urandom(_BYTES)
"""For a process that can keep none."""


def sign(purpose: str, *parts: str | bytes) -> str:
    """What only this user can say of these parts, in this order, for this purpose."""
    digest = blake2b(key=_key(_place()), digest_size=32)
    for part in (purpose, *parts):
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def is_signed(signature: object, purpose: str, *parts: str | bytes) -> bool:
    """Whether this user signed these parts for this purpose."""
    return isinstance(signature, str) and hmac.compare_digest(signature.encode(), sign(purpose, *parts).encode())


def write_signed(folder: OwnFolder, name: str, record: Mapping[str, object], *, durable: bool = False) -> None:
    """Put a record into a JSON file with a signature that counts for files of this name; raises `OSError`."""
    signature = sign(name, json.dumps(record, sort_keys=True))
    folder.replace(name, json.dumps({**record, "signature": signature}).encode(), durable=durable)


def read_signed(folder: OwnFolder, name: str) -> dict[str, Any] | None:
    """What `write_signed` wrote; None when there is no such file, or it is damaged or not signed by this user."""
    try:
        record = json.loads(folder.read(name, _LARGEST_RECORD))
        signature = record.pop("signature")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return record if is_signed(signature, name, json.dumps(record, sort_keys=True)) else None


def is_key_kept() -> bool:
    """Whether the next process will have the same key."""
    path = _place()
    return path is not None and _read(path) == _key(path)


def _place() -> Path | None:
    """Without the variable HOME the system still knows whose process this is."""
    return data_path(NAME) or data_path(NAME, {"HOME": os.path.expanduser("~")})


@cache
def _key(path: Path | None) -> bytes:
    """The key in a file, made if there is none; one for this process where it cannot be kept."""
    if path is None:
        return _PROCESS_KEY
    if not _read(path):
        with suppress(OSError, StoreError):
            _make(OwnFolder.of_user(path.parent).make(parents=True), path)
    return _read(path) or _PROCESS_KEY


def _make(folder: OwnFolder, path: Path) -> None:
    """Whoever is first makes the key. One that is cut short, or no key at all, is replaced by one process alone."""
    try:
        folder.create(path.name, os.urandom(_BYTES))
    except FileExistsError:
        if not _read(path):
            with exclusive_lock(folder, "keys"):
                if not _read(path):
                    folder.replace(path.name, os.urandom(_BYTES))


def _read(path: Path) -> bytes:
    try:
        found = OwnFolder.of_user(path.parent).read(path.name, _BYTES + 1)
    except OSError:
        return b""
    return found if len(found) == _BYTES else b""
