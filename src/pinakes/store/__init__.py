"""Where is it kept? Engines that keep the `Store` promise.

Changes enter, records leave; an engine knows neither files that it did not write itself nor what text means.
`open_sqlite` keeps a library in a folder, `ScratchStore` in memory: the plain truth that tests compare with.
"""

from pinakes.store.scratch import ScratchStore
from pinakes.store.sqlite import SqliteStore, damage, database_identity, open_sqlite, set_aside

__all__ = ["ScratchStore", "SqliteStore", "damage", "database_identity", "open_sqlite", "set_aside"]
