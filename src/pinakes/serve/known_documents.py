"""What a server last saw of the documents of its libraries, to say which have changed since."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from pinakes.errors import StoreDamaged
from pinakes.library import Library


class DocumentState(Struct, frozen=True):
    """The documents of a library at one moment."""

    generation: int
    digests: Mapping[str, str]
    """By path."""

    def changed_since(self, before: DocumentState) -> tuple[str, ...]:
        """The paths of documents that came, changed or went."""
        return tuple(sorted({path for path, _ in before.digests.items() ^ self.digests.items()}))


class KnownDocuments:
    """The last known state of each library; the caller holds the library's lock."""

    def __init__(self) -> None:
        self._known: dict[str, DocumentState] = {}

    def last(self, name: str, library: Library) -> DocumentState:
        """As seen last; the first time, as it is now, and nothing where the index is damaged."""
        known = self._known.get(name)
        if known is None:
            try:
                return _read(library)
            except StoreDamaged:
                return DocumentState(-1, {})
        return known

    def look(self, name: str, library: Library, before: DocumentState) -> DocumentState:
        """As it is now, read only where it is another generation than `before`."""
        found = before if library.generation == before.generation else _read(library)
        self._known[name] = found
        return found

    def forget(self, name: str) -> None:
        """What follows may be another index."""
        self._known.pop(name, None)


def _read(library: Library) -> DocumentState:
    return DocumentState(library.generation, library.corpus().digests())
