"""A crafted database is damage: every command ends, and the next one answers from an index that was made again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from kits.hostile import pinakes_here
from kits.store import copied
from kits.trees import write_tree

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"


def with_statements(*statements: str) -> Callable[[Path], None]:
    def craft(database: Path) -> None:
        crafted = sqlite3.connect(database)
        for statement in statements:
            crafted.execute(statement)
        crafted.commit()
        crafted.close()

    return craft


def with_pages_that_never_end(database: Path) -> None:
    """A tree whose every inner page names the one below it hundreds of times: more rows than anybody can count."""
    crafted = sqlite3.connect(database)
    (root,) = crafted.execute("SELECT rootpage FROM sqlite_master WHERE name = 'documents'").fetchone()
    crafted.close()
    data = bytearray(database.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    start = (root - 1) * size
    leaf = bytes(data[start : start + size])
    first = len(data) // size + 1
    pages = [root, *range(first, first + 12)]
    for page, below in pairwise(pages):
        count = (size - 12) // 7
        cells = b"".join(below.to_bytes(4, "big") + b"\x7f" for _ in range(count))
        at = size - len(cells)
        places = b"".join((at + 5 * number).to_bytes(2, "big") for number in range(count))
        head = b"\x05\x00\x00" + count.to_bytes(2, "big") + at.to_bytes(2, "big") + b"\x00" + below.to_bytes(4, "big")
        inner = (head + places).ljust(at, b"\x00") + cells
        data[(page - 1) * size : page * size] = inner
    data[(pages[-1] - 1) * size : pages[-1] * size] = leaf
    data[28:32] = (len(data) // size).to_bytes(4, "big")
    data[92:96] = data[24:28]
    database.write_bytes(data)


CRAFTED: dict[str, Callable[[Path], None]] = {
    "a view that never ends": with_statements("DROP TABLE meta", f"CREATE VIEW meta AS {ENDLESS}"),
    "a trigger that never ends": with_statements(
        f"CREATE TRIGGER t AFTER UPDATE ON meta BEGIN INSERT INTO settings SELECT x, x FROM ({ENDLESS}); END",
        f"CREATE TRIGGER s AFTER INSERT ON files BEGIN INSERT INTO settings SELECT x, x FROM ({ENDLESS}); END",
    ),
    "a generated column": with_statements(
        "ALTER TABLE files ADD COLUMN more GENERATED ALWAYS AS (hex(zeroblob(400000000))) VIRTUAL"
    ),
    "an index on an expression": with_statements("CREATE INDEX more ON files (abs(length(path)))"),
    "a table too many": with_statements("CREATE TABLE more (x)"),
    "a virtual table": with_statements("CREATE VIRTUAL TABLE more USING fts5(x)"),
    "a check that nothing passes": with_statements(
        "DROP TABLE settings", "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT CHECK (value IS NULL))"
    ),
    "pages that never end": with_pages_that_never_end,
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    write_tree(root, {"a.md": "# Zebra\n\nThe zebra is striped.\n", "b.md": "# Giraffe\n\nTall.\n"})
    assert pinakes_here(root, "search", "zebra").code == 0
    return root


@pytest.mark.parametrize("way", CRAFTED)
def test_a_crafted_database_is_damage_and_never_a_hang(sound: Path, tmp_path: Path, way: str) -> None:
    """Each command meets it first once; a process of its own would be ended by the system, this one by the tests."""
    for asked in ("search zebra --no-sync", "sync", "status", "map --no-sync", "doctor"):
        root = copied(sound, tmp_path / asked)
        database = root / ".pinakes" / "library.db"
        CRAFTED[way](database)
        (root / ".pinakes" / "library.sums").unlink()

        assert pinakes_here(root, *asked.split()).code in (0, 1, 2)
        assert pinakes_here(root, "sync").code == 0
        assert "striped" in pinakes_here(root, "search", "zebra").out
        healed = sqlite3.connect(database)
        assert {kind for (kind,) in healed.execute("SELECT type FROM sqlite_master")} == {"table", "index"}
        assert not healed.execute("SELECT 1 FROM sqlite_master WHERE name = 'more'").fetchall()
        healed.close()
