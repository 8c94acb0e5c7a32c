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
from kits.lsp import editing
from kits.mcp import talking
from kits.waiting import until
from kits.watch import watching
from kits.work import Working, working

RECORD = {
    "id": "abcdef012345",
    "project": "p",
    "title": "Key",
    "origin": "text",
    "source": "",
    "type": "markdown",
    "added": "2026-01-01T00:00:00+00:00",
    "checked": "",
    "digest": "",
    "etag": "",
    "last_modified": "",
    "size": 1,
    "is_titled": True,
    "voucher": "",
}


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Somebody's own files, beside the repository."""
    folder = tmp_path / "victim"
    (folder / "inner").mkdir(parents=True)
    for name in (".bashrc", "thesis.md", "list.txt", "inner/.history", "inner/notes.md"):
        (folder / name).write_text(f"{SECRET} {name}\n" * 50)
    (folder / "library.db").write_bytes(b"")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.md").write_text("# Harbour\n\nHigh water comes twice a day.\n")
    return folder


def _state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_ino, path.read_bytes() if path.is_file() else b"")
        for path in sorted([folder, *folder.rglob("*")])
    }


def _memory(root: Path, name: str = "plan") -> None:
    (root / ".memories").mkdir(exist_ok=True)
    (root / ".memories" / f"{name}.md").write_text("---\ntitle: Plan\n---\n\nTo build a crane.\n")


def _link(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.rename(place.with_name(f"{place.name}-away"))
    place.symlink_to(os.path.relpath(target, place.parent))


def _undo(root: Path) -> None:
    """Take links out of the index and put back what they took the place of."""
    for place in [root / ".pinakes", *(root / ".pinakes").rglob("*")]:
        if place.is_symlink():
            place.unlink()
            away = place.with_name(f"{place.name}-away")
            if away.exists():
                away.rename(place)


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
    _link(root / ".memories" / place, victim / target)
    if place != ".trash":
        (root / ".memories" / ".trash").mkdir()
        (root / ".memories" / ".trash" / "old.md").write_text("---\ntitle: Old\n---\n\nAn old plan.\n")
    before = _state(victim)
    ran = pinakes_here(root, *command)
    assert _state(victim) == before
    assert SECRET not in ran.both
    if place != ".trash" or command[0] in ("forget", "restore"):
        assert ran.code == 2, ran.both
        assert "is a link" in ran.both
        assert "Remove it" in ran.both


def test_a_memory_that_is_a_link_is_none(root: Path, victim: Path, new_user: Path) -> None:
    _memory(root)
    _link(root / ".memories" / "leak.md", victim / "thesis.md")
    _link(root / ".memories" / "deep", victim / "inner")
    before = _state(victim)
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
    assert _state(victim) == before


@pytest.mark.parametrize("target", ["outside", "hidden"])
def test_memories_kept_behind_a_link_that_leaves_are_not_read(
    root: Path, victim: Path, target: str, new_user: Path
) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "x.md").write_text(SECRET)
    _link(root / ".memories", victim if target == "outside" else root / ".git")
    before = _state(victim)
    for command in (("sync",), ("recall", "x"), ("remember", "a note"), ("search", "harbour"), ("memories",)):
        ran = pinakes_here(root, *command)
        assert SECRET not in ran.both
    assert _state(victim) == before
    assert os.listdir(root / ".git") == ["x.md"]
    for path in (root / ".pinakes").rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path


def test_memories_that_are_refused_take_nothing_else_along(root: Path, victim: Path, new_user: Path) -> None:
    _link(root / ".memories", victim)
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


def _added_folder(root: Path, victim: Path) -> None:
    _link(root / ".pinakes" / "added" / "evil", victim)


def _added_text(root: Path, victim: Path) -> None:
    home = root / ".pinakes" / "added" / "p"
    _link(home / "abcdef012345.md", victim / "thesis.md")
    (home / "abcdef012345.json").write_text(json.dumps(RECORD))


def _added_lock(root: Path, victim: Path) -> None:
    _link(root / ".pinakes" / "added" / "update.lock", victim / ".bashrc")


def _whole_store(root: Path, victim: Path) -> None:
    _link(root / ".pinakes", victim)


def _database(root: Path, victim: Path) -> None:
    _link(root / ".pinakes" / "library.db", victim / "thesis.md")


def _write_lock(root: Path, victim: Path) -> None:
    _link(root / ".pinakes" / "write.lock", victim / ".bashrc")


def _corpora(root: Path, victim: Path) -> None:
    _link(root / ".pinakes" / "corpora", victim)


def _maps(root: Path, victim: Path) -> None:
    _link(root / ".pinakes" / "maps", victim)


def _records(root: Path, victim: Path) -> None:
    for name in ("damaged.json", "healed.json", "seal.json", "writer.json", ".gitignore"):
        _link(root / ".pinakes" / name, victim / ".bashrc")


PLANTED = [_added_folder, _added_text, _added_lock, _whole_store, _database, _write_lock, _corpora, _maps, _records]


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
        before = _state(victim)
        for plant in PLANTED:
            plant(root, victim)
            said = "".join(_ask_everything(server))
            assert _state(victim) == before, plant
            assert f"{SECRET} " not in said, plant
            assert "is a link" in said, (plant, said)
            _undo(root)
            # Once the folder is sound again, so are the answers.
            assert "High water" in server.get("/search", query="harbour").body.decode(), plant
            assert _state(victim) == before, plant
        assert server.process.poll() is None


