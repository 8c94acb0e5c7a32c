"""Vectors of libraries in a PostgreSQL database.

`PostgresVectors` keeps those of one embedder for one index and gives the promise `Cosines`; `VECTOR_TABLES` are the
tables, for `pinakes migrate`.
"""
