"""Outlines of many documents at once: one statement per table, put together here in reading order.

A query per document would cost more than all the rows together. Rows are fetched before the first outline leaves;
records are made one document at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter

from pinakes.records import CODE, CorpusName, Listed, Outline, Ref, Reference, format_named
from pinakes.store.tables.codes import NO_FILE
from pinakes.store.tables.connection import Row, SqlValue, Tables
from pinakes.store.tables.rows import KINDS, sections_from
from pinakes.store.tables.statements import TEXT, batched


def listing(connection: Tables, corpus: CorpusName, under: str = "") -> list[Listed]:
    """The documents that `outlines` gives, by path."""
    where, values = _within(corpus, under.rstrip("/"))
    rows = connection.all(
        f"SELECT id, path, sections FROM documents JOIN files USING (id) WHERE {where} ORDER BY path", values
    )
    return list(map(Listed._make, rows))


def outlines(
    connection: Tables, corpus: CorpusName, under: str = "", paths: Sequence[str] | None = None
) -> Iterator[Outline]:
    """All documents of the corpus, the one at path `under`, those in the folder `under`, or those at `paths`."""
    if paths is not None:
        found = [list(_outlines(connection, corpus, _among(corpus, some), is_part=True)) for some in batched(paths)]
        return (outline for some in found for outline in some)
    return _outlines(connection, corpus, _within(corpus, under.rstrip("/")), is_part=bool(under))


def _outlines(
    connection: Tables, corpus: CorpusName, which: tuple[str, list[SqlValue]], *, is_part: bool
) -> Iterator[Outline]:
    where, values = which
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
    if is_part:
        here = f"SELECT places.id FROM files CROSS JOIN places USING (corpus, path) WHERE {where}"
        citing = "document" if corpus == CODE else "document << 24 | section"
        counted = connection.all(
            f"SELECT here.id, edges.anchor, count(DISTINCT {citing})"
            f" FROM (SELECT * FROM files WHERE {where}) here CROSS JOIN places USING (corpus, path)"
            " CROSS JOIN edges ON place = places.id CROSS JOIN files citing ON citing.id = document"
            f" WHERE outcome <> {NO_FILE} AND document <> here.id AND citing.corpus = ? GROUP BY here.id, edges.anchor",
            [*values, corpus],
        )
        cited = Counter({(number, anchor): count for number, anchor, count in counted})
        there = f"SELECT place FROM edges WHERE document IN ({inside})"
        targets = _targets(connection, f"WHERE places.id IN ({here} UNION {there})", [*values, *values])
    else:
        targets = _targets(connection, "", [])
        cited = _cited(leaving, targets, by_file=corpus == CODE)
    return _put_together(corpus, documents, leaving, cited, targets)


def _within(corpus: CorpusName, under: str) -> tuple[str, list[SqlValue]]:
    if not under:
        return "corpus = ?", [corpus]
    # Everything below a folder sorts after "folder/" and before "folder0", which is what follows the slash.
    inside, end = f"{under}/", f"{under}0"
    where = f"corpus = ? AND path >= {TEXT} AND path < {TEXT} AND (path = {TEXT} OR path > {TEXT})"
    return where, [corpus, under, end, under, inside]


def _among(corpus: CorpusName, paths: Sequence[str]) -> tuple[str, list[SqlValue]]:
    return f"corpus = ? AND path IN ({', '.join([TEXT] * len(paths))})", [corpus, *paths]


def _targets(connection: Tables, where: str, values: list[SqlValue]) -> dict[int, tuple[int, str, str]]:
    """The files behind places; a place may also be a folder, or a file that is gone."""
    rows = connection.all(
        "SELECT places.id, files.id, files.corpus, files.path"
        f" FROM places CROSS JOIN files USING (corpus, path) {where}",
        values,
    )
    return {place: (number, corpus, path) for place, number, corpus, path in rows}


def _cited(arriving: list[Row], targets: dict[int, tuple[int, str, str]], *, by_file: bool) -> Counter[tuple[int, str]]:
    """How many sections of other documents, or of source code how many other files, point at each document (no anchor)
    and section."""
    pairs = {
        (targets[place][0], anchor, document, 0 if by_file else section)
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
            media=format_named(media),
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
