"""The stored format: tables, and the scripts that lead from one version to the next.

Files
    `files` lists everything known to exist: documents and assets. A document's rows elsewhere share its id and go with
    it by cascade. `folders` counts the files below each folder, however deep, the root (empty path) included.
Documents
    `documents` holds what a scan needs, `bodies` the text and what is only read with it, so that scans stay quick.
    Lists that are never asked for by themselves are JSON in one column, an absent one an empty string. `trees` has all
    sections of a document in one row: `anchors` is a list of strings, `sections` a list of title, level, parent, byte
    span, line span and, for those that have any, aliases, shapes, labels and, in source code, a symbol. `blocks`,
    `hidden` and `verbatim` are a `Structure` as it is packed.
Links
    `links` are as written and `edges` as understood. A link waits to be looked up exactly as long as it has no edge;
    `documents.pending` counts those, `documents.unreal` those whose outcome is that they are none. Edges
    repeat the link's section and key so that counting citations and finding the links behind a name need no second
    table. Their indexes are whole on purpose: two partial ones made writing half as fast again. Targets are rows of
    `places`, because a few thousand of them stand behind hundreds of thousands of links.
Keywords
    By digest and not by document: a moved or copied document keeps its own.
What derived parts follow
    `changes` has the generation in which each document was put or links to it began to say something else, `gone` that
    in which a document went. Both are narrow tables of their own: marking every document of a first build dirties
    thirty pages instead of all of `documents`, and reading all of it takes a millisecond, so there is no index. `gone`
    is bounded; what happened up to `meta.floor` is no longer known in full. Numbers of files come from
    `meta.last_number` and are never given twice, not even when a document becomes an asset; `meta.history` tells one
    database from another that takes its place and counts generations from the start.
    `former` is what links said before they began to wait. It counts until all links of their document are looked up
    again, so that putting a document again with the same links changes nothing for others; then its rows go.

The codes in columns are those of `pinakes.store.tables.codes`.

Text with lone surrogates (file names that are not UTF-8) is stored as the bytes that `surrogatepass` makes of it; every
statement casts its text parameters, so such bytes become TEXT too and sort by code point as Python's strings do.
"""

from __future__ import annotations

from functools import cache

from pinakes.safe_sqlite import SchemaRow, schema_of

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta (generation INTEGER NOT NULL);
    INSERT INTO meta VALUES (0);

    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE derived (name TEXT PRIMARY KEY, generation INTEGER NOT NULL, payload BLOB NOT NULL);

    CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        corpus TEXT NOT NULL,
        path TEXT NOT NULL,
        key TEXT NOT NULL,
        version TEXT NOT NULL,
        media TEXT NOT NULL,
        digest TEXT NOT NULL,
        UNIQUE (corpus, path)
    );
    CREATE INDEX files_by_key ON files (key);
    CREATE INDEX files_by_digest ON files (digest) WHERE digest <> '';

    CREATE TABLE folders (
        corpus TEXT NOT NULL,
        path TEXT NOT NULL,
        key TEXT NOT NULL,
        files INTEGER NOT NULL,
        PRIMARY KEY (corpus, path)
    ) WITHOUT ROWID;
    CREATE INDEX folders_by_key ON folders (key);

    CREATE TABLE failures (
        corpus TEXT NOT NULL,
        path TEXT NOT NULL,
        version TEXT NOT NULL,
        reason TEXT NOT NULL,
        next_step TEXT NOT NULL,
        PRIMARY KEY (corpus, path)
    ) WITHOUT ROWID;

    CREATE TABLE documents (
        id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE,
        title TEXT NOT NULL,
        kind TEXT NOT NULL,
        sections INTEGER NOT NULL,
        links INTEGER NOT NULL,
        pending INTEGER NOT NULL,
        unreal INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        tags TEXT NOT NULL,
        warnings TEXT NOT NULL
    );
    CREATE INDEX documents_by_pending ON documents (pending);

    CREATE TABLE bodies (
        document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
        checksum INTEGER NOT NULL,
        code TEXT NOT NULL,
        chunks TEXT NOT NULL,
        source BLOB NOT NULL
    );

    CREATE TABLE trees (
        document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
        anchors TEXT NOT NULL,
        sections TEXT NOT NULL
    );

    CREATE TABLE names (
        document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
        form TEXT NOT NULL,
        text TEXT NOT NULL,
        key TEXT NOT NULL,
        PRIMARY KEY (document, form, text, key)
    ) WITHOUT ROWID;
    CREATE INDEX names_by_key ON names (key);

    CREATE TABLE links (
        document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        section INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        line INTEGER NOT NULL,
        form INTEGER NOT NULL,
        relation INTEGER NOT NULL,
        target TEXT NOT NULL,
        text TEXT NOT NULL,
        key TEXT NOT NULL,
        PRIMARY KEY (document, ordinal)
    ) WITHOUT ROWID;

    CREATE TABLE places (
        id INTEGER PRIMARY KEY,
        corpus TEXT NOT NULL,
        path TEXT NOT NULL,
        UNIQUE (corpus, path)
    );

    CREATE TABLE edges (
        document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        section INTEGER NOT NULL,
        key TEXT NOT NULL,
        outcome INTEGER NOT NULL,
        place INTEGER REFERENCES places,
        anchor TEXT NOT NULL,
        candidates TEXT NOT NULL,
        PRIMARY KEY (document, ordinal)
    ) WITHOUT ROWID;
    CREATE INDEX edges_by_key ON edges (key);
    CREATE INDEX edges_by_place ON edges (place);

    CREATE TABLE keywords (
        digest TEXT PRIMARY KEY,
        fingerprint TEXT NOT NULL,
        words TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE meta ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE meta ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE meta ADD COLUMN history TEXT NOT NULL DEFAULT '';
    UPDATE meta SET last_number = coalesce((SELECT max(id) FROM files), 0), floor = generation,
        history = lower(hex(randomblob(16)));

    CREATE TABLE changes (
        document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
        generation INTEGER NOT NULL
    );
    INSERT INTO changes SELECT id, generation FROM documents CROSS JOIN meta;

    CREATE TABLE gone (
        generation INTEGER NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (generation, number)
    ) WITHOUT ROWID;

    CREATE TABLE former (
        document INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
        place INTEGER NOT NULL REFERENCES places ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (document, place, anchor, text)
    ) WITHOUT ROWID;
    CREATE INDEX former_by_place ON former (place);
    """,
    "ALTER TABLE bodies ADD COLUMN body INTEGER NOT NULL DEFAULT 0;",
    """
    ALTER TABLE bodies ADD COLUMN blocks BLOB NOT NULL DEFAULT x'';
    ALTER TABLE bodies ADD COLUMN hidden BLOB NOT NULL DEFAULT x'';
    ALTER TABLE bodies ADD COLUMN verbatim BLOB NOT NULL DEFAULT x'';
    """,
)
"""Each brings a database from the version that is its position to the next; only ever append."""

VERSION = len(MIGRATIONS)


def statements(script: str) -> list[str]:
    """The single statements of a script."""
    return [statement for statement in script.split(";\n") if statement.strip()]


@cache
def tables(version: int) -> frozenset[SchemaRow]:
    """What a database of that version consists of."""
    return schema_of(one for script in MIGRATIONS[:version] for one in statements(script))
