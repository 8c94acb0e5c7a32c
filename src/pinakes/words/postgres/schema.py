"""The tables of word indexes in PostgreSQL.

`word_indexes` has a row for each index that was made: what it was made from, how many chunks it holds, and how long
their fields are on average. The weights of its chunks were worked out for those averages.

`terms` numbers the terms of an index and counts in how many chunks each stands, by field.

`chunk_terms` has a row for each section-level chunk. `terms` lists what it can be found by: twice the number of each
term in `words`, and one more than twice the number of each word in `spelled`. `weights` is what each term adds to its
score but for how rare it is: at twice its number for `words`, one further for `about`. Both are counted from 2, for a
`sparsevec` has no place 0. A chunk of more terms than such a vector holds is found by all of them and scored by the
first ones.

`chunk_lines` has the terms in their order, for phrases, and those of the fields that `terms` does not tell apart, so
that they can be counted off. They stand apart, since few are ever looked at.
"""

from __future__ import annotations

from pinakes.postgres.migrations import TableSet
from pinakes.postgres.rows import PARTITIONS, forget_with_index, partitioned

_TEXT = 'text COLLATE "C" NOT NULL'
PLACES = 1_000_000_000
"""Of a `sparsevec`, the most there can be."""
MOST_WEIGHTS = 16_000
"""That a `sparsevec` holds."""

_UNCOMPRESSED = "".join(
    f"ALTER TABLE chunk_terms_{part} ALTER COLUMN {column} SET STORAGE EXTERNAL;\n"
    for part in range(PARTITIONS)
    for column in ("terms", "weights")
)

WORD_TABLES = TableSet(
    "words",
    (
        "".join(
            [
                f"""
CREATE TABLE word_indexes (
    store integer PRIMARY KEY, form {_TEXT}, generation bigint NOT NULL, history {_TEXT}, chunks bigint NOT NULL,
    words bigint NOT NULL, about bigint NOT NULL, code bigint NOT NULL,
    words_length float8 NOT NULL, about_length float8 NOT NULL
);
CREATE SEQUENCE term_numbers AS integer MINVALUE 1 MAXVALUE 499000000;
""",
                partitioned(
                    "terms",
                    f"id integer NOT NULL DEFAULT nextval('term_numbers'), term {_TEXT},"
                    " words integer NOT NULL DEFAULT 0, about integer NOT NULL DEFAULT 0,"
                    " code integer NOT NULL DEFAULT 0, spelled integer NOT NULL DEFAULT 0, PRIMARY KEY (store, term)",
                ),
                partitioned(
                    "chunk_terms",
                    "document bigint NOT NULL, ordinal integer NOT NULL, section integer NOT NULL,"
                    " words integer NOT NULL, about integer NOT NULL, code integer NOT NULL,"
                    f" terms integer[] NOT NULL, weights sparsevec({PLACES}) NOT NULL,"
                    " PRIMARY KEY (store, document, ordinal)",
                    wide=True,
                ),
                partitioned(
                    "chunk_lines",
                    f"document bigint NOT NULL, ordinal integer NOT NULL, words {_TEXT}, code {_TEXT},"
                    " about_terms integer[] NOT NULL, code_terms integer[] NOT NULL,"
                    " PRIMARY KEY (store, document, ordinal)",
                ),
                _UNCOMPRESSED,
                """
CREATE INDEX terms_by_id ON terms (store, id);
CREATE INDEX chunk_terms_by_term ON chunk_terms USING gin (terms) WITH (gin_pending_list_limit = 65536);
""",
                forget_with_index(["word_indexes", "terms", "chunk_terms", "chunk_lines"]),
            ]
        ),
    ),
)
