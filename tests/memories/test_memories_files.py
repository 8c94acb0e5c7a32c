"""Memories as files: names, the trash, places, and everything that must not happen to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pinakes
from kits.hostile import NOBODY, Wish, for_anyone, one_line, pinakes_here
from kits.hostile import pinakes as run
from kits.trees import write_tree
from pinakes.errors import BadAddress, BadMemory, ConfigError, NotFound, PinakesError, StoreError
from pinakes.memories import MemoryOptions, memories_folder
from pinakes.memories.files import LARGEST, MemoryFiles, file_stem
from pinakes.records import Filter, Query
from pinakes.records.memory import MemoryType


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(
        tmp_path / "root", {"guide.md": "# Guide\n\n## Setup\n\nTurn it on.\n", "src/server.py": "x = 1\n"}
    )


def files(root: Path) -> list[str]:
    return sorted(path.name for path in (root / ".memories").glob("*.md"))


def test_a_memory_is_a_markdown_file_with_its_fields(root: Path) -> None:
    with pinakes.open(root) as library:
        made = library.memories.remember(
            "It is *on*.\r\n\r\nSee [[guide.md#setup]].",
            "Setup: done? “yes”",
            type=MemoryType.FACT,
            tags=["#a", "two words", "a"],
            links=["src/server.py"],
            review_by="2030-01-31",
        )
    text = (root / ".memories" / "setup-done-yes.md").read_text(encoding="utf-8")
    head, body = text.removeprefix("---\n").split("---\n\n")
    lines = [line for line in head.splitlines() if not line.startswith(("created_at: 20", "updated_at: 20"))]
    assert lines[:9] == [
        'title: "Setup: done? “yes”"',
        "type: fact",
        "status: active",
        "tags:",
        "  - a",
        "  - two words",
        "review_by: 2030-01-31",
        "related: [src/server.py]",
        "seen:",
    ]
    assert body == "It is *on*.\n\nSee [[guide.md#setup]].\n"
    assert (made.id, made.title, made.tags) == ("setup-done-yes", "Setup: done? “yes”", ("a", "two words"))


def test_titles_that_collide_get_numbers(root: Path) -> None:
    with pinakes.open(root) as library:
        ids = [library.memories.remember("x", title).id for title in ("Plan", "plan!", "PLAN", "plan 2")]
    assert ids == ["plan", "plan-2", "plan-3", "plan-2-2"]
    assert files(root) == ["plan-2-2.md", "plan-2.md", "plan-3.md", "plan.md"]


def test_without_a_title_the_first_line_is_one(root: Path) -> None:
    with pinakes.open(root) as library:
        assert library.memories.remember("\n## **Why** `x`?\n\nBecause.").title == "Why x?"
        assert library.memories.remember("In [[src/a.py|a]], [[b.py]] and [c](d.md).").title == "In a, b.py and c."
        assert library.memories.remember("- \n" + "word " * 100).title.endswith("…")
        assert library.memories.remember("…").id == "memory"


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("/etc/passwd", "etc-passwd"),
        (".hidden", "hidden"),
        ("CON", "memory-con"),
        ("a\x00b\n\x1b[31m", "ab31m"),
        ("日本語 の メモ", "日本語-の-メモ"),
        ("---", "memory"),
        ("x" * 500, "x" * 80),
    ],
)
def test_a_title_becomes_a_plain_file_name(title: str, stem: str) -> None:
    assert file_stem(title) == stem


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=120))
def test_any_title_becomes_a_name_that_stays_in_its_folder(title: str) -> None:
    stem = file_stem(title)
    assert stem
    assert not {*stem} & set('/\\:*?"<>|\0\n .')
    assert len(f"{stem}-1000.md".encode()) < 255


@pytest.mark.parametrize(
    "name", ["../guide", "/etc/passwd", "a/../../guide", "..", ".trash/x", "a\x00b", "C:\\x", "a//b", "x" * 2000]
)
def test_an_id_never_leads_out_of_the_folder(root: Path, name: str) -> None:
    with pinakes.open(root) as library:
        library.memories.remember("kept", "Kept")
        for act in (
            library.memories.read,
            library.memories.archive,
            library.memories.forget,
            library.memories.restore,
            lambda name: library.memories.append(name, "more"),
        ):
            with pytest.raises((NotFound, BadAddress)):
                act(name)
    assert (root / "guide.md").read_text() == "# Guide\n\n## Setup\n\nTurn it on.\n"
    assert files(root) == ["kept.md"]


@pytest.mark.parametrize(
    ("text", "title", "message"),
    [
        (" \n\t", "x", "no text"),
        ("\x00\x07", "x", "no text"),
        ("x" * 1_000_001, "x", "1,000,000 bytes"),
        ("x", "t" * 201, "200 characters"),
        ("half \ud800", "x", "not valid Unicode"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(root: Path, text: str, title: str, message: str) -> None:
    with pinakes.open(root) as library, pytest.raises(BadMemory, match=message):
        library.memories.remember(text, title)
    assert not (root / ".memories").exists()


def test_control_characters_are_left_out_of_what_is_kept(root: Path) -> None:
    with pinakes.open(root) as library:
        made = library.memories.remember("a\x1b]0;x\x07b\tc\r\nd", "t\x1b[31mi\u202et\u200ble")
    assert (made.title, made.text) == ("t[31mitle", "a]0;xb\tc\nd")


def test_what_is_forgotten_can_be_restored(root: Path) -> None:
    with pinakes.open(root) as library:
        memories = library.memories
        memories.remember("first", "Plan")
        assert memories.forget("plan").id == "plan"
        assert memories.recall().found == ()
        memories.remember("second", "Plan")
        second = memories.forget("Plan").id
        assert second.startswith("plan.20")
        memories.remember("third", "Plan")
        assert {one.id for one in memories.trash()} == {"plan", second}
        assert memories.restore(second).id == "plan-2"
        assert memories.restore("memories:plan.md").id == "plan-3"
        assert {one.memory.text for one in memories.recall().found} == {"first", "second", "third"}
        with pytest.raises(NotFound, match="no “plan” in the trash"):
            memories.restore("plan")


def test_one_goes_by_its_id_its_address_or_its_only_title(root: Path) -> None:
    with pinakes.open(root) as library:
        memories = library.memories
        memories.remember("1", "Key rotation")
        memories.remember("2", "Same")
        memories.remember("3", "Same")
        for name in ("key-rotation", "key-rotation.md", "memories:key-rotation.md", "KEY  Rotation"):
            assert memories.read(name).text == "1"
        assert memories.read("same").text == "2"
        (root / ".memories" / "other.md").write_text("---\ntitle: Key rotation\n---\n4\n")
        with pytest.raises(NotFound, match=r"title of several memories\. Say which: key-rotation, other"):
            memories.read("Key Rotation")
        with pytest.raises(NotFound, match=r"no memory “key-rotatoin”\. Did you mean key-rotation\?"):
            memories.read("key-rotatoin")


def test_the_user_s_own_folder_keeps_the_project_clean(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with pinakes.open(root, {"memories.storage": "user"}) as library:
        library.memories.remember("Mine: [[guide.md#setup]]", "Mine")
        assert library.memories.recall("mine").found[0].memory.links[0].to is not None
    assert not (root / ".memories").exists()
    (folder,) = (tmp_path / "data" / "pinakes" / "memories").iterdir()
    assert folder.name.startswith("root-")
    assert (folder / "mine.md").is_file()


def test_memories_kept_everywhere_are_found_from_every_project(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    other = write_tree(tmp_path / "other", {"guide.md": "# Guide\n\n## Setup\n\nAnother setup.\n"})
    everywhere = {"memories.storage": "everywhere"}
    with pinakes.open(root, everywhere) as library:
        library.sync()
        library.memories.remember("I like short answers, see [[guide.md#setup]].", "Taste")
    with pinakes.open(other, everywhere) as library:
        library.sync()
        (found,) = library.memories.recall("short answers").found
        assert (found.memory.title, found.memory.marks) == ("Taste", ())
        assert library.search(Query("short answers", Filter(corpora=("memories",)))).hits
        library.memories.forget("taste")
    with pinakes.open(root, everywhere) as library:
        assert not library.memories.recall("short answers").found
    assert not (root / ".memories").exists()
    assert (tmp_path / "data" / "pinakes" / "memories" / "everywhere").is_dir()


def test_without_a_home_there_is_no_place_for_the_user_s_own() -> None:
    with pytest.raises(ConfigError, match="XDG_DATA_HOME or HOME"):
        memories_folder(Path("/x"), MemoryOptions("user"), {})
    assert memories_folder(Path("/x"), MemoryOptions("user"), {"XDG_DATA_HOME": "here", "HOME": "/h"}).parts[:3] == (
        "/",
        "h",
        ".local",
    )


def test_two_roots_of_the_same_name_do_not_share_memories() -> None:
    places = {memories_folder(Path(f"/{name}/docs"), MemoryOptions("user"), {"HOME": "/h"}) for name in "ab"}
    assert len(places) == 2


def test_a_folder_that_is_a_link_out_of_the_root_is_refused(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / ".memories").symlink_to(outside)
    with pinakes.open(root) as library:
        for act in (library.memories.recall, library.memories.list, lambda: library.memories.remember("x")):
            with pytest.raises(StoreError, match="leaves the project"):
                act()
    assert os.listdir(outside) == ["secret.md"]


def test_a_file_that_is_a_link_is_no_memory(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    with pinakes.open(root) as library:
        library.memories.remember("kept", "Kept")
        (root / ".memories" / "leak.md").symlink_to(tmp_path / "secret.md")
        assert [memory.id for memory in library.memories.list().memories] == ["kept"]
        assert library.memories.recall("secret").found == ()
        with pytest.raises(PinakesError):
            library.memories.append("leak", "more")
        assert (tmp_path / "secret.md").read_text() == "secret"


def test_a_memory_in_a_folder_of_its_own_is_one_too(root: Path) -> None:
    write_tree(root, {".memories/work/plan.md": "Deep plan\n", ".memories/.hidden/x.md": "no\n"})
    with pinakes.open(root) as library:
        assert [one.memory.id for one in library.memories.recall("deep plan").found] == ["work/plan"]
        assert library.memories.forget("work/plan").id == "work/plan"
        assert library.memories.restore("work/plan").id == "work/plan"


def test_a_folder_that_cannot_be_written_is_named(root: Path) -> None:
    with for_anyone() as folder:
        home = write_tree(folder / "root", {"guide.md": "# Guide\n"})
        assert pinakes_here(home, "remember", "kept", "--title", "Kept").code == 0
        wish = Wish(user=NOBODY, environment={"TMPDIR": str(folder)})
        before = (home / ".memories" / "kept.md").read_bytes()
        for words in (("remember", "more"), ("append", "kept", "more"), ("forget", "kept")):
            ran = run(home, *words, wish=wish)
            assert ran.code == 2
            assert ".memories" in one_line(ran)
        assert (home / ".memories" / "kept.md").read_bytes() == before
        assert files(home) == ["kept.md"]


def test_a_full_disk_is_named_and_leaves_every_memory_as_it_was(root: Path) -> None:
    assert pinakes_here(root, "remember", "kept", "--title", "Kept").code == 0
    before = (root / ".memories" / "kept.md").read_bytes()
    (root / "long.txt").write_text("word " * 5000)
    for words in (("remember", "--file", "long.txt"), ("append", "kept", "--file", "long.txt")):
        ran = run(root, *words, wish=Wish(limits={"FSIZE": 8000}))
        assert ran.code == 2
        assert "disk" in one_line(ran)
    assert (root / ".memories" / "kept.md").read_bytes() == before
    assert files(root) == ["kept.md"]
    assert [name for name in os.listdir(root / ".memories") if name.endswith(".new")] == []


def test_one_unreadable_file_in_the_trash_keeps_no_other_there(root: Path) -> None:
    with pinakes.open(root) as library:
        library.memories.remember("To build a crane.", "Plan")
        library.memories.forget("plan")
        (root / ".memories" / ".trash" / "huge.md").write_bytes(b"x" * (LARGEST + 1))
        assert [one.id for one in library.memories.trash()] == ["plan"]
        assert library.memories.restore("plan").id == "plan"


def test_a_memory_that_appears_meanwhile_is_never_overwritten(tmp_path: Path) -> None:
    """As an editor that saves between the look and the move."""
    kept = MemoryFiles(tmp_path / "kept")
    for old, new in (("plan.md", ".trash/plan.md"), (".trash/plan.md", "plan.md")):
        write_tree(kept.folder, {"plan.md": "mine\n", ".trash/plan.md": "trashed\n"})
        with pytest.raises(FileExistsError):
            kept._move(old, new)
        assert (kept.folder / "plan.md").read_text() == "mine\n"
        assert (kept.folder / ".trash" / "plan.md").read_text() == "trashed\n"
    with pytest.raises(NotFound, match="work/other"):
        kept.forget("work/other.md")
