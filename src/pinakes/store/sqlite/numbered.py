"""Many whole documents by their numbers: one statement per table for a few hundred of them at once.

A query per document would cost more than all the rows together; all documents at once would fill the memory with their
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pinakes.records import NumberedDocument, Ref
from pinakes.store.sqlite.connection import Connection, Row
from pinakes.store.sqlite.link_texts import incoming_texts
from pinakes.store.sqlite.rows import DOCUMENT, LINK, chunks_from, document_from
from pinakes.store.sqlite.statements import placeholders

BATCH = 200
"""Documents at once: enough to make statements rare, few enough for their text to fit into memory."""


def numbered(connection: Connection, numbers: Sequence[int]) -> Iterator[NumberedDocument]:
    """At most `BATCH` of them, in that order. Rows are fetched at once, records made as they are asked for."""
    marks = placeholders(numbers)
    rows = connection.all(
        f"SELECT id, corpus, path, chunks, {DOCUMENT} FROM files JOIN documents USING (id)"
        f" JOIN bodies ON bodies.document = id JOIN trees ON trees.document = id WHERE id IN ({marks})",
        numbers,
    )
    links: dict[int, list[Row]] = {}
    written = f"SELECT {LINK} FROM links WHERE document IN ({marks}) ORDER BY document, ordinal"
    for row in connection.all(written, numbers):
        links.setdefault(row[0], []).append(row)
    texts = incoming_texts(connection, numbers)
    found = {row[0]: row for row in rows}
    return (_numbered(found[one], links.get(one, ()), texts.get(one, {})) for one in numbers if one in found)


def _numbered(row: Row, links: Iterable[Row], texts: Mapping[str, set[str]]) -> NumberedDocument:
    number, corpus, path, chunks, *columns = row
    document = document_from(Ref(corpus, path), tuple(columns), None, links)
    return NumberedDocument(
        number=number,
        document=document,
        chunks=chunks_from(chunks),
        called=tuple(["\n".join(sorted(texts.get(section.anchor, ()))) for section in document.sections]),
    )
