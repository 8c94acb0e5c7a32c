"""Vectors made before: unchanged text is never embedded twice.

In come an embedder and texts, out come its vectors; only what is not kept yet is encoded. A vector's identity is the
embedder's name and the text, so files, branches and restarts share them and two embedders never mix.

The file (`vectors.sqlite`, `user_version` 1) is derived and may be deleted at any time:

    vectors(id, key, vector, used)   key: BLAKE2b-128 of the embedder's name, a zero byte and the text;
                                     vector: little-endian float16 where that loses nothing, else float32;
                                     used: the day, counted from 1970, on which it was last asked for
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pinakes.errors import StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.safe_sqlite import GuardedConnection, refuse_other_schema, schema_of

if TYPE_CHECKING:
    from pinakes.ports import Embedder, Vectors

_FORMAT = 1
_WAIT_S = 30.0
_AT_ONCE = 500
"""Keys asked for in one statement; some builds of SQLite take no more than 999."""
_SECONDS_A_DAY = 86_400
_SCHEMA = """
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL, used INTEGER NOT NULL
)"""
_PRUNE = """
DELETE FROM vectors WHERE id IN (
    SELECT id FROM (SELECT id, SUM(LENGTH(vector)) OVER (ORDER BY used DESC, id DESC) AS total FROM vectors)
    WHERE total > ?
)"""

_Answer = TypeVar("_Answer")


class VectorCache:
    """Vectors in one SQLite file of their own; several processes and threads may use it at once.

    A file that turns out to be damaged is renamed to `vectors.sqlite.damaged` and started anew. Where nothing can be
    kept, texts are encoded every time and `problem` says why.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.problem = ""
        """Why vectors were not kept the last time it was tried; empty when they were."""
        self._path = folder / "vectors.sqlite"
        self._clock = clock
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def encode(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """What `embedder.encode(texts)` gives, to the bit; texts that are known are not embedded again."""
        keys = [_key(embedder.name, text) for text in texts]
        length = embedder.dimensions
        known = self._attempt(lambda connection: self._find(connection, keys, length)) or {}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made: Mapping[bytes, Vectors] = {}
        if missing:
            made = dict(zip(missing, embedder.encode(tuple(missing.values())), strict=True))
            self._attempt(lambda connection: self._keep(connection, made))
        vectors = np.zeros((len(texts), length), dtype=np.float32)
        for row, key in enumerate(keys):
            vectors[row] = known[key] if key in known else made[key]
        return vectors

    def prune(self, keep_bytes: int) -> int:
        """Forget the vectors longest out of use until at most `keep_bytes` of them are left; says how many went."""
        return self._attempt(lambda connection: _prune(connection, keep_bytes)) or 0

    def close(self) -> None:
        """Let go of the file. Using the cache again opens it again."""
        with self._lock:
            self._disconnect()

    def _find(self, connection: sqlite3.Connection, keys: Sequence[bytes], length: int) -> Mapping[bytes, Vectors]:
        today = self._today()
        found: dict[bytes, Vectors] = {}
        stale: list[tuple[int, int]] = []
        wanted = sorted(set(keys))
        for first in range(0, len(wanted), _AT_ONCE):
            some = wanted[first : first + _AT_ONCE]
            marks = ",".join("?" * len(some))
            for row, key, blob, used in connection.execute(
                f"SELECT id, key, vector, used FROM vectors WHERE key IN ({marks})", some
            ):
                vector = _unpack(blob, length)
                if vector is not None:
                    found[key] = vector
                    if used < today:
                        stale.append((today, row))
        if stale:
            with connection:
                connection.executemany("UPDATE vectors SET used = ? WHERE id = ?", stale)
        return found

    def _keep(self, connection: sqlite3.Connection, made: Mapping[bytes, Vectors]) -> None:
        today = self._today()
        rows = [(key, _pack(vector), today) for key, vector in made.items()]
        with connection:
            connection.executemany(
                "INSERT INTO vectors (key, vector, used) VALUES (?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET vector = excluded.vector",
                rows,
            )

    def _today(self) -> int:
        return int(self._clock() // _SECONDS_A_DAY)

    def _attempt(self, work: Callable[[sqlite3.Connection], _Answer]) -> _Answer | None:
        """Do `work` on the file; None when the file cannot be used now. A cache must never stop anybody."""
        with self._lock:
            try:
                try:
                    answer = work(self._connected())
                except sqlite3.DatabaseError as error:
                    is_endless = error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT
                    if isinstance(error, sqlite3.OperationalError) and not is_endless:
                        raise
                    # Not a database, or not one of ours, or one whose pages contradict each other.
                    self._set_aside()
                    answer = work(self._connected())
            except (sqlite3.Error, OSError, StoreStrange) as error:
                self._disconnect()
                self.problem = f"{self._path} cannot be used: {error}"
                return None
            self.problem = ""
            return answer

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            real = Path(os.path.realpath(self._path))
            OwnFolder.of_user(real.parent).make(parents=True).touch(real.name)
            self._connection = sqlite3.connect(
                self._path, timeout=_WAIT_S, check_same_thread=False, factory=GuardedConnection
            )
            self._connection.allow_for(str(self._path))
            _prepare(self._connection)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _set_aside(self) -> None:
        self._disconnect()
        self._path.replace(self._path.with_name(f"{self._path.name}.damaged"))
        for ending in ("-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


class _OtherFormat(sqlite3.DatabaseError):
    """A readable database that is not a cache of this format."""

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


def _prepare(connection: sqlite3.Connection) -> None:
    with connection:
        # One snapshot for both reads: another process may be making the table between them.
        connection.execute("BEGIN")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if version == _FORMAT:
            refuse_other_schema(connection, schema_of([_SCHEMA]))
            return
    if version or tables:
        raise _OtherFormat(f"format {version}")
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        # Two processes may get here at once; the second finds the work done.
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != _FORMAT:
            connection.execute(_SCHEMA)
            connection.execute(f"PRAGMA user_version = {_FORMAT}")


def _prune(connection: sqlite3.Connection, keep_bytes: int) -> int:
    with connection:
        gone = connection.execute(_PRUNE, (keep_bytes,)).rowcount
    # Each step of this statement gives back one page; only executescript takes them all.
    connection.executescript("PRAGMA incremental_vacuum")
    return gone


def _key(embedder: str, text: str) -> bytes:
    digest = hashlib.blake2b(embedder.encode(), digest_size=16)
    digest.update(b"\0")
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()


def _pack(vector: Vectors) -> bytes:
    with np.errstate(over="ignore"):
        half = vector.astype("<f2")
    return half.tobytes() if np.array_equal(half.astype(np.float32), vector) else vector.astype("<f4").tobytes()


def _unpack(blob: bytes, length: int) -> Vectors | None:
    """None for a blob that cannot be a vector of that length; it will be made again."""
    if len(blob) == 2 * length:
        return np.frombuffer(blob, dtype="<f2").astype(np.float32)
    if len(blob) == 4 * length:
        return np.frombuffer(blob, dtype="<f4").astype(np.float32)
    return None
