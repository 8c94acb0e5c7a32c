"""Many whole documents by their numbers: one statement per table for a few hundred of them at once.

A query per document would cost more than all the rows together; all documents at once would fill the memory with their
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pinakes.records import Numbered, Ref
from pinakes.store.sqlite.calls import called
from pinakes.store.sqlite.connection import Connection, Row
from pinakes.store.sqlite.rows import DOCUMENT, LINK, chunks_from, document_from

AT_ONCE = 200


def numbered(connection: Connection, numbers: Sequence[int]) -> Iterator[Numbered]:
    """At most `AT_ONCE` of them, in that order. Rows are fetched at once, records made as they are asked for."""
    spots = ", ".join("?" * len(numbers))
    rows = connection.all(
        f"SELECT id, corpus, path, chunks, {DOCUMENT} FROM files JOIN documents USING (id)"
        f" JOIN bodies ON bodies.document = id JOIN trees ON trees.document = id WHERE id IN ({spots})",
        numbers,
    )
    links: dict[int, list[Row]] = {}
    written = f"SELECT {LINK} FROM links WHERE document IN ({spots}) ORDER BY document, ordinal"
    for row in connection.all(written, numbers):
        links.setdefault(row[0], []).append(row)
    calls = called(connection, numbers)
    found = {row[0]: row for row in rows}
    return (_numbered(found[one], links.get(one, ()), calls.get(one, {})) for one in numbers if one in found)


def _numbered(row: Row, links: Iterable[Row], calls: Mapping[str, set[str]]) -> Numbered:
    number, corpus, path, chunks, *columns = row
    document = document_from(Ref(corpus, path), tuple(columns), None, links)
    return Numbered(
        number=number,
        document=document,
        chunks=chunks_from(chunks),
        called=tuple(["\n".join(sorted(calls.get(section.anchor, ()))) for section in document.sections]),
    )
