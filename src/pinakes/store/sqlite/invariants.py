"""What always holds between the tables, asked of all of them.

A connection enters, a sentence about the first thing that does not fit leaves. It reads everything, text included.
"""

from __future__ import annotations

from zlib import crc32

from pinakes.store.sqlite.connection import Connection

_ORPHANS = {
    "documents without text": "SELECT count(*) FROM documents WHERE id NOT IN (SELECT document FROM bodies)",
    "documents whose sections are incomplete": (
        "SELECT count(*) FROM documents LEFT JOIN trees ON document = id WHERE documents.sections"
        " IS NOT json_array_length(anchors) OR documents.sections IS NOT json_array_length(trees.sections)"
    ),
    "documents whose links are incomplete": (
        "SELECT count(*) FROM documents WHERE links <> (SELECT count(*) FROM links WHERE document = id)"
    ),
    "documents whose waiting links are miscounted": (
        "SELECT count(*) FROM documents WHERE pending <> links - (SELECT count(*) FROM edges WHERE document = id)"
    ),
    "edges without a link": (
        "SELECT count(*) FROM edges WHERE NOT EXISTS (SELECT 1 FROM links WHERE links.document = edges.document"
        " AND links.ordinal = edges.ordinal AND links.key = edges.key AND links.section = edges.section)"
    ),
    "keywords of no document": (
        "SELECT count(*) FROM keywords WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.digest = keywords.digest)"
    ),
    "documents nobody knows the last change of": (
        "SELECT count(*) FROM documents WHERE id NOT IN (SELECT document FROM changes)"
    ),
    "numbers that may be given twice": (
        "SELECT (SELECT count(*) FROM files WHERE id > last_number OR id IN (SELECT number FROM gone)) FROM meta"
    ),
    "former links of documents that wait for none": (
        "SELECT count(*) FROM former LEFT JOIN documents ON id = document WHERE coalesce(pending, 0) = 0"
    ),
    "folders that are miscounted": (
        "SELECT count(*) FROM folders WHERE files <> (SELECT count(*) FROM files WHERE files.corpus = folders.corpus"
        " AND (folders.path = '' OR (files.path > folders.path || '/' AND files.path < folders.path || '0')))"
    ),
}
"""What must be nought, and how to count it."""


def first_finding(connection: Connection) -> str:
    """What is wrong, or nothing."""
    verdict = connection.all("PRAGMA integrity_check(1)")[0][0]
    if verdict != "ok":
        return f"The database is malformed: {verdict}."
    if broken := connection.all("PRAGMA foreign_key_check"):
        return f"{len(broken)} rows belong to nothing, the first of them in {broken[0][0]}."
    for what, query in _ORPHANS.items():
        if number := connection.all(query)[0][0]:
            return f"There are {what}: {number}."
    for (number,) in connection.all("SELECT document FROM bodies"):
        path, checksum, source = connection.all(
            "SELECT path, checksum, source FROM bodies JOIN files ON id = document WHERE document = ?", (number,)
        )[0]
        if crc32(source) != checksum:
            return f"The text of {path} is not what was written."
    return ""
