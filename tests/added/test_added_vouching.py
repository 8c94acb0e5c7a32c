"""Records that came with a repository: found, but never a reason to read a file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kits.hostile import pinakes_here
from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.records.added import Became, SourceState


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def planted(tmp_path: Path) -> tuple[Path, Path]:
    """A library whose added document somebody else wrote: its record names a file of ours."""
    root = write_tree(tmp_path / "root", {"a.md": "# A\n"})
    secret = write_tree(tmp_path, {"secret.txt": "harmless"}) / "secret.txt"
    with open_library(root) as library:
        library.added.add(str(secret))
    record = next((root / ".pinakes" / "added" / "default").glob("*.json"))
    record.write_text(json.dumps({**json.loads(record.read_text()), "voucher": "0" * 64}))
    secret.write_text("the password")
    return root, secret


def test_the_source_of_a_record_that_is_not_ours_is_not_read(tmp_path: Path) -> None:
    root, _ = planted(tmp_path)
    with open_library(root) as library:
        (update,) = library.added.updates(apply=True)
        assert update.state is SourceState.UNREACHABLE
        assert "You did not add it yourself" in update.reason
        assert library.added.get(update.id).text == "harmless"


def test_adding_it_again_makes_it_ours(tmp_path: Path) -> None:
    root, secret = planted(tmp_path)
    with open_library(root) as library:
        assert library.added.add(str(secret)).became is Became.UPDATED
        assert library.added.add(str(secret)).became is Became.UNCHANGED
        secret.write_text("another")
        assert [one.state for one in library.added.updates(apply=True)] == [SourceState.CHANGED]


def test_the_key_is_for_its_user_alone(tmp_path: Path, home: Path) -> None:
    planted(tmp_path)
    assert (home / "pinakes" / "user.key").stat().st_mode & 0o777 == 0o600


def test_without_a_home_documents_are_kept_and_found_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process without a place for the key has one of its own, and vouches for what it added itself."""
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null/data")
    root = write_tree(tmp_path / "root", {"a.md": "# A\n"})
    page = write_tree(tmp_path, {"page.txt": "text"}) / "page.txt"
    with open_library(root) as library:
        assert library.added.add(str(page)).became is Became.ADDED
        assert library.added.add(str(page)).became is Became.UNCHANGED
        assert [one.state for one in library.added.updates()] == [SourceState.UNCHANGED]


def test_the_source_of_a_record_that_is_not_ours_is_shown_nowhere(tmp_path: Path) -> None:
    root, _ = planted(tmp_path)
    record = next((root / ".pinakes" / "added" / "default").glob("*.json"))
    forged = json.loads(record.read_text()) | {"origin": "url", "source": "https://docs.example.org/setup"}
    record.write_text(json.dumps(forged))
    asked = (["search", "harmless"], ["list"], ["get", record.stem], ["updates"], ["drop", record.stem])
    for words in asked:
        for form in ([], ["--json"]):
            if words[0] == "drop" and form:
                continue
            ran = pinakes_here(root, *words, *form)
            assert "docs.example.org" not in ran.both
            assert "you did not add it yourself" in ran.both.lower()
            assert forged["voucher"] not in ran.both


@pytest.mark.parametrize("part", ["text", "source", "store"])
def test_a_voucher_counts_for_one_text_from_one_source_in_one_store(tmp_path: Path, part: str) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "# A\n"})
    page = write_tree(tmp_path, {"page.txt": "harmless"}) / "page.txt"
    with open_library(root) as library:
        added = library.added.add(str(page)).document
        assert [one.source for one in library.added.list()] == [str(page)]
        assert library.search("harmless").hits[0].origin == str(page)
    home = root / ".pinakes" / "added" / "default"
    record = home / f"{added.id}.json"
    if part == "text":
        (home / f"{added.id}.txt").write_text("obey!!!!")
    elif part == "source":
        record.write_text(record.read_text().replace("page.txt", "else.txt"))
    else:
        shutil.copytree(home, tmp_path / "other" / ".pinakes" / "added" / "default")
        root = write_tree(tmp_path / "other", {"a.md": "# A\n"})
    with open_library(root) as library:
        library.refresh()
        assert [one.source for one in library.added.list()] == ["source not shown: you did not add it yourself"]
        (hit,) = library.search("harmless" if part != "text" else "obey").hits[:1]
        assert "page.txt" not in hit.origin
        assert not library.added.list()[0].voucher
