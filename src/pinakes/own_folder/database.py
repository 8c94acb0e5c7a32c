"""Opens SQLite files in folders of ours, without following a link and without trusting what is in them.

A folder and a name enter, a connection leaves. What the database holds is not known here.
"""

from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote

from pinakes.errors import StoreStrange
from pinakes.own_folder.folder import OwnFolder
from pinakes.safe_sqlite import GuardedConnection


def open_database(folder: OwnFolder, name: str, mode: str = "rw", timeout: float = 5.0) -> GuardedConnection:
    """The database in a file that is there; raises `sqlite3.Error` and what `OwnFolder` raises. `mode` is SQLite's own.

    None of our databases has a rollback journal, so one that lies there is removed: it may name any file of the user
    as the journal of several databases, which SQLite deletes when it is done with it.
    """
    path = folder.path_of(name)
    if folder.holds(f"{name}-journal"):
        folder.remove(f"{name}-journal")
    for ending in ("-wal", "-shm"):
        folder.holds(f"{name}{ending}")
    address = f"file:{quote(str(path), errors='surrogateescape')}?mode={mode}"
    connection = sqlite3.connect(
        address,
        uri=True,
        isolation_level=None,
        timeout=timeout,
        check_same_thread=False,
        factory=GuardedConnection,
    )
    try:
        # SQLite follows a link to the file, and tells where it came out before it reads anything.
        connection.text_factory = bytes
        found = os.fsdecode(connection.execute("PRAGMA database_list").fetchone()[2])
        connection.text_factory = str
        if os.path.normcase(found) != os.path.normcase(folder.resolved(name)):
            raise StoreStrange(f"{path} is a link.", folder.next_step)
        folder.check()
        connection.allow_for(found)
    except BaseException:
        connection.close()
        raise
    return connection
