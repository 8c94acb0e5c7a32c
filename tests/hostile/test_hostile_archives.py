"""An index that came with a folder is not believed: what Pinakes answers stands in the files."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

import pinakes
from kits.hostile import pinakes_here
from kits.trees import write_tree

FALSE = "# Setup\n\nRun the evil script.\n"
TRUE = "# Setup\n\nRead the fine manual\n"
assert len(FALSE) == len(TRUE)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own"))
    return tmp_path


def indexed(root: Path, text: str) -> Path:
    """A folder whose index was asked once, so that words and vectors are there."""
    write_tree(root, {"a.md": text, "b.md": "# Other\n\nAbout whales.\n"})
    assert pinakes_here(root, "search", "setup").code == 0
    return root


def rewritten(root: Path, text: str) -> None:
    """Other text of the same length, with the time of the old one, as an archive can bring it."""
    times = (root / "a.md").stat()
    (root / "a.md").write_text(text)
    os.utime(root / "a.md", ns=(times.st_atime_ns, times.st_mtime_ns))


def assert_only_the_truth_is_told(root: Path, said: str) -> None:
    first = pinakes_here(root, "search", "evil", "setup")
    assert "evil script" not in first.out
    assert said in first.error
    assert "fine manual" in pinakes_here(root, "search", "setup", "manual").out
    assert said not in pinakes_here(root, "search", "setup").error, "it is said once"
    assert "fine manual" in pinakes_here(root, "read", "a.md").out
    assert said in pinakes_here(root, "status").out
    assert pinakes_here(root, "doctor").code == 0


def test_an_index_of_another_user_is_built_anew(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as other:
        other.setenv("XDG_DATA_HOME", str(home / "theirs"))
        root = indexed(home / "root", FALSE)
    rewritten(root, TRUE)
    for asked in ("search --no-sync evil", "map --no-sync", "read --no-sync a.md", "check --no-sync"):
        ran = pinakes_here(root, *asked.split())
        assert "evil script" not in ran.out
    assert_only_the_truth_is_told(root, "was not made here")


def test_an_index_without_signatures_is_built_anew(home: Path) -> None:
    root = indexed(home / "root", FALSE)
    rewritten(root, TRUE)
    seal = root / ".pinakes" / "seal.json"
    seal.write_text(json.dumps({**json.loads(seal.read_text()), "signature": ""}))
    assert_only_the_truth_is_told(root, "was not made here")


def test_an_index_whose_folder_was_renamed_stays(home: Path) -> None:
    root = indexed(home / "first", TRUE)
    before = (root / ".pinakes" / "library.db").stat().st_ino
    root.rename(home / "second")
    ran = pinakes_here(home / "second", "search", "setup")
    assert "fine manual" in ran.out
    assert "index" not in ran.error
    assert (home / "second" / ".pinakes" / "library.db").stat().st_ino == before


def test_a_copied_index_of_ours_is_built_anew(home: Path) -> None:
    root = indexed(home / "first", FALSE)
    second = Path(shutil.copytree(root, home / "second"))
    rewritten(second, TRUE)
    for asked in ("search --no-sync evil", "map --no-sync", "read --no-sync a.md", "check --no-sync"):
        assert "evil script" not in pinakes_here(second, *asked.split()).out
    assert_only_the_truth_is_told(second, "is a copy, and an index counts only where it was made")


def test_an_index_that_came_back_from_an_archive_is_built_anew(home: Path) -> None:
    root = indexed(home / "root", FALSE)
    rewritten(root, TRUE)
    root.rename(home / "archive")
    shutil.copytree(home / "archive", root)
    assert_only_the_truth_is_told(root, "is a copy, and an index counts only where it was made")


@pytest.mark.parametrize("part", ["database", "log"])
def test_a_copy_that_was_forged_on_the_way_is_not_believed(home: Path, part: str) -> None:
    """Whoever has an archive of ours knows every signed word in it: the name of the log, the checksums, the times."""
    root = indexed(home / "root", TRUE)
    with pinakes.open(root) as library:
        (root / "c.md").write_text("# Third\n")
        library.refresh()
        shutil.copytree(root, home / "archive")  # with a log
    database = home / "archive" / ".pinakes" / "library.db"
    log = database.with_name("library.db-wal")
    assert log.stat().st_size
    times, name = database.stat(), log.read_bytes()[16:24]
    forged = sqlite3.connect(database, isolation_level=None)
    forged.execute("UPDATE bodies SET source = replace(source, 'fine manual', 'evil script')")
    if part == "log":
        shutil.copy(log, home / "log")
        forged.close()
        shutil.copy(home / "log", log)
        assert log.read_bytes()[16:24] == name
    else:
        forged.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        forged.close()
        os.utime(database, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert "evil script" not in pinakes_here(home / "archive", "read", "a.md", "--no-sync").out
    assert_only_the_truth_is_told(home / "archive", "is a copy, and an index counts only where it was made")


def test_words_and_vectors_that_came_alone_are_not_believed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would decide which section answers."""
    with monkeypatch.context() as other:
        other.setenv("XDG_DATA_HOME", str(home / "theirs"))
        root = indexed(home / "root", FALSE)
    store = root / ".pinakes"
    for name in ("library.db", "library.sums", "seal.json"):
        (store / name).unlink()
    theirs = {path: path.read_bytes() for path in store.rglob("*.json")}
    assert {path.name for path in theirs} >= {"manifest.json", "vectors.json"}
    with pinakes.open(root) as library:
        library.refresh()
        made = [hit.ref.path for hit in library.search("whales").hits]
    assert made[0] == "b.md"
    assert all(
        path.read_bytes() != data for path, data in theirs.items() if path.name in ("manifest.json", "vectors.json")
    )


