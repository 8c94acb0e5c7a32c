"""The tables of word indexes in PostgreSQL.

`word_indexes` has a row for each index that was made: what it was made from, how many chunks it holds, and how many
terms their fields have.

`terms` numbers the terms of an index and counts in how many chunks each stands, by field.

`word_parts` has a row for each part of an index: up to 65,536 chunks that were put there together, by their number in
it. They stand in arrays of bytes, in the order of document and ordinal: where each chunk stands, and how long its
fields are. `dead` lists those that no longer count; `mark` is another number whenever it changes. A part has a random
number, which nothing else ever has, so whoever holds it in memory need not ask whether it is still the same.

`word_lists` has a row for each term of a part, with the chunks that hold it in `words`, in `about` and in `spelled`:
their numbers in the part, then how often it stands in each.

`chunk_lines` has the terms of a chunk in their order, for phrases, and those of the fields that have no order, so that
they can be counted off. Few are ever looked at.
"""

from __future__ import annotations

from pinakes.postgres.migrations import TableSet
from pinakes.postgres.rows import PARTITIONS, forget_with_index, partitioned

_TEXT = 'text COLLATE "C" NOT NULL'
_BEFORE = "sparsevec(1000000000)"

_LISTED = "".join(
    f"ALTER TABLE word_lists_{part} ALTER COLUMN {column} SET STORAGE EXTERNAL;\n"
    for part in range(PARTITIONS)
    for column in ("words", "about", "spelled")
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
                    f" terms integer[] NOT NULL, weights {_BEFORE} NOT NULL,"
                    " PRIMARY KEY (store, document, ordinal)",
                    wide=True,
                ),
                partitioned(
                    "chunk_lines",
                    f"document bigint NOT NULL, ordinal integer NOT NULL, words {_TEXT}, code {_TEXT},"
                    " about_terms integer[] NOT NULL, code_terms integer[] NOT NULL,"
                    " PRIMARY KEY (store, document, ordinal)",
                ),
                """
CREATE INDEX terms_by_id ON terms (store, id);
CREATE INDEX chunk_terms_by_term ON chunk_terms USING gin (terms) WITH (gin_pending_list_limit = 65536);
""",
                forget_with_index(["word_indexes", "terms", "chunk_terms", "chunk_lines"]),
            ]
        ),
        # Made again from the rows of the store, by the first question or sync.
        "".join(
            [
                """
DROP FUNCTION forget_index_in_word_indexes CASCADE;
DROP TABLE chunk_terms, chunk_lines;
TRUNCATE word_indexes, terms;
ALTER TABLE word_indexes DROP COLUMN words_length, DROP COLUMN about_length;
CREATE TABLE word_parts (
    store integer NOT NULL, part bigint NOT NULL, chunks integer NOT NULL, documents bytea NOT NULL,
    ordinals bytea NOT NULL, sections bytea NOT NULL, words bytea NOT NULL, about bytea NOT NULL, code bytea NOT NULL,
    first_document bigint NOT NULL, last_document bigint NOT NULL,
    dead bytea NOT NULL DEFAULT '', mark bigint NOT NULL DEFAULT 0, PRIMARY KEY (store, part)
);
""",
                partitioned(
                    "word_lists",
                    "part bigint NOT NULL, term integer NOT NULL, words bytea NOT NULL, about bytea NOT NULL,"
                    " spelled bytea NOT NULL, PRIMARY KEY (store, term, part)",
                    wide=True,
                ),
                partitioned(
                    "chunk_lines",
                    f"document bigint NOT NULL, ordinal integer NOT NULL, words {_TEXT}, code {_TEXT},"
                    " about_terms bytea NOT NULL, spelled_terms bytea NOT NULL,"
                    " PRIMARY KEY (store, document, ordinal)",
                ),
                _LISTED,
                "CREATE INDEX word_lists_by_part ON word_lists (part);",
                forget_with_index(["word_indexes", "terms", "word_parts", "word_lists", "chunk_lines"]),
            ]
        ),
    ),
)
