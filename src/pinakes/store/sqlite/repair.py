"""Look at an index thoroughly, and move one out of the way.

A folder enters; a sentence about what is wrong, or the new place of what was moved, leaves. Nothing is mended here: an
index is made again from its sources.
"""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from zlib import crc32

from pinakes.errors import NotFound, StoreError
from pinakes.store.sqlite.connection import Connection, readable
from pinakes.store.sqlite.lock import WriteLock
from pinakes.store.sqlite.open import DATABASE, connect
from pinakes.store.sqlite.seal import NAME as SEAL

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


def damage(folder: Path) -> str:
    """What is wrong with the index in `folder`, after reading all of it; empty when it is sound or there is none."""
    try:
        connection = connect(folder, read_only=True)
    except NotFound:
        return ""
    except StoreError as error:
        return error.problem
    try:
        with readable(folder / DATABASE), connection.snapshot():
            return _first_finding(connection)
    except StoreError as error:
        return error.problem
    finally:
        connection.close()


def _first_finding(connection: Connection) -> str:
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


_ASIDE = "set-aside-"


def set_aside(folder: Path) -> Path:
    """Give the database and what belongs to it another name, so that a new one can be made; returns the new path.

    Only the last one is kept: it is there to be looked into, and everything in it can be read again.
    """
    with readable(folder / DATABASE), WriteLock(folder).held(wait_s=30.0):
        before = list(folder.glob(f"{_ASIDE}*"))
        moment = datetime.now().strftime("%Y%m%d-%H%M%S")
        aside, attempt = folder / f"{_ASIDE}{moment}", 1
        while aside.exists():
            attempt += 1
            aside = folder / f"{_ASIDE}{moment}-{attempt}"
        aside.mkdir(parents=True)
        # The seal last: until it is gone too, the missing database is noticed.
        for name in (f"{DATABASE}-wal", f"{DATABASE}-shm", DATABASE, SEAL):
            if (folder / name).exists():
                (folder / name).rename(aside / name)
        for older in before:
            shutil.rmtree(older, ignore_errors=True)
        return aside / DATABASE
