"""What added documents and their projects are called, and whether we wrote a record of one.

A project's name or a document's facts enter; a name, an id or a voucher leaves. A store may come with a repository, and
its records may name any file of this machine. So each record of ours holds a voucher: a keyed digest of what the
document is and where it is from, by a key that lies in the user's own data folder and nowhere else. A record without
ours is searched like any other; its source is not looked at again until the user adds it themselves.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Mapping
from hashlib import sha256

from pinakes.errors import BadAddress, StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.records.added import AddedDocument, Origin
from pinakes.slugs import slug
from pinakes.user_folders import data_path

DEFAULT = "default"
_PROJECT = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")
_LETTERS = 12
_KEY = "added.key"
_BYTES = 32


def project_name(text: str) -> str:
    """The project as given, if it can be one; raises `BadAddress` with one that could."""
    if _PROJECT.match(text):
        return text
    problem = f"“{text[:100]}” cannot be a project: it takes 1 to 64 small letters, digits and hyphens."
    raise BadAddress(problem, project_advice(text))


def project_advice(text: str) -> str:
    """What to write instead of a text that cannot be a project."""
    near = re.sub(r"[^a-z0-9-]+", "-", slug(text[:200])).strip("-")[:64]
    return f"Try {near}." if _PROJECT.match(near) else "Use small letters, digits and hyphens, such as api-v2."


def identity(project: str, origin: Origin, source: str) -> str:
    """A document's id: short, and the same wherever the same source is added to the same project."""
    named = "\0".join((project, origin.value, source)).encode("utf-8", "surrogateescape")
    return sha256(named).hexdigest()[:_LETTERS]


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
    folder = OwnFolder.of_user(path.parent)
    try:
        if is_made and not folder.holds(_KEY):
            with exclusive_lock(folder.make(parents=True), "keys"):
                if not folder.holds(_KEY):  # nobody else was faster
                    folder.replace(_KEY, os.urandom(_BYTES))
        found = folder.read(_KEY, _BYTES)
    except (OSError, StoreError):
        return b""
    return found if len(found) == _BYTES else b""
