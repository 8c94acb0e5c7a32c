"""Which addresses on the web documents link to, and which of them are worth asking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from urllib.parse import urlsplit

from msgspec import Struct

from pinakes.ports import Reader
from pinakes.records import CorpusName, Outcome, Ref

_SCHEMES = ("http://", "https://")
_PLACEHOLDER = re.compile(r"[{}<>$]|%7[BD]", re.IGNORECASE)
"""Letters that stand in no address but in patterns for addresses."""
_RESERVED = ("example", "test", "invalid", "localhost", "example.com", "example.net", "example.org")
"""Names that were set aside for documentation (RFC 2606), and this machine."""


class WebLink(Struct, frozen=True):
    """A link to the web, where it stands."""

    ref: Ref
    line: int
    """From 1."""
    target: str
    """As written."""

    @property
    def address(self) -> str:
        """What a server is asked for: it never sees the fragment."""
        return self.target.partition("#")[0]


def web_links(reader: Reader, corpus: CorpusName, excluded: Sequence[str]) -> Iterator[WebLink]:
    """The links that are worth asking. Left out are addresses with placeholders, names that exist for examples alone,
    and what is `excluded`: beginnings of addresses, or patterns in which ``*`` stands for anything."""
    patterns = [re.compile(translate(one)) for one in excluded if "*" in one]
    beginnings = tuple(one for one in excluded if one and "*" not in one)
    for edge in reader.edges(corpus, outcomes=(Outcome.EXTERNAL,)):
        target = edge.link.target.strip()
        if not target.lower().startswith(_SCHEMES) or _PLACEHOLDER.search(target) or _is_reserved(target):
            continue
        if not target.startswith(beginnings) and not any(one.match(target) for one in patterns):
            yield WebLink(edge.origin, edge.link.line + 1, target)


def _is_reserved(address: str) -> bool:
    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return False  # it is asked, and refused with the reason
    return host in _RESERVED or host.endswith(tuple(f".{name}" for name in _RESERVED))
