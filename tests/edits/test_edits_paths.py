"""Attacks on paths: nothing outside of the repository, nothing ignored, hidden or strange is read or changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import pinakes
from kits.trees import SECRET, with_ways_out, write_tree
from pinakes.errors import BadEdit, PinakesError
from pinakes.library.editing import Editing
from pinakes.records.edits import EditBlock, EditPlan, FileChange

FILES: dict[str, str | bytes] = {
    "a.md": f"# A\n\n{SECRET}\n",
    "folder/b.md": f"{SECRET}\n",
    ".gitignore": "ignored/\n*.secret\n/build\n",
    ".pinakesignore": "private.md\n",
    ".hidden.md": f"{SECRET}\n",
    ".env": f"{SECRET}\n",
    ".hidden/c.md": f"{SECRET}\n",
    ".git/config": f"{SECRET}\n",
    ".git/hooks/pre-commit": f"{SECRET}\n",
    ".memories/plan.md": f"{SECRET}\n",
    ".github/workflows/ci.yml": f"{SECRET}\n",
    "ignored/d.md": f"{SECRET}\n",
    "folder/key.secret": f"{SECRET}\n",
    "private.md": f"{SECRET}\n",
    "build/out.md": f"{SECRET}\n",
    "node_modules/e.md": f"{SECRET}\n",
    "venv/pyvenv.cfg": "",
    "venv/f.md": f"{SECRET}\n",
}

OUTSIDE = [
    "../secret.md",
    "folder/../../secret.md",
    "../docs-evil/secret.md",
    "../docs/a.md",
    "..",
    ".",
    "",
    "./../secret.md",
    "a.md/../../secret.md",
    "folder/..",
    "/etc/passwd",
    "//etc/passwd",
    "~/secret.md",
    "~root/x.md",
    "{root}/a.md",
    "file:///etc/passwd",
    "docs:a.md",
    "C:\\Windows\\x.md",
    "C:x.md",
    "\\\\server\\share\\x.md",
    "\\\\?\\C:\\x.md",
    "..\\secret.md",
    "folder\\b.md",
    "folder//b.md",
    "folder/./b.md",
    "folder/",
    "a.md/",
    "/",
    "..／secret.md",
    "\u2025/secret.md",
    "．．/secret.md",
]
HIDDEN = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    ".Git/hooks/x",
    "folder/.git/config",
    ".git",
    ".git /config",
    ".git./config",
    ".git::$INDEX_ALLOCATION/config",
    "GIT~1/config",
    "git~2/config",
    ".g\u200cit/config",
    "\u200b.git/config",
    "\u2024git/config",
    "．git/config",
    ".pinakes/seal.json",
    ".PINAKES/x.md",
    ".pinakes/edits/edits-undo.json",
    "PINAKE~1/x.md",
    ".memories/plan.md",
    ".gitignore",
    ".gitmodules",
    ".gitattributes",
    ".pinakesignore",
    ".env",
    ".hidden.md",
    ".hidden/c.md",
    ".github/workflows/ci.yml",
    "folder/.b.md",
]
IGNORED = [
    "ignored/d.md",
    "ignored/new.md",
    "folder/key.secret",
    "private.md",
    "build/out.md",
    "build",
    "node_modules/e.md",
]
IGNORED += ["venv/f.md", "venv/new.md", "folder/node_modules/x.md"]
LINKED = ["out.md", "out/secret.md", "out/new.md", "inner.md", "inner/b.md", "inner/new.md", "broken.md", "circle/x.md"]
NO_FILES = ["pipe", "folder", "pipe/x.md", "a.md/x.md"]
STRANGE = [
    "a\0.md",
    "a\n.md",
    "a\r.md",
    "a\x1b[31m.md",
    "a\x7f.md",
    "\u202emd.a",
    "a\u200b.md",
    "\ufeffa.md",
    "a\u2028.md",
    "a\u00a0b.md",
    "a\ue000.md",
    "a\ud800.md",
    "a.md ",
    " a.md",
    "a.md.",
    "folder /b.md",
    "folder./b.md",
    "a.md:stream",
    "a.md::$DATA",
    "con",
    "CON.md",
    "aux.tar.gz",
    "nul .md",
    "folder/com1.txt",
    "LPT9",
    "com¹.md",
    "conin$",
    "x" * 300,
    "x/" * 60 + "y.md",
    "y/" * 30 + "z" * 990,
]
ATTACKS = [*OUTSIDE, *HIDDEN, *IGNORED, *LINKED, *NO_FILES, *STRANGE]
ONLY_NEW = ['a"b.md', "a<b.md", "a|b.md", "what?.md", "*.md", "e\u0301.md"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = with_ways_out(tmp_path, FILES)
    (root / "inner.md").symlink_to("a.md")
    (root / "inner").symlink_to("folder")
    (root / "broken.md").symlink_to(tmp_path / "made-by-an-attack.md")
    (root / "circle").symlink_to("circle")
    os.mkfifo(root / "pipe")
    return root


def state(folder: Path) -> dict[str, object]:
    """Everything that is there, links as links, but for the index."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        if ".pinakes" not in path.relative_to(folder).parts:
            is_plain = path.is_file() and not path.is_symlink()
            found[str(path.relative_to(folder))] = path.read_bytes() if is_plain else path.lstat().st_mode
    return found


