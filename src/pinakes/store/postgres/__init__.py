"""Indexes kept in a PostgreSQL database, by library and corpus.

`PostgresStore` keeps the promise `Store`; `STORE_TABLES` are its tables, for `pinakes migrate`.
"""
