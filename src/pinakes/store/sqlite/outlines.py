"""Outlines of many documents at once: one statement per table, put together here in reading order.

A query per document would cost more than all the rows together. Rows are fetched before the first outline leaves;
records are made one document at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter

from pinakes.records import FORMATS, CorpusName, Outline, Ref, Reference
from pinakes.store.sqlite.connection import Connection, Row, SqlValue, storable
from pinakes.store.sqlite.rows import KINDS, sections_from
from pinakes.store.sqlite.schema import NO_FILE
from pinakes.store.sqlite.statements import TEXT


def outlines(connection: Connection, corpus: CorpusName, under: str = "") -> Iterator[Outline]:
    """All documents of the corpus, the one at path `under`, or those in the folder `under`."""
    where, values = _within(corpus, under.rstrip("/"))
    documents = connection.all(
        "SELECT path, id, title, kind, media, digest, anchors, trees.sections, words FROM documents"
        f" JOIN files USING (id) JOIN trees ON document = id LEFT JOIN keywords USING (digest) WHERE {where}",
        values,
    )
    documents.sort(key=itemgetter(0))
    inside = f"SELECT id FROM files WHERE {where}"
    leaving = connection.all(
        "SELECT document, section, place, anchor FROM edges"
        f" WHERE document IN ({inside}) AND place IS NOT NULL AND outcome <> {NO_FILE} ORDER BY document, ordinal",
        values,
    )
    # For the whole corpus what arrives is what leaves, and every place matters; a part asks for less.
    if under:
        here = f"SELECT places.id FROM files CROSS JOIN places USING (corpus, path) WHERE {where}"
        arriving = connection.all(
            "SELECT document, section, place, anchor FROM edges CROSS JOIN files ON files.id = document"
            f" WHERE place IN ({here}) AND outcome <> {NO_FILE} AND corpus = ?",
            [*values, corpus],
        )
        there = f"SELECT place FROM edges WHERE document IN ({inside})"
        targets = _targets(connection, f"WHERE places.id IN ({here} UNION {there})", [*values, *values])
    else:
        arriving = leaving
        targets = _targets(connection, "", [])
    return _put_together(corpus, documents, leaving, _cited(arriving, targets), targets)


def _within(corpus: CorpusName, under: str) -> tuple[str, list[SqlValue]]:
    if not under:
        return "corpus = ?", [corpus]
    # Everything below a folder sorts after "folder/" and before "folder0", which is what follows the slash.
    inside, end = storable(f"{under}/"), storable(f"{under}0")
    where = f"corpus = ? AND path >= {TEXT} AND path < {TEXT} AND (path = {TEXT} OR path > {TEXT})"
    return where, [corpus, storable(under), end, storable(under), inside]


def _targets(connection: Connection, where: str, values: list[SqlValue]) -> dict[int, tuple[int, str, str]]:
    """The files behind places; a place may also be a folder, or a file that is gone."""
    rows = connection.all(
        "SELECT places.id, files.id, files.corpus, files.path"
        f" FROM places CROSS JOIN files USING (corpus, path) {where}",
        values,
    )
    return {place: (number, corpus, path) for place, number, corpus, path in rows}


def _cited(arriving: list[Row], targets: dict[int, tuple[int, str, str]]) -> Counter[tuple[int, str]]:
    """How many sections of other documents point at each document (no anchor) and section."""
    pairs = {
        (targets[place][0], anchor, document, section)
        for document, section, place, anchor in arriving
        if place in targets and targets[place][0] != document
    }
    return Counter((number, anchor) for number, anchor, _, _ in pairs)


def _put_together(
    corpus: CorpusName,
    documents: list[Row],
    leaving: list[Row],
    cited: Counter[tuple[int, str]],
    targets: dict[int, tuple[int, str, str]],
) -> Iterator[Outline]:
    references_of = _references(leaving, targets)
    for path, number, title, kind, media, digest, *tree in documents:
        sections = sections_from(*tree)
        yield Outline(
            ref=Ref(corpus, path),
            title=title,
            kind=KINDS[kind],
            media=FORMATS[media],
            digest=digest,
            sections=sections,
            cited=cited[number, ""],
            cited_sections=tuple([cited[number, part.anchor] if part.anchor else 0 for part in sections]),
            references=tuple(references_of.get(number, ())),
        )


def _references(leaving: list[Row], targets: dict[int, tuple[int, str, str]]) -> dict[int, list[Reference]]:
    """Per document, what it points at elsewhere. Many links share a target, so each address is made once."""
    found: dict[int, list[Reference]] = {}
    refs: dict[tuple[int, str], Ref] = {}
    seen = set()
    for row in leaving:
        number, section, place, anchor = row
        if place not in targets or targets[place][0] == number or row in seen:
            continue
        seen.add(row)
        ref = refs.get((place, anchor))
        if ref is None:
            ref = refs[place, anchor] = Ref(targets[place][1], targets[place][2], anchor)
        found.setdefault(number, []).append(Reference(section, ref))
    return found
