"""What added documents and their projects are called, and whether we wrote a record of one.

A project's name or a document's facts enter; a name, an id or a voucher leaves. A store may come with a repository, and
its records may name any file of this machine, or any address. So each record of ours holds a voucher: the user's
signature of the store, the text and where it is from. A record without ours is searched like any other; its source is
neither shown nor looked at again until the user adds it themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from urllib.parse import urlsplit

from msgspec import Struct

from pinakes.errors import BadAddress
from pinakes.records.added import AddedDocument, Origin
from pinakes.slugs import slug
from pinakes.user_key import is_signed, sign

DEFAULT = "default"
_PROJECT = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")
_LETTERS = 12


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


def voucher(document: AddedDocument, store: str, text: bytes) -> str:
    """What only this user can say: that this text came from this source into this store."""
    return sign(*_said(document, store, text))


def is_ours(document: AddedDocument, store: str, text: bytes) -> bool:
    """Whether this user's Pinakes wrote the record and the text."""
    return is_signed(document.voucher, *_said(document, store, text))


def _said(document: AddedDocument, store: str, text: bytes) -> tuple[str, ...]:
    facts = (document.id, document.project, document.origin, document.source, document.checksum)
    return ("added", store, *facts, sha256(text).hexdigest())


class SourceName(Struct, frozen=True):
    """Which document it is that was found."""

    project: str
    origin: Origin
    source: str
    key: str = ""
    """What makes it this one where it has no source."""
    etag: str = ""
    last_modified: str = ""

    @property
    def id(self) -> str:
        return identity(self.project, self.origin, self.source or self.key)


def by_host(documents: Iterable[AddedDocument]) -> Sequence[Sequence[AddedDocument]]:
    """Documents of one host together, so that it is asked for one after the other; each file by itself."""
    groups: dict[str, list[AddedDocument]] = {}
    for one in documents:
        host = urlsplit(one.source).netloc if one.origin is Origin.URL else one.source
        groups.setdefault(host, []).append(one)
    return [*groups.values()]
