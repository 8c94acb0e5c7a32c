"""Files that are at hand already, as a source whose bytes travel with it to whoever reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pinakes.records import CorpusName, Raw, Scan, Stamp


class HeldFiles:
    """Some files, by path and version."""

    fingerprint = ""
    exists = True

    def __init__(self, corpus: CorpusName, files: Iterable[Raw]) -> None:
        self.corpus = corpus
        self._files = {(raw.stamp.ref.path, raw.stamp.version): raw for raw in files}

    def snapshot(self) -> str:
        return ""

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        del paths  # a source may always look at more than it was asked for
        return Scan(tuple([raw.stamp for raw in self._files.values()]))

    def read(self, stamp: Stamp) -> Raw:
        """The bytes of a file."""
        return self._files[stamp.ref.path, stamp.version]
