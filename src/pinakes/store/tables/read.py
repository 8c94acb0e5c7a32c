"""Questions about one file or a plain list of things, answered from the tables.

A connection and a question enter, records leave. The caller sees to it that all statements of an answer belong to the
same generation.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from sys import maxsize
from typing import NamedTuple

from pinakes.records import (
    Chunk,
    CorpusName,
    Counts,
    Document,
    Edge,
    Failure,
    FilterValues,
    Link,
    Name,
    NameForm,
    Outcome,
    Ref,
    Stamp,
    StoredFile,
    format_named,
)
from pinakes.store.tables.codes import NO_FILE, OUTCOMES
from pinakes.store.tables.connection import Row, SqlValue, Tables
from pinakes.store.tables.rows import (
    DOCUMENT,
    LINK,
    NAME_FORMS,
    OUTCOME_CODES,
    anchors_from,
    chunks_from,
    code_from,
    document_from,
    link_from,
    metadata_from,
    unpacked,
)
from pinakes.store.tables.stale_keys import anchors_of
from pinakes.store.tables.statements import TEXT, batched, placeholders

SHORT = 500
"""Characters of a setting."""
_UNWALKED = "corpus || ''"
"""The corpus where few rows are wanted: named alone, an engine may walk through all of it."""


class Meta(NamedTuple):
    """Where a store is."""

    generation: int
    floor: int
    """The oldest generation from which it is known what happened since."""
    history: str
    """Of the database: another one has other generations."""


def meta(connection: Tables) -> Meta:
    """Equal histories and generations mean equal answers; raises `LookupError` where there is no store any more."""
    return Meta(*connection.all("SELECT generation, floor, history FROM meta")[0])


def generation(connection: Tables) -> int:
    return meta(connection).generation


def moment(connection: Tables) -> tuple[str, int]:
    """The database's history and its generation."""
    known = meta(connection)
    return known.history, known.generation


def setting(connection: Tables, name: str) -> str:
    row = connection.one(f"SELECT value FROM settings WHERE name = {TEXT}", (name,))
    return str(row[0]) if row else ""


def derived(connection: Tables, name: str) -> bytes | None:
    row = connection.one(f"SELECT payload FROM derived JOIN meta USING (generation) WHERE name = {TEXT}", (name,))
    return row[0] if row else None


def last_derived(connection: Tables, name: str) -> tuple[int, bytes] | None:
    row = connection.one(f"SELECT generation, payload FROM derived WHERE name = {TEXT}", (name,))
    return (row[0], row[1]) if row else None


def counts(connection: Tables, corpus: CorpusName) -> Counts:
    documents, sections, links, pending, size = connection.all(
        "SELECT count(*), coalesce(sum(sections), 0), coalesce(sum(links - unreal), 0),"
        " coalesce(sum(pending), 0), coalesce(sum(bytes), 0)"
        " FROM documents JOIN files USING (id) WHERE corpus = ?",
        (corpus,),
    )[0]
    files, failed = connection.all(
        "SELECT (SELECT count(*) FROM files WHERE corpus = ?), (SELECT count(*) FROM failures WHERE corpus = ?)",
        (corpus, corpus),
    )[0]
    return Counts(
        documents=documents,
        sections=int(sections),
        links=int(links),
        assets=files - documents,
        failures=failed,
        pending_links=int(pending),
        pending_keywords=len(pending_keywords(connection, corpus, limit=-1)),
        source_bytes=int(size),
    )


def files(connection: Tables, corpus: CorpusName, within: Collection[str] | None = None) -> dict[str, StoredFile]:
    asked = f"SELECT path, version, media, digest FROM files WHERE corpus = {TEXT}"
    if within is None:
        rows = connection.all(asked, (corpus,))
    else:
        rows = []
        for path in within:
            # What is below a folder lies between the folder with a slash and with the letter after the slash.
            ends = (corpus, path), (corpus, f"{path}/", f"{path}0")
            rows += connection.all(f"{asked} AND path = {TEXT}", ends[0])
            rows += connection.all(f"{asked} AND path > {TEXT} AND path < {TEXT}", ends[1])
    rows.sort()
    return {
        path: StoredFile(Stamp(Ref(corpus, path), version, format_named(media)), digest)
        for path, version, media, digest in rows
    }


def failures(connection: Tables, corpus: CorpusName) -> list[Failure]:
    rows = connection.all(
        "SELECT path, version, reason, next_step FROM failures WHERE corpus = ? ORDER BY path", (corpus,)
    )
    return [Failure(Ref(corpus, path), version, reason, next_step) for path, version, reason, next_step in rows]


