"""Vectors by the text they were made from, for all libraries of a database: no text is embedded twice by one model.

An embedder and texts enter, their vectors leave, as signed bytes scaled as those of an index are; only what nobody has
made yet is encoded, and kept at once. What no index holds and nobody asked for in a month goes, once a day (`sweep`).

    embedders       a number for each embedder's name
    made_vectors    by embedder and digest of the text; `used` is the day on which it was last asked for
    sweeps          the days on which somebody swept
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pinakes.postgres.database import Database
from pinakes.postgres.migrations import TableSet
from pinakes.vectors.texts import DIGEST_BYTES, digest
from pinakes.vectors.writer import as_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Embedder, Vectors

SHARED_VECTOR_TABLES = TableSet(
    "shared_vectors",
    (
        """
CREATE TABLE embedders (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE
);
CREATE TABLE made_vectors (
    embedder integer NOT NULL REFERENCES embedders, digest bytea NOT NULL, vector bytea NOT NULL,
    used date NOT NULL DEFAULT current_date, PRIMARY KEY (embedder, digest)
);
ALTER TABLE made_vectors ALTER COLUMN vector SET STORAGE PLAIN;
CREATE INDEX made_vectors_by_day ON made_vectors (used);
CREATE TABLE sweeps (day date PRIMARY KEY);
""",
    ),
)
KEPT_DAYS = 30
_SWEEP = f"""
WITH unused AS (
    SELECT embedders.id, embedders.name, digest FROM made_vectors JOIN embedders ON embedders.id = embedder
    WHERE used < current_date - {KEPT_DAYS}
), held AS (
    SELECT DISTINCT embedder AS name, substr(digests, 1 + {DIGEST_BYTES} * place, {DIGEST_BYTES}) AS digest
    FROM section_vectors JOIN vector_sets ON vector_sets.id = made_by AND vector_sets.store = section_vectors.store,
    generate_series(0, length(digests) / {DIGEST_BYTES} - 1) place
    WHERE embedder IN (SELECT name FROM unused)
)
DELETE FROM made_vectors USING unused WHERE made_vectors.embedder = unused.id AND made_vectors.digest = unused.digest
    AND (unused.name, unused.digest) NOT IN (SELECT name, digest FROM held)
"""


class SharedVectors:
    """Those of a database. Threads may share it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers: dict[str, int] = {}

    def encode(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """What `embedder.encode(texts)` gives, as exactly as an index keeps it; each text is embedded once for all."""
        return self.rows(embedder, texts).astype(np.float32)

    def rows(self, embedder: Embedder, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row for each text."""
        keys = [digest(text) for text in texts]
        number = self._number(embedder.name)
        known = dict(self._find(number, keys, embedder.dimensions))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = as_bytes(embedder.encode(tuple(missing.values())))
            known.update(zip(missing, made, strict=True))
            self._keep(number, {key: known[key] for key in missing})
        if not keys:
            return np.zeros((0, embedder.dimensions), dtype=np.int8)
        return np.array([known[key] for key in keys], dtype=np.int8)

    def sweep(self) -> int:
        """Throw away what no index holds and nobody asked for in a month; returns how many went. Once a day, whoever
        asks for it."""
        with self._database.transaction() as connection:
            is_first = connection.execute(
                "INSERT INTO sweeps (day) VALUES (current_date) ON CONFLICT DO NOTHING RETURNING day"
            ).fetchone()
            if is_first is None:
                return 0
            connection.execute("DELETE FROM sweeps WHERE day < current_date")
            return connection.execute(_SWEEP.encode()).rowcount

    def close(self) -> None:
        """Nothing is held."""

    def _number(self, name: str) -> int:
        if name not in self._numbers:
            with self._database.transaction() as connection:
                connection.execute("INSERT INTO embedders (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,))
                row = connection.execute("SELECT id FROM embedders WHERE name = %s", (name,)).fetchone()
            assert row is not None
            self._numbers[name] = row[0]
        return self._numbers[name]

    def _find(self, number: int, keys: Sequence[bytes], length: int) -> Mapping[bytes, NDArray[np.int8]]:
        rows = self._database.ask(
            "SELECT digest, vector, used < current_date FROM pinakes.made_vectors"
            " WHERE embedder = %s AND digest = ANY(%s::bytea[])",
            (number, list(keys)),
        )
        if stale := [key for key, _, is_stale in rows if is_stale]:
            with self._database.transaction() as connection:
                connection.execute(
                    "UPDATE made_vectors SET used = current_date WHERE embedder = %s AND digest = ANY(%s::bytea[])",
                    (number, stale),
                )
        return {key: np.frombuffer(data, dtype=np.int8) for key, data, _ in rows if len(data) == length}

    def _keep(self, number: int, made: Mapping[bytes, NDArray[np.int8]]) -> None:
        digests, vectors = sorted(made), [made[key].tobytes() for key in sorted(made)]
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO made_vectors (embedder, digest, vector)"
                " SELECT %s, * FROM unnest(%s::bytea[], %s::bytea[]) ON CONFLICT (embedder, digest)"
                " DO UPDATE SET vector = excluded.vector WHERE made_vectors.vector <> excluded.vector",
                (number, digests, vectors),
            )
