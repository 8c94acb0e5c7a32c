"""The texts of links, which are words for the documents they lead to, and which documents a change of them affects.

Numbers of documents enter, numbers leave, so no statement here needs its text checked. A link that waits to be looked
up still counts with the text it had before: see `former` in `schema`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from pinakes.store.tables.codes import NO_FILE
from pinakes.store.tables.connection import Tables
from pinakes.store.tables.statements import batched, placeholders

LinkTexts: TypeAlias = dict[int, set[tuple[int, str, str]]]
"""By document the place, anchor and text of each of its links; documents whose links have no text are left out."""

DocumentPlace: TypeAlias = tuple[int, int]
"""A document and a place it links to."""

_FROM_LINKS = (
    "FROM edges CROSS JOIN links ON links.document = edges.document AND links.ordinal = edges.ordinal"
    f" WHERE place IS NOT NULL AND outcome <> {NO_FILE} AND text <> ''"
)
_SELECT_TEXTS = f"SELECT edges.document, place, edges.anchor, text {_FROM_LINKS}"


def remember_texts_where(condition: str) -> str:
    """Keeps the texts of edges that are about to go."""
    copied = f"INSERT INTO former (document, place, anchor, text) {_SELECT_TEXTS} AND {condition}"
    return f"{copied} ON CONFLICT DO NOTHING"


def remember_texts(connection: Tables, documents: Sequence[int]) -> None:
    """Keep the texts of these documents' links, whose edges are about to go."""
    for some in batched(documents):
        connection.run(remember_texts_where(f"edges.document IN ({placeholders(some)})"), some)


def texts_of(connection: Tables, documents: Iterable[int]) -> LinkTexts:
    """The texts of all links of these documents; of those that wait the ones they had before."""
    found: LinkTexts = {}
    for some in batched(documents):
        for query in (
            f"{_SELECT_TEXTS} AND edges.document IN ({placeholders(some)})",
            f"SELECT document, place, anchor, text FROM former WHERE document IN ({placeholders(some)})",
        ):
            for document, *link in connection.all(query, some):
                found.setdefault(document, set()).add(tuple(link))
    return found


def linked_places(connection: Tables, documents: Sequence[int]) -> set[DocumentPlace]:
    """Every place these documents link or linked to."""
    found: set[DocumentPlace] = set()
    for some in batched(documents):
        marks = placeholders(some)
        found.update(
            connection.all(
                f"SELECT document, place FROM edges WHERE document IN ({marks}) AND place IS NOT NULL"
                f" UNION SELECT document, place FROM former WHERE document IN ({marks})",
                [*some, *some],
            )
        )
    return found


def forget_settled(connection: Tables, documents: Iterable[int]) -> None:
    """Forget the former texts of these documents, where no link waits any more."""
    for some in batched(documents):
        connection.run(
            f"DELETE FROM former WHERE document IN ({placeholders(some)})"
            " AND 0 = (SELECT pending FROM documents WHERE id = former.document)",
            some,
        )


def changed_places(before: LinkTexts, after: LinkTexts) -> set[DocumentPlace]:
    """The places that a document links to in other words than before, each with that document."""
    return {
        (document, place)
        for document in before.keys() | after.keys()
        for place, _, _ in before.get(document, set()) ^ after.get(document, set())
    }


def affected_documents(connection: Tables, pairs: Iterable[DocumentPlace]) -> set[int]:
    """The files at these places, except where a document only links to itself."""
    wanted = set(pairs)
    at: dict[int, int] = {}
    for some in batched({place for _, place in wanted}):
        at.update(
            connection.all(
                "SELECT places.id, files.id FROM places CROSS JOIN files USING (corpus, path)"
                f" WHERE places.id IN ({placeholders(some)})",
                some,
            )
        )
    return {at[place] for document, place in wanted if place in at and at[place] != document}


def incoming_texts(connection: Tables, documents: Sequence[int]) -> Mapping[int, Mapping[str, set[str]]]:
    """Of each document by anchor, the texts of links that lead there from other documents."""
    marks = placeholders(documents)
    here = "files CROSS JOIN places USING (corpus, path)"
    rows = connection.all(
        f"SELECT files.id, edges.anchor, text FROM {here} CROSS JOIN edges ON edges.place = places.id"
        " CROSS JOIN links ON links.document = edges.document AND links.ordinal = edges.ordinal"
        f" WHERE files.id IN ({marks}) AND edges.document <> files.id AND outcome <> {NO_FILE} AND text <> ''"
        f" UNION SELECT files.id, anchor, text FROM {here} CROSS JOIN former ON former.place = places.id"
        f" WHERE files.id IN ({marks}) AND document <> files.id",
        [*documents, *documents],
    )
    found: dict[int, dict[str, set[str]]] = {}
    for number, anchor, text in rows:
        if line := " ".join(text.split()):
            found.setdefault(number, {}).setdefault(anchor, set()).add(line)
    return found