def warnings(connection: Tables, corpus: CorpusName) -> list[tuple[Ref, str]]:
    rows = connection.all(
        "SELECT path, warnings FROM documents JOIN files USING (id) WHERE corpus = ? AND warnings <> '' ORDER BY path",
        (corpus,),
    )
    return [(Ref(corpus, path), text) for path, column in rows for text in unpacked(column)]


def tags(connection: Tables, corpus: CorpusName) -> dict[str, int]:
    rows = connection.all(
        "SELECT value, count(*) FROM documents JOIN files USING (id), json_each(tags)"
        " WHERE corpus = ? AND tags <> '' GROUP BY value ORDER BY value",
        (corpus,),
    )
    return dict(rows)


def filter_values(connection: Tables, refs: Sequence[Ref]) -> dict[Ref, FilterValues]:
    found: dict[Ref, FilterValues] = {}
    for corpus in {ref.corpus for ref in refs}:
        for some in batched({ref.path for ref in refs if ref.corpus == corpus}):
            rows = connection.all(
                "SELECT path, tags, metadata, code, anchors FROM files JOIN documents USING (id)"
                " JOIN bodies ON bodies.document = id JOIN trees ON trees.document = id"
                f" WHERE corpus = {TEXT} AND path IN ({placeholders(some)})",
                (corpus, *some),
            )
            for path, tags, metadata, code, anchors in rows:
                found[Ref(corpus, path)] = FilterValues(
                    unpacked(tags), metadata_from(metadata).language, _code_languages(code, anchors)
                )
    return found


def _code_languages(code: str, anchors: str) -> dict[str, tuple[str, ...]]:
    """By anchor of a section, the languages of the code in it."""
    blocks = code_from(code)
    if not blocks:
        return {}
    names = json.loads(anchors)
    found: dict[str, dict[str, None]] = {}
    for block in blocks:
        if block.language:
            found.setdefault(names[block.section], {})[block.language] = None
    return {anchor: tuple(languages) for anchor, languages in found.items()}


def number_of(connection: Tables, ref: Ref) -> int | None:
    row = connection.one(f"SELECT id FROM files WHERE corpus = {TEXT} AND path = {TEXT}", (ref.corpus, ref.path))
    return row[0] if row else None


def document(connection: Tables, ref: Ref) -> Document | None:
    row = connection.one(
        f"SELECT id, words, {DOCUMENT} FROM files JOIN documents USING (id) JOIN bodies ON bodies.document = id"
        f" JOIN trees ON trees.document = id LEFT JOIN keywords USING (digest) WHERE corpus = {TEXT} AND path = {TEXT}",
        (ref.corpus, ref.path),
    )
    if row is None:
        return None
    links = connection.all(f"SELECT {LINK} FROM links WHERE document = ? ORDER BY ordinal", (row[0],))
    return document_from(ref.document, row[2:], row[1], links)


def chunks(connection: Tables, ref: Ref) -> tuple[Chunk, ...]:
    row = connection.one("SELECT chunks FROM bodies WHERE document = ?", (number_of(connection, ref),))
    return chunks_from(row[0]) if row else ()


def anchors(connection: Tables, ref: Ref) -> dict[str, str]:
    row = connection.one("SELECT anchors, sections FROM trees WHERE document = ?", (number_of(connection, ref),))
    return anchors_of(anchors_from(*row)) if row else {}


def names(connection: Tables, corpus: CorpusName, keys: Iterable[str] | None = None) -> Iterator[Name]:
    if keys is None:
        found = _names(connection, corpus, "", ())
    else:
        found = []
        for some in batched(sorted(set(keys))):
            found += _names(connection, corpus, f" AND {{}}.key IN ({placeholders(some)})", some)
    found.sort(key=lambda name: (name.path, name.form, name.text, name.key))
    return iter(found)


def _names(connection: Tables, corpus: CorpusName, where: str, keys: Sequence[SqlValue]) -> list[Name]:
    values = (corpus, *keys)
    files = connection.all(f"SELECT key, path FROM files WHERE {_UNWALKED} = ?{where.format('files')}", values)
    folders = connection.all(f"SELECT key, path FROM folders WHERE {_UNWALKED} = ?{where.format('folders')}", values)
    others = connection.all(
        "SELECT names.key, form, text, path FROM names CROSS JOIN files ON id = document"
        f" WHERE {_UNWALKED} = ?{where.format('names')}",
        values,
    )
    found = [Name(key, NameForm.PATH, path, path) for key, path in files]
    found += [Name(key, NameForm.FOLDER, path, path) for key, path in folders]
    found += [Name(key, NAME_FORMS[form], text, path) for key, form, text, path in others]
    return found


