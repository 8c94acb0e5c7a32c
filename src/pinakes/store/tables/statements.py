"""The statements that put rows in, and lists of values in statements.

Text parameters are cast, because they may come as bytes: see `schema`. None of them replaces rows: REPLACE would drop
what belongs to the old ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

TEXT = "CAST(? AS TEXT)"
"""A text parameter."""

LIST_SIZE = 500
"""Values per list in a statement; SQLite's limit is higher, but longer lists gain nothing."""


def placeholders(values: Sequence[object]) -> str:
    """For a list of values in a statement."""
    return ", ".join(["?" if isinstance(value, int) else TEXT for value in values])


def batched(values: Iterable[T], size: int = LIST_SIZE) -> Iterator[list[T]]:
    """The values in lists that a statement can take."""
    source = iter(values)
    while batch := list(islice(source, size)):
        yield batch


def _insert(table: str, columns: str) -> str:
    """Columns marked ``text`` are cast."""
    parts = [column.split() for column in columns.split(",")]
    names = ", ".join(part[0] for part in parts)
    values = ", ".join(TEXT if len(part) > 1 else "?" for part in parts)
    return f"INSERT INTO {table} ({names}) VALUES ({values})"


def _update(conflict: str, columns: str) -> str:
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns.split(", "))
    return f" ON CONFLICT ({conflict}) DO UPDATE SET {changes}"


INSERT_FILE = _insert("files", "id, corpus text, path text, key text, version text, media text, digest text") + _update(
    "id", "version, media, digest"
)
INSERT_FOLDER = _insert("folders", "corpus text, path text, key text, files") + _update("corpus, path", "files")
INSERT_FAILURE = _insert("failures", "corpus text, path text, version text, reason text, next_step text") + _update(
    "corpus, path", "version, reason, next_step"
)
INSERT_DOCUMENT = _insert(
    "documents",
    "id, title text, kind text, sections, links, pending, unreal, bytes, metadata text, tags text, warnings text",
)
INSERT_BODY = _insert("bodies", "document, checksum, code text, chunks text, body, source, blocks, hidden, verbatim")
INSERT_TREE = _insert("trees", "document, anchors text, sections text")
INSERT_NAME = _insert("names", "document, form text, text text, key text")
INSERT_LINK = _insert(
    "links", "document, ordinal, section, start, stop, line, form, relation, target text, text text, key text"
)
INSERT_PLACE = _insert("places", "corpus text, path text")
INSERT_EDGE = (
    # A link that is no longer there selects nothing, so nothing is written for it.
    "INSERT INTO edges (document, ordinal, section, key, outcome, place, anchor, candidates)"
    f" SELECT document, ordinal, section, key, ?, CAST(? AS BIGINT), {TEXT}, {TEXT} FROM links"
    " WHERE document = ? AND ordinal = ?"
) + _update("document, ordinal", "outcome, place, anchor, candidates")
INSERT_CHANGE = _insert("changes", "document, generation")
INSERT_GONE = _insert("gone", "generation, number")
INSERT_SETTING = _insert("settings", "name text, value text")
INSERT_KEYWORDS = (
    # Only for documents that are there, and under the fingerprint that holds now.
    "INSERT INTO keywords (digest, fingerprint, words)"
    f" SELECT {TEXT}, coalesce((SELECT value FROM settings WHERE name = 'keywords'), ''), {TEXT}"
    f" WHERE EXISTS (SELECT 1 FROM files WHERE digest = {TEXT} AND digest <> '')"
) + _update("digest", "fingerprint, words")
INSERT_DERIVED = _insert("derived", "name text, generation, payload") + _update("name", "generation, payload")
