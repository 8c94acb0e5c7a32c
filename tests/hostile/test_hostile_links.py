"""Links that a repository brings into our folders, before a command or beside a running server: nothing outside of the
root is read out, changed or removed through them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kits.hostile import SECRET, pinakes_here
from kits.http import Server, serving
from kits.mcp import talking
from kits.planted import PLANTED, link, state, undo, victim_beside
from kits.trees import write_tree
from kits.waiting import until
from kits.watch import watching


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    return victim_beside(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "repo", {"a.md": "# Harbour\n\nHigh water comes twice a day.\n"})


def _memory(root: Path, name: str = "plan") -> None:
    (root / ".memories").mkdir(exist_ok=True)
    (root / ".memories" / f"{name}.md").write_text("---\ntitle: Plan\n---\n\nTo build a crane.\n")


MEMORY_COMMANDS = [
    ("append", "plan", "more"),
    ("update", "plan", "--title", "Other"),
    ("archive", "plan"),
    ("forget", "plan"),
    ("restore", "old"),
    ("merge", "plan", "second", "--title", "Both"),
]


@pytest.mark.parametrize("command", MEMORY_COMMANDS, ids=lambda words: str(words[0]))
@pytest.mark.parametrize(
    ("place", "target"),
    [
        (".lock/update.lock", ".bashrc"),
        (".lock/update.lock", "nothing"),
        (".lock/update.lock-journal", ".bashrc"),
        (".lock", "inner"),
        (".trash", "inner"),
    ],
)
def test_a_cloned_repository_s_memories_touch_nothing_else(
    root: Path, victim: Path, place: str, target: str, command: tuple[str, ...], new_user: Path
) -> None:
    _memory(root)
    _memory(root, "second")
    link(root / ".memories" / place, victim / target)
    if place != ".trash":
        (root / ".memories" / ".trash").mkdir()
        (root / ".memories" / ".trash" / "old.md").write_text("---\ntitle: Old\n---\n\nAn old plan.\n")
    before = state(victim)
    ran = pinakes_here(root, *command)
    assert state(victim) == before
    assert SECRET not in ran.both
    if place != ".trash" or command[0] in ("forget", "restore"):
        assert ran.code == 2, ran.both
        assert "is a link" in ran.both
        assert "Remove it" in ran.both


def test_a_memory_that_is_a_link_is_none(root: Path, victim: Path, new_user: Path) -> None:
    _memory(root)
    link(root / ".memories" / "leak.md", victim / "thesis.md")
    link(root / ".memories" / "deep", victim / "inner")
    before = state(victim)
    for command in (
        ("recall", "plan"),
        ("memories",),
        ("memories", "leak"),
        ("append", "leak", "more"),
        ("forget", "leak"),
        ("forget", "deep/notes"),
        ("search", "plan"),
        ("read", "memories:leak.md"),
        ("sync",),
    ):
        assert SECRET not in pinakes_here(root, *command).both, command
    assert state(victim) == before


@pytest.mark.parametrize("target", ["outside", "hidden"])
def test_memories_kept_behind_a_link_that_leaves_are_not_read(
    root: Path, victim: Path, target: str, new_user: Path
) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "x.md").write_text(SECRET)
    link(root / ".memories", victim if target == "outside" else root / ".git")
    before = state(victim)
    for command in (("sync",), ("recall", "x"), ("remember", "a note"), ("search", "harbour"), ("memories",)):
        ran = pinakes_here(root, *command)
        assert SECRET not in ran.both
    assert state(victim) == before
    assert os.listdir(root / ".git") == ["x.md"]
    for path in (root / ".pinakes").rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path


def test_memories_that_are_refused_take_nothing_else_along(root: Path, victim: Path, new_user: Path) -> None:
    link(root / ".memories", victim)
    synced = pinakes_here(root, "sync")
    assert synced.code == 0, synced.both
    assert "warning: memories: " in synced.out
    assert "is a link that leaves the project" in synced.out
    found = pinakes_here(root, "search", "harbour", "--corpus", "all")
    assert found.code == 0, found.both
    assert "is a link that leaves the project" in found.both
    with serving(root) as server:
        answer = server.get("/search", query="harbour", corpus="all")
        assert answer.status == 200, answer.body
        assert answer.json["hits"]
        assert any("leaves the project" in one for one in answer.json["missing"]), answer.body
        assert server.get("/in/repo/search", query="harbour").status == 200


def test_memories_may_lie_in_another_folder_of_the_project(root: Path, new_user: Path) -> None:
    (root / "notes").mkdir()
    (root / ".memories").symlink_to("notes")
    assert pinakes_here(root, "remember", "The crane is red", "--title", "Crane").code == 0
    assert (root / "notes" / "crane.md").is_file()
    assert "The crane is red" in pinakes_here(root, "recall", "crane").out


def _ask_everything(server: Server) -> list[str]:
    """Every kind of request that reads or writes a file of ours; what was answered."""
    answers = [
        server.get("/search", query="harbour"),
        server.get("/search", query=SECRET),
        server.get("/list"),
        server.get("/get", id="abcdef012345"),
        server.post("/add", {"text": "Cranes lift forty tonnes.", "title": "Cranes"}),
        server.get("/map"),
        server.post("/recall", {"query": "harbour"}),
        server.post("/remember", {"text": "The tide is high.", "title": "Tide"}),
        server.get("/status"),
        server.get("/search", query="harbour"),
    ]
    assert [answer.status for answer in answers if answer.status == 500] == []
    return [answer.body.decode() for answer in answers]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_links_that_a_checkout_brings_beside_a_running_server_are_refused(
    root: Path, victim: Path, workers: str, new_user: Path
) -> None:
    with serving(root, options=("--workers", workers)) as server:
        _ask_everything(server)
        before = state(victim)
        for plant in PLANTED:
            plant(root, victim)
            said = "".join(_ask_everything(server))
            assert state(victim) == before, plant
            assert f"{SECRET} " not in said, plant
            assert "is a link" in said, (plant, said)
            undo(root)
            # Once the folder is sound again, so are the answers.
            assert "High water" in server.get("/search", query="harbour").body.decode(), plant
            assert state(victim) == before, plant
        assert server.process.poll() is None


def test_links_that_come_beside_a_running_mcp_session_are_refused(root: Path, victim: Path, new_user: Path) -> None:
    with talking(root, "--preset", "full") as talk:
        talk.greet()
        assert "High water" in json.dumps(talk.call("search", query="harbour"))
        before = state(victim)
        for plant in PLANTED:
            plant(root, victim)
            said = json.dumps(
                [
                    talk.call("search", query="harbour"),
                    talk.call("search", query=SECRET),
                    talk.call("add", text="Cranes lift forty tonnes.", title="Cranes"),
                    talk.call("remember", text="The tide is high.", title="Tide"),
                    *(talk.call(tool) for tool in ("list", "map", "status")),
                ]
            )
            assert state(victim) == before, plant
            assert f"{SECRET} " not in said, plant
            undo(root)
            assert "High water" in json.dumps(talk.call("search", query="harbour")), plant
        assert state(victim) == before
        assert talk.process.poll() is None


def test_links_that_come_beside_a_watcher_are_refused(root: Path, victim: Path, new_user: Path) -> None:
    with watching(root) as watcher:
        before = state(victim)
        for number, plant in enumerate(PLANTED):
            plant(root, victim)
            (root / f"planted-{number}.md").write_text("# Crane\n")
            undo(root)
            sound = f"sound-{number}.md"
            (root / sound).write_text("# Tide\n")
            until(lambda sound=sound: pinakes_here(root, "read", "--no-sync", sound).code == 0, sound)  # type: ignore[misc]
            assert state(victim) == before, plant
        assert watcher.running.poll() is None


@pytest.mark.parametrize("place", ["found.sarif", "out/found.sarif"])
def test_a_report_is_written_through_no_link(root: Path, victim: Path, place: str, new_user: Path) -> None:
    (root / "a.md").write_text("# Harbour\n\nSee [nothing](nothing.md).\n")
    before = state(victim)
    place_of_link = root / place.split("/")[0]
    link(place_of_link, victim if "/" in place else victim / ".bashrc")
    said = pinakes_here(root, "check", "--sarif", place)
    assert state(victim) == before
    assert (said.code, "Remove the link, or name another file." in said.error) == (2, True)
    place_of_link.unlink()
    (root / place).parent.mkdir(exist_ok=True)
    assert pinakes_here(root, "check", "--sarif", place).code == 1
    assert "broken-link" in (root / place).read_text()


@pytest.mark.parametrize("plant", PLANTED)
def test_links_that_come_with_a_clone_are_refused(
    root: Path, victim: Path, plant: Callable[[Path, Path], None], new_user: Path
) -> None:
    plant(root, victim)
    before = state(victim)
    for command in (("sync",), ("search", "harbour"), ("add", "a.md"), ("map",), ("list",), ("sync", "--rebuild")):
        ran = pinakes_here(root, *command)
        assert (ran.code, SECRET in ran.both) == (2, False), ran.both
    assert state(victim) == before


def test_a_checkout_of_a_hostile_branch_beside_a_server_deletes_nothing(
    root: Path, victim: Path, new_user: Path
) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=root, check=True, capture_output=True
        )

    git("init", "-qb", "main", ".")
    git("add", "-A")
    git("commit", "-qm", "1")
    git("checkout", "-qb", "pr")
    link(root / ".pinakes" / "added" / "e", victim)
    git("add", "-f", ".pinakes")
    git("commit", "-qm", "2")
    git("checkout", "-q", "main")
    before = state(victim)
    with serving(root) as server:
        assert "High water" in server.get("/search", query="harbour").body.decode()
        git("checkout", "-q", "pr")
        server.get("/search", query="harbour")
        server.get("/list")
        assert state(victim) == before
        git("checkout", "-q", "main")
        assert "High water" in server.get("/search", query="harbour").body.decode()
