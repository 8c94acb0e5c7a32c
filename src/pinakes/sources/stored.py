"""Documents whose files are elsewhere: an index is asked, and whoever has the files keeps it current."""

from __future__ import annotations

from collections.abc import Collection

from pinakes.errors import Unreadable
from pinakes.records import CorpusName, Raw, Scan, Stamp

_ELSEWHERE = "The files of this library are not on this machine."
_STEP = "pinakes library sync brings its index up to date."


class StoredSource:
    """The promise `Source` for an index that is only asked: it cannot be compared with anything."""

    fingerprint = ""
    exists = True

    def __init__(self, corpus: CorpusName) -> None:
        self.corpus = corpus

    def snapshot(self) -> str:
        return ""

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        """Raises `Unreadable`: nobody may take it for a library without files."""
        raise Unreadable(_ELSEWHERE, _STEP)

    def read(self, stamp: Stamp) -> Raw:
        """Raises `Unreadable`; the text is in the index."""
        raise Unreadable(_ELSEWHERE, _STEP)
