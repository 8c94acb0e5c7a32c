"""What a search of several libraries answers."""

from __future__ import annotations

from pinakes.records.search import Hit


class LibraryHit(Hit, frozen=True):
    """An answer out of one of several libraries."""

    library: str = ""
    """The name of that library."""

    @property
    def page(self) -> object:
        return self.library, self.ref.document

    @property
    def home(self) -> object:
        return self.library, self.ref.corpus
