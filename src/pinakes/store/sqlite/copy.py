"""A copy of an index in another folder, to go on from there.

Two folders enter; afterwards the second holds a database with the same content, sealed as its own. A copy that somebody
made by hand is not believed, since it may have been changed on the way; this one is taken from a database that was just
checked, through SQLite, so that it holds one generation whole and no log.
"""

from __future__ import annotations

import os

from pinakes.own_folder import OwnFolder
from pinakes.store.sqlite.connection import Connection, translate_errors
from pinakes.store.sqlite.lock import WriteLock
from pinakes.store.sqlite.open import connect, require
from pinakes.store.sqlite.sums import sums_of, write_sums
from pinakes.store.sqlite.trust import DATABASE, DatabaseSeal, stamp, write_seal


def copy_sqlite(source: OwnFolder, target: OwnFolder) -> None:
    """Put a copy of the index in `source` into `target`, which has none; raises `NotFound` without one to copy, and
    `StoreError`."""
    require(source)
    fresh = f"{DATABASE}.{os.getpid()}.new"
    with translate_errors(target.path / DATABASE):
        reader = connect(source, WriteLock(source), read_only=True)
        try:
            target.make(unseen=True, parents=True)
            target.replace(fresh, b"", durable=False)
            copied = Connection(target, fresh, "rw")
            try:
                with reader.snapshot():
                    reader.copy_into(copied)
                    generation, documents = reader.all("SELECT generation, (SELECT count(*) FROM documents) FROM meta")[
                        0
                    ]
            finally:
                copied.close()
        finally:
            reader.close()
        write_sums(target, sums_of(target, fresh))
        target.move(fresh, target, DATABASE)
        write_seal(target, DatabaseSeal(generation, documents, *stamp(target), ""))
