"""Every write leaves a line, whichever door it came through, and no line tells what was written."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kits.hostile import SECRET
from kits.http import serving
from kits.mcp import talking
from kits.trees import write_tree
from pinakes import write_log
from pinakes.errors import NotFound
from pinakes.library import open_library
from pinakes.records.memory import Revision
from pinakes.serve.kept_token import kept_token
from pinakes.write_log import read_log

TEXT = f"Cranes are oiled in May, says {SECRET}."


@pytest.fixture
def root(tmp_path: Path, new_user: Path) -> Path:
    return write_tree(tmp_path / "docs", {"a.md": "# Cranes\n\nThey lift.\n", "b.md": "# Tides\n\nTwice a day.\n"})


def place(home: Path) -> Path:
    return home / ".local/share/pinakes/log/writes.jsonl"


def lines(root: Path) -> list[tuple[str, str, str, str]]:
    return [(one.door, one.action, one.object, one.result) for one in read_log(root)]


def pinakes(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "pinakes", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_every_way_to_write_leaves_a_line(root: Path) -> None:
    with open_library(root) as library:
        library.sync(rebuild=True)
        memories, added = library.memories, library.added
        memories.remember(TEXT, "One")
        memories.remember(TEXT, "Two")
        memories.update("one", Revision(title="First"))
        memories.append("one", TEXT)
        memories.archive("two")
        memories.merge(["one", "two"], "Both", TEXT)
        memories.forget("both")
        memories.restore("both")
        document = added.add(str(root / "a.md")).document
        added.add(str(root / "a.md"))  # the same once more
        (root / "a.md").write_text("# Cranes\n\nThey lift more.\n")
        added.updates()
        added.updates(apply=True)
        added.add_text(TEXT.encode(), title="Text")
        added.drop([document.id])
        library.publish(root.parent / "site")
    path = f"added:default/{document.id}"
    assert lines(root) == [
        ("python", "rebuild", "docs", "done"),
        ("python", "remember", "memories:one.md", "done"),
        ("python", "remember", "memories:two.md", "done"),
        ("python", "update", "memories:one.md", "done"),
        ("python", "append", "memories:one.md", "done"),
        ("python", "archive", "memories:two.md", "done"),
        ("python", "merge", "memories:both.md", "done"),
        ("python", "forget", "memories:both", "done"),
        ("python", "restore", "memories:both.md", "done"),
        ("python", "add", f"{path}.md", "added"),
        ("python", "updates", path, "updated"),
        ("python", "add", read_log(root)[-3].object, "added"),
        ("python", "drop", f"{path}.md", "done"),
        ("python", "publish", str(root.parent / "site"), "done"),
    ]


def test_every_door_is_named_and_no_text_or_token_is_kept(root: Path, new_user: Path) -> None:
    token = kept_token()
    assert pinakes(root, "remember", TEXT, "--title", "By hand").returncode == 0
    with serving(root) as server:
        assert server.post("/remember", {"text": TEXT, "title": "By HTTP"}).status == 200
        assert server.post("/add", {"text": TEXT, "title": "Text"}).status == 200
    with talking(root) as talk:
        talk.greet()
        assert not talk.call("remember", text=TEXT, title="By model")["result"].get("isError")
        talk.end()
    assert [line[:3] for line in lines(root)][:3] == [
        ("python", "token", "serve.token"),
        ("cli", "remember", "memories:by-hand.md"),
        ("http", "remember", "memories:by-http.md"),
    ]
    assert [line[:2] for line in lines(root)][3:] == [("http", "add"), ("mcp", "remember")]
    file = place(new_user)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert SECRET not in file.read_text()
    assert token not in file.read_text()
    assert {one.user for one in read_log()} == {os.geteuid()}


def test_a_write_that_fails_is_logged_without_what_was_given(root: Path) -> None:
    with open_library(root) as library:
        with pytest.raises(NotFound):
            library.memories.forget(SECRET)
        with pytest.raises(NotFound):
            library.added.drop([SECRET])
    assert lines(root) == [("python", "forget", "", "NotFound"), ("python", "drop", "", "NotFound")]


def test_lines_are_only_added_and_a_full_file_makes_room(
    root: Path, new_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_log, "MOST_BYTES", 2000)
    before = b""
    with open_library(root) as library:
        for number in range(40):
            library.memories.remember("Some words.", f"Note {number}")
            now = place(new_user).read_bytes() if place(new_user).exists() else b""
            assert now.startswith(before) or len(before) > 1500
            before = now
    held = sorted(file.name for file in place(new_user).parent.glob("*.jsonl"))
    assert "writes.1.jsonl" in held
    assert len(held) <= 5
    found = [one.object for one in read_log(root, limit=1000)]
    assert found == [f"memories:note-{number}.md" for number in range(40)][-len(found) :]
    assert len(found) > 20


def test_a_link_in_the_place_of_the_log_is_not_written_through(root: Path, new_user: Path) -> None:
    victim = write_tree(new_user, {"victim": "mine\n"}) / "victim"
    place(new_user).parent.mkdir(parents=True)
    place(new_user).symlink_to(victim)
    with open_library(root) as library:
        assert library.memories.remember("Some words.", "Kept").id == "kept"
    assert victim.read_text() == "mine\n"


def test_the_command_shows_the_lines_of_a_library_or_of_all(root: Path, tmp_path: Path) -> None:
    other = write_tree(tmp_path / "other", {"a.md": "# A\n"})
    assert pinakes(root, "log").returncode == 1
    for folder in (root, other):
        with open_library(folder) as library:
            library.memories.remember("Some words.", folder.name)

    def shown(*words: str) -> list[Any]:
        found: list[Any] = json.loads(pinakes(root, "log", "--root", str(root), "--json", *words).stdout)
        return [one["object"] for one in found]

    assert shown() == ["memories:docs.md"]
    assert shown("--all") == ["memories:docs.md", "memories:other.md"]
    assert shown("--all", "--limit", "1") == ["memories:other.md"]
    assert shown("--since", "2001-01-31") == ["memories:docs.md"]
    assert shown("--since", "9001-01-31") == []
    assert "memories:docs.md" in pinakes(root, "log").stdout
    assert "is not a day" in pinakes(root, "log", "--since", "yesterday").stderr