def test_links_that_come_beside_a_running_mcp_session_are_refused(root: Path, victim: Path, new_user: Path) -> None:
    with talking(root, "--preset", "full") as talk:
        talk.greet()
        assert "High water" in json.dumps(talk.call("search", query="harbour"))
        before = _state(victim)
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
            assert _state(victim) == before, plant
            assert f"{SECRET} " not in said, plant
            _undo(root)
            assert "High water" in json.dumps(talk.call("search", query="harbour")), plant
        assert _state(victim) == before
        assert talk.process.poll() is None


def _ask_workspace(working: Working) -> list[str]:
    """What a workspace answers about files of ours and of the root; what was refused counts, too."""
    server = working.server
    answers = [
        server.get("/work/state"),
        server.get("/work/files"),
        server.get("/work/grep", q=SECRET),
        server.get("/work/file", path="a.md"),
        server.get("/work/file", path=".pinakes/library.db"),
        server.post("/work/selection", {"paths": ["a.md"]}),
        server.get("/work/context"),
        server.get("/work/sessions"),
        server.post("/work/sessions", {}),
        server.post("/work/ask", {"question": "When is high water?"}),
        server.post("/work/edits/undo", {}),
        server.get("/search", query="harbour"),
    ]
    assert [answer.body for answer in answers if answer.status == 500] == []
    return [answer.body.decode() for answer in answers]


def _sessions(root: Path, victim: Path) -> None:
    _link(root / ".pinakes" / "sessions", victim)


def _edits(root: Path, victim: Path) -> None:
    _link(root / ".pinakes" / "edits", victim)


def test_links_that_come_beside_a_workspace_are_refused(root: Path, victim: Path, new_user: Path) -> None:
    with working(root) as work:
        _ask_workspace(work)
        before = _state(victim)
        for plant in (*PLANTED, _sessions, _edits):
            plant(root, victim)
            said = "".join(_ask_workspace(work))
            assert _state(victim) == before, plant
            assert f"{SECRET} " not in said, plant
            _undo(root)
            assert "High water" in work.server.get("/search", query="harbour").body.decode(), plant
        assert _state(victim) == before
        assert work.server.process.poll() is None


def test_links_that_come_beside_an_editor_are_refused(root: Path, victim: Path, new_user: Path) -> None:
    text = "# Harbour\n\nHigh water comes twice a day. See [tides](b.md).\n"
    (root / "a.md").write_text(text)
    (root / "b.md").write_text("# Tides\n")
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "a.md")
        assert client.ask("textDocument/definition", client.at(uri, "b.md"))
        before = _state(victim)
        for number, plant in enumerate(PLANTED):
            plant(root, victim)
            client.change(uri, f"{text}\nChange {number}.\n")
            said = [
                client.answer("textDocument/definition", client.at(uri, "b.md")),
                client.answer("textDocument/hover", client.at(uri, "b.md")),
                client.answer("workspace/symbol", {"query": "Tides"}),
                client.answer("textDocument/documentSymbol", {"textDocument": {"uri": uri}}),
            ]
            client.save(uri, root / "a.md")
            assert _state(victim) == before, plant
            assert f"{SECRET} " not in json.dumps(said), plant
            _undo(root)
        assert client.end() == 0
        assert _state(victim) == before


def test_links_that_come_beside_a_watcher_are_refused(root: Path, victim: Path, new_user: Path) -> None:
    with watching(root) as watcher:
        before = _state(victim)
        for number, plant in enumerate(PLANTED):
            plant(root, victim)
            (root / f"planted-{number}.md").write_text("# Crane\n")
            _undo(root)
            sound = f"sound-{number}.md"
            (root / sound).write_text("# Tide\n")
            until(lambda sound=sound: pinakes_here(root, "read", "--no-sync", sound).code == 0, sound)  # type: ignore[misc]
            assert _state(victim) == before, plant
        assert watcher.running.poll() is None


@pytest.mark.parametrize("place", ["found.sarif", "out/found.sarif"])
def test_a_report_is_written_through_no_link(root: Path, victim: Path, place: str, new_user: Path) -> None:
    (root / "a.md").write_text("# Harbour\n\nSee [nothing](nothing.md).\n")
    before = _state(victim)
    link = root / place.split("/")[0]
    _link(link, victim if "/" in place else victim / ".bashrc")
    said = pinakes_here(root, "check", "--sarif", place)
    assert _state(victim) == before
    assert (said.code, "Remove the link, or name another file." in said.error) == (2, True)
    link.unlink()
    (root / place).parent.mkdir(exist_ok=True)
    assert pinakes_here(root, "check", "--sarif", place).code == 1
    assert "broken-link" in (root / place).read_text()


@pytest.mark.parametrize("plant", PLANTED)
def test_links_that_come_with_a_clone_are_refused(
    root: Path, victim: Path, plant: Callable[[Path, Path], None], new_user: Path
) -> None:
    plant(root, victim)
    before = _state(victim)
    for command in (("sync",), ("search", "harbour"), ("add", "a.md"), ("map",), ("list",), ("sync", "--rebuild")):
        ran = pinakes_here(root, *command)
        assert (ran.code, SECRET in ran.both) == (2, False), ran.both
    assert _state(victim) == before


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
    _link(root / ".pinakes" / "added" / "e", victim)
    git("add", "-f", ".pinakes")
    git("commit", "-qm", "2")
    git("checkout", "-q", "main")
    before = _state(victim)
    with serving(root) as server:
        assert "High water" in server.get("/search", query="harbour").body.decode()
        git("checkout", "-q", "pr")
        server.get("/search", query="harbour")
        server.get("/list")
        assert _state(victim) == before
        git("checkout", "-q", "main")
        assert "High water" in server.get("/search", query="harbour").body.decode()