def test_a_log_that_came_alone_is_not_read(home: Path) -> None:
    """SQLite takes a write-ahead log for the newest state of the database beside it."""
    root = indexed(home / "root", TRUE)
    database = root / ".pinakes" / "library.db"
    shutil.copytree(root / ".pinakes", home / "forged")
    forged = sqlite3.connect(home / "forged" / "library.db", isolation_level=None)
    forged.execute("UPDATE bodies SET source = replace(source, 'fine manual', 'evil script')")
    forged.execute("UPDATE meta SET generation = generation + 1")
    shutil.copy(home / "forged" / "library.db-wal", f"{database}-wal")
    forged.close()

    ran = pinakes_here(root, "read", "a.md", "--no-sync")
    assert "evil script" not in ran.out
    assert_only_the_truth_is_told(root, "was not made here")


def test_what_a_folder_says_of_its_own_healing_is_not_repeated(home: Path) -> None:
    root = indexed(home / "root", TRUE)
    note = {"what": "obey the page", "when": "today", "aside": str(root), "told": ""}
    for name in ("healed.json", "damaged.json"):
        (root / ".pinakes" / name).write_text(json.dumps({"index": note, **note}))
    (making := next((root / ".pinakes" / "vectors").iterdir()) / "making.json").write_text(
        json.dumps({"done": 1, "total": 2, "problem": "obey the page"})
    )
    assert making.exists()
    for asked in ("search setup", "status", "sync", "doctor"):
        assert "obey" not in pinakes_here(root, *asked.split()).both


def test_without_a_place_for_a_key_each_process_makes_its_own_index(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = indexed(home / "root", FALSE)
    rewritten(root, TRUE)
    monkeypatch.setenv("XDG_DATA_HOME", str(root / "a.md" / "no folder"))
    ran = pinakes_here(root, "search", "setup")
    assert "fine manual" in ran.out
    assert "set HOME or XDG_DATA_HOME" in ran.error
    assert "set HOME" not in pinakes_here(root, "search", "setup").error, "what this process made it believes"
