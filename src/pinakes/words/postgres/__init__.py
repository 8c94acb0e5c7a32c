"""Words of libraries in a PostgreSQL database.

`PostgresWords` gives the promise `WordIndex` for one index; `WORD_TABLES` are the tables, for `pinakes migrate`.
"""
