"""The tables of who may ask what.

`tokens` has a row for each token that was ever made: its id, which stands in the token itself, the hash of its secret
with a salt of its own, and what it allows. Without `libraries` it allows all. Who was revoked stays, so that an id in
the log can be looked up.

`access_log` has a row for each object that was written with a token, and for each kind of refusal within a second.
"""

from __future__ import annotations

from pinakes.postgres.migrations import TableSet

ACCESS_TABLES = TableSet(
    "access",
    (
        """
CREATE TABLE tokens (
    id text COLLATE "C" PRIMARY KEY, name text COLLATE "C" NOT NULL,
    scope text NOT NULL CHECK (scope IN ('read', 'write', 'admin')), libraries text[] COLLATE "C",
    salt bytea NOT NULL, hash bytea NOT NULL,
    made timestamptz NOT NULL DEFAULT now(), expires timestamptz, revoked timestamptz
);
CREATE UNIQUE INDEX tokens_by_name ON tokens (name) WHERE revoked IS NULL;
CREATE TABLE access_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, time timestamptz NOT NULL DEFAULT now(),
    token text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, door text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL, object text COLLATE "C" NOT NULL, library text COLLATE "C" NOT NULL,
    result text COLLATE "C" NOT NULL, peer text COLLATE "C" NOT NULL, count integer NOT NULL
);
CREATE INDEX access_log_by_time ON access_log (time);
""",
    ),
)
