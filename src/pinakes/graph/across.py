"""Links that lead from one corpus into another.

Documents and source code lie in the same folder, and each corpus knows the files of the other by their paths alone. A
link to such a file enters as its own corpus understood it, and leaves with the address that the other corpus gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from pinakes.graph.anchors import Anchors
from pinakes.graph.targets import read_link
from pinakes.ports import Reader
from pinakes.records import CorpusName, Edge, Link, LinkForm, Outcome, Ref

AnchorsOf = Callable[[Ref], Mapping[str, str]]


class OtherCorpus:
    """A corpus as links from another one see it."""

    def __init__(self, reader: Reader, corpus: CorpusName, anchors: AnchorsOf | None = None) -> None:
        """`anchors` are asked in place of the reader's: an editor knows some that are not stored yet."""
        self._reader = reader
        self.corpus = corpus
        self.anchors = anchors or reader.anchors
        """Every anchor of a document there and the section it leads to."""
        self._anchors: dict[str, Anchors | None] = {}

    def holds(self, path: str) -> bool:
        """Whether a file is read there."""
        return self._anchors_of(path) is not None

    def lead(self, edge: Edge) -> Edge:
        """The link with its address there: to the file, or the section or symbol behind the ``#``; as it was where the
        file is not read there."""
        anchors = self._anchors_of(edge.to.path) if edge.to is not None else None
        if edge.to is None or anchors is None:
            return edge
        there = Ref(self.corpus, edge.to.path)
        fragment = fragment_of(edge.link)
        # What has no anchors may be a file that could not be taken apart.
        anchor = anchors.find(fragment, by_heading=edge.link.form is LinkForm.PATH) if fragment and anchors else ""
        if anchor is None:
            return replace(edge, to=there, outcome=Outcome.BROKEN_ANCHOR)
        return replace(edge, to=replace(there, anchor=anchor), outcome=Outcome.FOUND)

    def _anchors_of(self, path: str) -> Anchors | None:
        if path not in self._anchors:
            known = self._reader.files(self.corpus, [path]).get(path)
            is_read = known is not None and bool(known.digest)
            self._anchors[path] = Anchors(self.anchors(Ref(self.corpus, path))) if is_read else None
        return self._anchors[path]


def fragment_of(link: Link) -> str:
    """What a link says behind its ``#``."""
    return "" if link.form is LinkForm.SYMBOL else read_link(link)[2] or ""
