"""Where views are: the page's own web addresses, made and read back.

Names and paths enter; addresses leave, exact to the byte also for file names that are not UTF-8, or None for files that
are not shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote, unquote_to_bytes, urlencode

from msgspec import Struct
from starlette.requests import Request

from pinakes.errors import BadAddress
from pinakes.html.targets import PICTURES, ending
from pinakes.records import HISTORY, Ref, Span, media_of
from pinakes.serve.web.own_files import own_version

_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?\Z")
_KEPT = "/!$&'()*+,;=:@~"
"""Signs that may stand in the path of an address as they are."""

_MOST_LETTERS = 200
"""Of a question that goes along to the document."""


class Places(Struct, frozen=True):
    """The addresses of one library's views."""

    library: str
    base_path: str = ""
    """What a proxy puts before every address; empty for nothing."""

    def beside(self, library: str) -> Places:
        """Those of another library of the same server."""
        return Places(library, self.base_path)

    def own(self, name: str) -> str:
        """A file of the page itself, of the version that is here."""
        return f"{self.base_path}/static/{own_version()}/{name}"

    @property
    def base(self) -> str:
        return f"{self.base_path}/in/{quote(self.library, safe='')}"

    def search(self, **asked: str) -> str:
        """The search view; with `query` its answer."""
        return _asking(f"{self.base}/search", asked)

    def read(self, path: str, anchor: str = "", lines: str = "", words: str = "") -> str:
        """The reader at a document, one of its sections, with some of its lines marked, or with `words` marked."""
        where = _asking(f"{self.base}/read/{_written(path)}", {"lines": lines, "words": words[:_MOST_LETTERS]})
        return f"{where}#{_written(anchor)}" if anchor else where

    def ref(self, ref: Ref, lines: str = "", words: str = "") -> str:
        """The reader at an address of any corpus."""
        return self.read(ref.label, ref.anchor, lines, words)

    def raw(self, path: str) -> str:
        """The text of a document as it is written."""
        return f"{self.base}/raw/{_written(path)}"

    def everywhere(self, **asked: str) -> str:
        """One question to all libraries."""
        return _asking(f"{self.base_path}/everywhere", asked)

    def everywhere_twin(self, **asked: str) -> str:
        """The answer of all libraries as data."""
        return _asking(f"{self.base_path}/everywhere.json", asked)

    def memories(self, **asked: str) -> str:
        """The memories that pass these filters."""
        return _asking(f"{self.base}/memories", asked)

    def history(self, **asked: str) -> str:
        """The commits that pass these filters."""
        return _asking(f"{self.base}/history", asked)

    def map(self, folder: str = "") -> str:
        return f"{self.base}/map/{_written(folder)}" if folder else f"{self.base}/map"

    def asset(self, path: str) -> str:
        return f"{self.base}/asset/{_written(path)}"

    def branch(self, path: str) -> str:
        """A part of the tree, for the page's own script."""
        return f"{self.base}/branch/{_written(path)}"

    def anchor(self, path: str) -> str:
        """A path as it stands behind the ``#`` of an address."""
        return _written(path)

    def view(self, name: str) -> str:
        return f"{self.base}/{name}"

    def page(self, to: Ref) -> str | None:
        """Where a document, a section or a picture is shown; None for files that are not."""
        name = to.path.rpartition("/")[2]
        if to.corpus == HISTORY or media_of(name).is_document or "." not in name:
            return self.ref(to)
        return self.picture(to)

    def picture(self, to: Ref) -> str | None:
        """The bytes of a picture of the library."""
        return self.asset(to.path) if ending(to.path) in PICTURES else None


def shown(ref: Ref) -> str:
    """An address for people."""
    return f"{ref.label}#{ref.anchor}" if ref.anchor else ref.label


def asked_path(request: Request, view: str) -> str:
    """The path behind ``/in/LIBRARY/VIEW/`` as bytes on disk spell it."""
    raw = request.scope.get("raw_path") or quote(request.url.path).encode()
    _, _, rest = raw.split(b"?", 1)[0].partition(f"/{view}/".encode())
    return os.fsdecode(unquote_to_bytes(rest))


def lines_of(given: str) -> Span | None:
    """Lines as people count them; None when none are named, `BadAddress` for what names none."""
    if not given:
        return None
    found = _LINES.match(given)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not first or last < first:
        raise BadAddress(f"“{given[:40]}” names no lines.", "Write 12 or 12-30.")
    return Span(first - 1, last)


def _asking(where: str, asked: Mapping[str, str]) -> str:
    given = {key: os.fsencode(value) for key, value in asked.items() if value}
    return f"{where}?{urlencode(given)}" if given else where


def _written(path: str) -> str:
    return quote(os.fsencode(path), safe=_KEPT)
