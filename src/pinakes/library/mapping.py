"""The part of a library that shows documents as a whole: maps, outlines, the graph of links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pinakes.library.addresses import home_of, part_of
from pinakes.library.corpus import Corpus
from pinakes.library.judging import JudgedDocuments
from pinakes.records import Document, Edge, Outline, Ref

if TYPE_CHECKING:
    from pinakes.library.across import Across
    from pinakes.library.maps import MapText
    from pinakes.outline import Map, MapRequest
    from pinakes.records.graph import Picture


class MappedDocuments(JudgedDocuments):
    """Documents, and what all of them or those below a folder look like together."""

    @cached_property
    def _across(self) -> Across:
        from pinakes.library.across import Across

        return Across(self._corpora)

    def map(self, under: str = "", request: MapRequest | None = None, *, focus: str = "", since: str = "") -> Map:
        """The outline of everything, of a folder or of one document, within the request's budget.

        `focus` (a question, a path or a section) decides what survives a tight budget; `since` (the hash of an earlier
        map, or a revision of git) leaves only the blocks that changed.
        """
        from pinakes.library.maps import draw

        home, part = self._part(under)
        drawn = draw(home, part, request or self._usual, focus, since)
        return replace(drawn, bridges=self._across.bridges(home.name))

    def map_text(
        self, under: str = "", request: MapRequest | None = None, *, focus: str = "", since: str = ""
    ) -> MapText:
        """What `map` returns, printed. The last one is kept, so that asking again draws nothing."""
        from pinakes.library.maps import draw_text

        home, part = self._part(under)
        return draw_text(home, part, request or self._usual, focus, since)

    @property
    def _usual(self) -> MapRequest:
        from pinakes.outline import MapRequest

        return MapRequest(budget_tokens=self.config.map.budget_tokens)

    def mentions_in(self, document: Document, at: int | None = None) -> Iterator[Edge]:
        """The symbols of the source code that a text names in code type, each place as a link, or only the place that
        holds a byte; also of a text that is not stored, such as one that is being written."""
        return self._across.mentions_in(document, at)

    def mentions_to(self, symbol: Ref) -> Iterator[Edge]:
        """Every place in the documents that names a symbol of the source code in code type, as a link."""
        return self._across.mentions_to(symbol)

    def layout(self, under: str = "") -> Picture:
        """The link graph, laid out to be drawn: of as many documents as can be told apart, those a map names first."""
        from pinakes.graph.layout import lay_out
        from pinakes.library.maps import DRAWN, leading_paths

        home, part = self._part(under)
        paths = leading_paths(home, part)
        return lay_out(tuple(home.index.outlines(home.name, paths=paths[:DRAWN])), len(paths[DRAWN:]))

    def leading(self, under: str = "") -> tuple[str, ...]:
        """The paths of all documents, or of those below `under`, as a map that has no room for all prefers them."""
        from pinakes.library.maps import leading_paths

        return tuple(leading_paths(*self._part(under)))

    def components(self, under: str = "") -> Mapping[str, int]:
        """Which documents hang together by references, also through code and images, by path; 0 is the largest one."""
        from pinakes.graph.measures import components
        from pinakes.library.maps import outlines_of

        home, part = self._part(under)
        return components(outlines_of(home, part), self._across.bridges(home.name))

    def outlines(self, under: str = "") -> tuple[Outline, ...]:
        """Every document's outline: of all, of a folder or of one document."""
        from pinakes.library.maps import outlines_of

        return outlines_of(*self._part(under))

    def _home(self, address: str) -> tuple[Corpus, str]:
        """The corpus that an address names in front, and the rest of it; without one, the documents of the root."""
        return home_of(self._corpora, address)

    def _part(self, under: str) -> tuple[Corpus, str]:
        """The corpus and the path of what an address names there, for questions about all that is below it."""
        return part_of(self._corpora, under)
