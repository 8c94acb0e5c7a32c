"""The tables of vectors in PostgreSQL.

`vector_sets` has a row for each embedder of an index. Its number is in `made_by` of the rows below.

`vector_changes` names the documents that a version changed, for whoever holds the version before in memory.

`section_vectors` has a row for each section-level chunk: `vectors` holds its own vector and those of its passages, as
signed bytes, and `digests` those of the texts they were made from, as in the files of `vectors.layout`.

`near_vectors` has a row for each vector of a large set, to be found by HNSW. The rows of other sets are not there: they
are compared one by one, and the graph would take longer to make than all the rest of an index. A graph is made of
vectors of one length, so there is one for each length that models have; vectors of another are compared one by one.
"""

from __future__ import annotations

from pinakes.postgres.migrations import TableSet
from pinakes.postgres.rows import PARTITIONS, forget_with_index, partitioned

GRAPHS = (256, 384, 512, 768, 1024)
"""Numbers of a vector for which there is a graph."""

_UNCOMPRESSED = "".join(
    f"ALTER TABLE section_vectors_{part} ALTER COLUMN vectors SET STORAGE EXTERNAL;\n" for part in range(PARTITIONS)
)
_HNSW = "".join(
    f"CREATE INDEX near_vectors_{length} ON near_vectors USING hnsw ((vector::halfvec({length})) halfvec_cosine_ops)"
    f" WHERE vector_dims(vector) = {length};\n"
    for length in GRAPHS
)

VECTOR_TABLES = TableSet(
    "vectors",
    (
        "".join(
            [
                """
CREATE TABLE vector_sets (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, store integer NOT NULL, embedder text COLLATE "C" NOT NULL,
    dimensions integer NOT NULL, generation bigint NOT NULL, history text NOT NULL, rows bigint NOT NULL,
    version bigint NOT NULL, is_large boolean NOT NULL, note text NOT NULL DEFAULT '', UNIQUE (store, embedder)
);
CREATE TABLE vector_changes (
    store integer NOT NULL, made_by integer NOT NULL, version bigint NOT NULL, documents bigint[] NOT NULL,
    PRIMARY KEY (made_by, version)
);
""",
                partitioned(
                    "section_vectors",
                    "made_by integer NOT NULL, document bigint NOT NULL, ordinal integer NOT NULL,"
                    " position integer NOT NULL, digests bytea NOT NULL, vectors bytea NOT NULL,"
                    " PRIMARY KEY (store, made_by, document, ordinal)",
                    wide=True,
                ),
                partitioned(
                    "near_vectors",
                    "made_by integer NOT NULL, document bigint NOT NULL, ordinal integer NOT NULL,"
                    " row smallint NOT NULL, vector halfvec NOT NULL,"
                    " PRIMARY KEY (store, made_by, document, ordinal, row)",
                ),
                _UNCOMPRESSED,
                _HNSW,
                forget_with_index(["vector_sets", "vector_changes", "section_vectors", "near_vectors"]),
            ]
        ),
    ),
)
