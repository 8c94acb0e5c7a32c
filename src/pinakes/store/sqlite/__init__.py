"""A library kept in one SQLite file.

`open_sqlite` gives the store, `copy_sqlite` another one like it; `damage` looks at one thoroughly and `set_aside` moves
one out of the way.
"""

from pinakes.store.sqlite.copy import copy_sqlite
from pinakes.store.sqlite.repair import damage, database_identity, set_aside
from pinakes.store.sqlite.store import SqliteStore, open_sqlite

__all__ = ["SqliteStore", "copy_sqlite", "damage", "database_identity", "open_sqlite", "set_aside"]
