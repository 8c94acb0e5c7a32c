"""The tables of libraries from git and of the work for them.

`libraries` has a row for each, `git_commit` is what its ref meant when somebody fetched it last.

`workers` has a row for each worker. One that is there holds an advisory lock: `WORKER_LOCK` and its number. The lock
goes with its connection, so the row of a worker that was killed says nothing.

`jobs` has a row for each piece of work that is not done yet:

    state       waiting, running, or aside after `MOST_ATTEMPTS`
    part        tells jobs of a kind apart; of each there is at most one that waits
    given       what to work on, as JSON
    lane        of two jobs of a library in one lane, one runs at a time; empty for none
    behind      kinds of jobs of the same library that must be done, or set aside, before
    lease       a number that whoever runs it was given; no two are alike
    leased_to   when it may be taken by somebody else, unless its holder goes on saying that it is at it
"""

from __future__ import annotations

from pinakes.postgres.migrations import TableSet

WORKER_LOCK = 1_886_220_906
"""First half of the advisory lock of a worker; the second is its number."""
CLAIM_LOCK = 1_886_220_907
"""Of whoever chooses a job: two that choose at once could both find a lane free."""
JOBS_CHANNEL = "pinakes_jobs"
"""Whoever listens there hears the name of a library for which there is something to do, or was done."""

_TEXT = 'text COLLATE "C" NOT NULL'

JOB_TABLES = TableSet(
    "jobs",
    (
        f"""
CREATE TABLE libraries (
    name {_TEXT} PRIMARY KEY, address {_TEXT}, ref {_TEXT}, path {_TEXT}, git_commit {_TEXT} DEFAULT '',
    synced timestamptz, added timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE workers (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name {_TEXT}, since timestamptz NOT NULL DEFAULT now()
);
CREATE SEQUENCE leases;
CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    library {_TEXT} REFERENCES libraries ON DELETE CASCADE, kind {_TEXT}, part {_TEXT} DEFAULT '',
    given {_TEXT} DEFAULT '', urgency smallint NOT NULL, lane {_TEXT} DEFAULT '', behind text[] NOT NULL,
    state {_TEXT} DEFAULT 'waiting', attempts integer NOT NULL DEFAULT 0,
    worker integer, lease bigint, leased_to timestamptz, since timestamptz NOT NULL DEFAULT now(),
    not_before timestamptz NOT NULL DEFAULT now(), reason {_TEXT} DEFAULT '', next_step {_TEXT} DEFAULT ''
);
CREATE UNIQUE INDEX jobs_waiting ON jobs (library, kind, part) WHERE state = 'waiting';
CREATE UNIQUE INDEX jobs_set_aside ON jobs (library, kind, part) WHERE state = 'aside';
CREATE UNIQUE INDEX jobs_by_lane ON jobs (library, lane) WHERE state = 'running' AND lane <> '';
CREATE INDEX jobs_in_order ON jobs (urgency, id) WHERE state <> 'aside';
CREATE INDEX jobs_of_library ON jobs (library, kind);
""",
    ),
)