def attacks(root: Path) -> list[str]:
    return [path.replace("{root}", str(root)) for path in ATTACKS]


def test_there_are_enough_attacks() -> None:
    assert len(set(ATTACKS)) == len(ATTACKS) >= 60


def test_every_attack_on_a_path_is_refused(tmp_path: Path, root: Path) -> None:
    before = state(tmp_path)
    with pinakes.open(root) as library:
        editing = Editing(library)
        for path in attacks(root):
            for find in (f"{SECRET}\n", ""):
                plan = editing.plan([EditBlock(path, find, "changed\n")])
                assert not plan.changes, path
                assert [one.block.path for one in plan.refused] == [path]
                assert plan.refused[0].reason.endswith((".", "it.")), path
                assert SECRET not in plan.refused[0].nearest + plan.refused[0].reason
    assert state(tmp_path) == before


@pytest.mark.parametrize("data", [None, f"{SECRET}\n".encode()])
def test_a_plan_made_by_hand_gets_no_further(tmp_path: Path, root: Path, data: bytes | None) -> None:
    before, sound = state(tmp_path), FileChange("a.md", (root / "a.md").read_bytes(), b"x")
    with pinakes.open(root) as library:
        editing = Editing(library)
        for path in attacks(root):
            with pytest.raises(PinakesError):
                editing.apply(EditPlan((sound, FileChange(path, data, b"x"))))
            with pytest.raises(PinakesError):
                editing.save(path, "x\n", "" if data is None else "0" * 32)
            with pytest.raises(PinakesError):
                editing.open(path)
        assert not editing.can_undo
    assert state(tmp_path) == before


def test_a_name_that_not_every_system_has_is_edited_and_not_made(root: Path) -> None:
    with pinakes.open(root) as library:
        editing = Editing(library)
        for path in ONLY_NEW:
            assert "No file is made" in editing.plan([EditBlock(path, "", "x\n")]).refused[0].reason
            with pytest.raises(BadEdit, match="No file is made"):
                editing.save(path, "x\n", "")
            write_tree(root, {path: "old\n"})
            assert editing.plan([EditBlock(path, "old\n", "new\n")]).changes[0].after == b"new\n"


def test_a_folder_that_becomes_a_link_after_the_plan_is_not_written_through(tmp_path: Path, root: Path) -> None:
    with pinakes.open(root) as library:
        editing = Editing(library)
        plan = editing.plan([EditBlock("folder/b.md", f"{SECRET}\n", "changed\n"), EditBlock("folder/n.md", "", "x\n")])
        assert len(plan.changes) == 2
        (root / "folder").rename(tmp_path / "elsewhere")
        (root / "folder").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(PinakesError):
            editing.apply(plan)
    assert (tmp_path / "elsewhere" / "b.md").read_text() == f"{SECRET}\n"
    assert sorted(os.listdir(tmp_path / "elsewhere")) == ["b.md", "key.secret"]


def test_a_hard_link_is_replaced_and_not_written_through(tmp_path: Path, root: Path) -> None:
    os.link(tmp_path / "secret.md", root / "hard.md")
    with pinakes.open(root) as library:
        editing = Editing(library)
        editing.apply(editing.plan([EditBlock("hard.md", SECRET, "changed")]))
    assert (root / "hard.md").read_text() == "changed"
    assert (tmp_path / "secret.md").read_text() == SECRET


def test_two_names_of_one_file_are_not_edited_together(root: Path) -> None:
    os.link(root / "a.md", root / "same.md")
    with pinakes.open(root) as library:
        blocks = [EditBlock("a.md", "# A", "# B"), EditBlock("same.md", "# A", "# C"), EditBlock("n.md", "", "x\n")]
        plan = Editing(library).plan([*blocks, EditBlock("N.md", "", "y\n"), EditBlock("n.md/x.md", "", "z\n")])
    assert [one.path for one in plan.changes] == ["a.md", "n.md"]
    assert [
        next(words for words in ("same file", "not every disk", "cannot both be files") if words in one.reason)
        for one in plan.refused
    ] == ["same file", "not every disk", "cannot both be files"]
