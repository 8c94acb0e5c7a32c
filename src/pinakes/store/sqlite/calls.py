"""What links call the documents they lead to, and which documents notice when that changes.

Numbers of documents enter, numbers leave, so no statement here needs its text checked. A link that waits still counts
as what it said before: see `former` in `schema`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from pinakes.store.sqlite.connection import Connection
from pinakes.store.sqlite.schema import NO_FILE

AT_ONCE = 500

Said: TypeAlias = dict[int, set[tuple[int, str, str]]]
"""For each document what its links say: place, anchor and text. Those without any are left out."""

Pair: TypeAlias = tuple[int, int]
"""A document and a place it links to."""

_SAYING = (
    "FROM edges CROSS JOIN links ON links.document = edges.document AND links.ordinal = edges.ordinal"
    f" WHERE place IS NOT NULL AND outcome <> {NO_FILE} AND text <> ''"
)
_SAID = f"SELECT edges.document, place, edges.anchor, text {_SAYING}"
REMEMBER = f"INSERT OR IGNORE INTO former (document, place, anchor, text) {_SAID}"
"""Keep what edges say that are about to go; a condition on them follows."""


def remember(connection: Connection, documents: Sequence[int]) -> None:
    for some in _lists(documents):
        connection.run(f"{REMEMBER} AND edges.document IN ({_spots(some)})", some)


def said(connection: Connection, documents: Iterable[int]) -> Said:
    """What the links of these documents say, and those that wait said before."""
    found: Said = {}
    for some in _lists(documents):
        for query in (
            f"{_SAID} AND edges.document IN ({_spots(some)})",
            f"SELECT document, place, anchor, text FROM former WHERE document IN ({_spots(some)})",
        ):
            for document, *call in connection.all(query, some):
                found.setdefault(document, set()).add(tuple(call))
    return found


def places(connection: Connection, documents: Sequence[int]) -> set[Pair]:
    """Every place these documents link or linked to."""
    found: set[Pair] = set()
    for some in _lists(documents):
        spots = _spots(some)
        found.update(
            connection.all(
                f"SELECT document, place FROM edges WHERE document IN ({spots}) AND place IS NOT NULL"
                f" UNION SELECT document, place FROM former WHERE document IN ({spots})",
                [*some, *some],
            )
        )
    return found


def settle(connection: Connection, documents: Iterable[int]) -> None:
    """Forget what the links of these documents said before, where none of them waits any more."""
    for some in _lists(documents):
        connection.run(
            f"DELETE FROM former WHERE document IN ({_spots(some)})"
            " AND 0 = (SELECT pending FROM documents WHERE id = former.document)",
            some,
        )


def differences(before: Said, after: Said) -> set[Pair]:
    return {
        (document, place)
        for document in before.keys() | after.keys()
        for place, _, _ in before.get(document, set()) ^ after.get(document, set())
    }


def noticing(connection: Connection, pairs: Iterable[Pair]) -> set[int]:
    """The files at these places, except where a document only speaks of itself."""
    wanted = set(pairs)
    at: dict[int, int] = {}
    for some in _lists({place for _, place in wanted}):
        at.update(
            connection.all(
                "SELECT places.id, files.id FROM places CROSS JOIN files USING (corpus, path)"
                f" WHERE places.id IN ({_spots(some)})",
                some,
            )
        )
    return {at[place] for document, place in wanted if place in at and at[place] != document}


def called(connection: Connection, documents: Sequence[int]) -> Mapping[int, Mapping[str, set[str]]]:
    """Of each document by anchor, the texts of links that lead there from other documents."""
    spots = _spots(documents)
    here = "files CROSS JOIN places USING (corpus, path)"
    rows = connection.all(
        f"SELECT files.id, edges.anchor, text FROM {here} CROSS JOIN edges ON edges.place = places.id"
        " CROSS JOIN links ON links.document = edges.document AND links.ordinal = edges.ordinal"
        f" WHERE files.id IN ({spots}) AND edges.document <> files.id AND outcome <> {NO_FILE} AND text <> ''"
        f" UNION SELECT files.id, anchor, text FROM {here} CROSS JOIN former ON former.place = places.id"
        f" WHERE files.id IN ({spots}) AND document <> files.id",
        [*documents, *documents],
    )
    found: dict[int, dict[str, set[str]]] = {}
    for number, anchor, text in rows:
        if line := " ".join(text.split()):
            found.setdefault(number, {}).setdefault(anchor, set()).add(line)
    return found


def _spots(values: Sequence[int]) -> str:
    return ", ".join("?" * len(values))


def _lists(values: Iterable[int]) -> Iterator[list[int]]:
    source = iter(values)
    while some := list(islice(source, AT_ONCE)):
        yield some
