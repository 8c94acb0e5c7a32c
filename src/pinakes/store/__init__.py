"""Where is the index kept? An engine that keeps the `Store` promise.

Changes enter, records leave; an engine knows neither files that it did not write itself nor what text means.
`open_sqlite` opens the index in a folder.
"""

from pinakes.store.sqlite import SqliteStore, copy_sqlite, damage, database_identity, open_sqlite, set_aside

__all__ = ["SqliteStore", "copy_sqlite", "damage", "database_identity", "open_sqlite", "set_aside"]