def edges(
    connection: Tables,
    corpus: CorpusName,
    origin: Ref | None = None,
    to: Ref | None = None,
    outcomes: Sequence[Outcome] = (),
) -> Iterator[Edge]:
    where, values = [f"files.corpus = {TEXT}", f"outcome <> {NO_FILE}"], [corpus]
    for ref, file in ((origin, "files"), (to, "places")):
        if ref is not None:
            where.append(f"{file}.corpus = {TEXT} AND {file}.path = {TEXT}")
            values += [ref.corpus, ref.path]
    if to is not None and to.anchor:
        where.append(f"edges.anchor = {TEXT}")
        values.append(to.anchor)
    if outcomes:
        where.append(f"outcome IN ({', '.join(str(OUTCOME_CODES[outcome]) for outcome in outcomes)})")
    # Cross joins fix the order of the tables: from the target where there is one, else along the paths.
    both_ways = (
        "places CROSS JOIN edges ON place = places.id CROSS JOIN files ON files.id = edges.document"
        if to
        else "files CROSS JOIN edges ON edges.document = files.id LEFT JOIN places ON places.id = place"
    )
    rows = connection.all(
        "SELECT files.path, outcome, candidates, places.corpus, places.path, edges.anchor,"
        " links.document, links.ordinal, links.section, links.start, links.stop, line, form, relation, target, text"
        f" FROM {both_ways}"
        " CROSS JOIN links ON links.document = edges.document AND links.ordinal = edges.ordinal"
        f" WHERE {' AND '.join(where)} ORDER BY files.path, edges.ordinal",
        values,
    )
    anchors = _section_anchors(connection, sorted({row[6] for row in rows}))
    found = (_edge(corpus, row, anchors) for row in rows)
    return (edge for edge in found if origin is None or not origin.anchor or edge.origin.anchor == origin.anchor)


def _section_anchors(connection: Tables, documents: list[int]) -> dict[int, list[str]]:
    """Read whole and not picked out of their list by SQL, which counts from the start of the list every time."""
    found: dict[int, list[str]] = {}
    for some in batched(documents):
        rows = connection.all(f"SELECT document, anchors FROM trees WHERE document IN ({placeholders(some)})", some)
        found.update((document, json.loads(anchors)) for document, anchors in rows)
    return found


def _edge(corpus: CorpusName, row: Row, anchors: Mapping[int, Sequence[str]]) -> Edge:
    path, outcome, candidates, to_corpus, to_path, to_anchor, *link = row
    document, _, section, *_ = link
    return Edge(
        Ref(corpus, path, anchors[document][section]),
        link_from(tuple(link)),
        None if to_path is None else Ref(to_corpus, to_path, to_anchor),
        OUTCOMES[outcome],
        unpacked(candidates),
    )


def pending_links(connection: Tables, corpus: CorpusName, limit: int) -> list[tuple[Ref, Link]]:
    waiting = connection.all(
        f"SELECT path, id, pending FROM documents JOIN files USING (id) WHERE pending > 0 AND {_UNWALKED} = ?"
        " ORDER BY path",
        (corpus,),
    )
    if limit >= 0:
        # As many documents as hold enough: a few of them can have a million links.
        before = accumulate((pending for _, _, pending in waiting), initial=0)
        waiting = [row for row, count in zip(waiting, before, strict=False) if count < limit]
    found: list[tuple[Ref, Link]] = []
    for some in batched(waiting):
        rows = connection.all(
            f"SELECT {LINK} FROM links WHERE document IN ({', '.join('?' * len(some))}) AND NOT EXISTS"
            " (SELECT 1 FROM edges WHERE edges.document = links.document AND edges.ordinal = links.ordinal)"
            " ORDER BY document, ordinal",
            [number for _, number, _ in some],
        )
        links: dict[int, list[Link]] = {}
        for row in rows:
            links.setdefault(row[0], []).append(link_from(row))
        found += [(ref, link) for path, number, _ in some for ref in (Ref(corpus, path),) for link in links[number]]
    return found if limit < 0 else found[:limit]


def pending_keywords(connection: Tables, corpus: CorpusName, limit: int, since: int = 0) -> list[Ref]:
    # Looking for each in a table with long rows takes three times as long as taking all of them: only for a few.
    missing = (
        "id IN (SELECT document FROM changes WHERE generation > ?) AND NOT EXISTS"
        " (SELECT 1 FROM keywords WHERE keywords.digest = files.digest AND fingerprint = value)"
        if since
        else "id IN (SELECT id FROM documents WHERE ? = 0) AND digest NOT IN"
        " (SELECT digest FROM keywords WHERE fingerprint = (SELECT value FROM settings WHERE name = 'keywords'))"
    )
    rows = connection.all(
        "SELECT path FROM files JOIN settings ON name = 'keywords'"
        f" WHERE {_UNWALKED if since else 'corpus'} = ? AND {missing} ORDER BY path LIMIT ?",
        (corpus, since, limit if limit >= 0 else maxsize),
    )
    return [Ref(corpus, path) for (path,) in rows]
