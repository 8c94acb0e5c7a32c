"""Indexes kept in a PostgreSQL database, by library and corpus.

`open_postgres` opens one, a `PostgresStore`, which keeps the promise `Store`; `index_number` tells one from another in
its place, `remove_index` forgets one. `STORE_TABLES` are the tables, for `pinakes migrate`.
"""
