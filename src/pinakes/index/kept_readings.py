"""What documents say, kept in a database by whoever has read them, for whoever takes them into an index.

An `Entry` enters and leaves, by a key that names all that it was made from: the bytes, the path, and what reading goes
by. So equal files of different repositories are read once, and what was read by other settings is not found. Entries
are there for as long as an index is being built (`forget`), or for a day.

    readings    one row for each; not logged, because all of it can be read again
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from msgspec import msgpack
from msgspec.structs import replace

from pinakes.chunk import fingerprint
from pinakes.index.plan import READING_VERSION
from pinakes.index.reading import ReadingOptions
from pinakes.postgres.database import Database, PostgresConnection
from pinakes.postgres.migrations import TableSet
from pinakes.records import Entry, Media, Ref, Stamp
from pinakes.records.media import format_named

READING_TABLES = TableSet(
    "readings",
    (
        """
CREATE UNLOGGED TABLE readings (
    key bytea PRIMARY KEY, entry bytea NOT NULL, made timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE readings ALTER COLUMN entry SET STORAGE EXTERNAL;
""",
    ),
)
_ENCODER = msgpack.Encoder()
_DECODER = msgpack.Decoder(Entry)
_LONGEST_DAYS = 1


def reading_key(stamp: Stamp, options: ReadingOptions) -> bytes:
    """Names what becomes of a file whose version is that of its bytes."""
    path = stamp.ref.path
    parts = (
        READING_VERSION,
        fingerprint(options.cutting),
        options.sites.text(),
        repr(options.modules.of(path)),
        stamp.ref.corpus,
        path,
        stamp.version,
        stamp.media.name,
    )
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


class KeptReadings:
    """Those of a database."""

    def __init__(self, database: Database, options: ReadingOptions) -> None:
        self._database = database
        self._options = options

    def find(self, stamps: Sequence[Stamp]) -> Mapping[Ref, Entry]:
        """Those of these that somebody has read."""
        keys = {reading_key(stamp, self._options): stamp for stamp in stamps}
        rows = self._database.ask("SELECT key, entry FROM pinakes.readings WHERE key = ANY(%s::bytea[])", (list(keys),))
        return {keys[key].ref: _entry(data, keys[key]) for key, data in rows}

    def missing(self, stamps: Sequence[Stamp]) -> list[Stamp]:
        """Those of these that nobody has read."""
        keys = [reading_key(stamp, self._options) for stamp in stamps]
        rows = self._database.ask("SELECT key FROM pinakes.readings WHERE key = ANY(%s::bytea[])", (keys,))
        known = {key for (key,) in rows}
        return [stamp for stamp, key in zip(stamps, keys, strict=True) if key not in known]

    def keep(self, connection: PostgresConnection, entries: Iterable[Entry]) -> None:
        """Keep some; what cannot be encoded is read again by whoever needs it."""
        for one in entries:
            try:
                data = _ENCODER.encode(_plain(one))
            except UnicodeEncodeError:  # a name that is not UTF-8
                continue
            connection.execute(
                "INSERT INTO readings (key, entry) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (reading_key(one.document.stamp, self._options), data),
            )

    def forget(self, connection: PostgresConnection, stamps: Iterable[Stamp]) -> None:
        """Forget these, which are in an index by now, and what nobody has asked for in a day."""
        connection.execute(
            "DELETE FROM readings WHERE key = ANY(%s::bytea[]) OR made < now() - make_interval(days => %s)",
            ([reading_key(stamp, self._options) for stamp in stamps], _LONGEST_DAYS),
        )


def _plain(one: Entry) -> Entry:
    """Of the format its name only: whoever reads it knows the rest."""
    stamp = one.document.stamp
    return replace(one, document=replace(one.document, stamp=replace(stamp, media=Media(stamp.media.name))))


def _entry(data: bytes, stamp: Stamp) -> Entry:
    found = _DECODER.decode(data)
    stamp = replace(stamp, media=format_named(found.document.stamp.media.name))
    return replace(found, document=replace(found.document, stamp=stamp))
