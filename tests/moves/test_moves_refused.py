"""What is never moved, and what a plan notices before anything is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

import pinakes
from kits.git import Repo, needs_git
from kits.trees import write_tree
from kits.vaults import everything
from pinakes.errors import BadMove, NotFound, PinakesError
from pinakes.file_changes import Disk
from pinakes.records import Ref, Span
from pinakes.records.moves import FileEdits, TextEdit

FILES: dict[str, str | bytes] = {
    "README.md": "[a](guide/auth.md)\n",
    "guide/auth.md": "# Auth\n\n## Tokens\n\n## Keys\n",
    "guide/page.md": "# Page\n",
    "guide/pic.png": b"x",
    "drafts/x.md": "# X\n",
    ".gitignore": "drafts/\n*.tmp.md\n",
    ".hidden/x.md": "# Hidden\n",
}
"""Guide holds documents and an image; drafts are ignored."""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("guide/auth.md", "guide/page.md", "guide/page.md exists already."),
        ("guide/auth.md", "../out.md", "lies outside of"),
        ("guide/auth.md", "/etc/out.md", "lies outside of"),
        ("guide/auth.md", ".hidden/a.md", "it is hidden"),
        ("guide/auth.md", "x/.git/a.md", "it holds git's own files"),
        ("guide/auth.md", "node_modules/a.md", "it holds installed packages"),
        ("guide/auth.md", "drafts/", "drafts/auth.md would not be indexed: .gitignore, line 1"),
        ("guide/auth.md", "new.tmp.md", "new.tmp.md would not be indexed"),
        ("guide/auth.md", "login", "Write login.md, or login/ for a folder."),
        ("guide/auth.md", "login.txt", "would not be read as"),
        ("guide/pic.png", "pic.md", "would not be read as"),
        ("guide/auth.md", "a\x1bb.md", "holds signs that no path should hold"),
        ("guide/auth.md", "\ud800.md", "does not name a file that may be changed"),
        ("guide/auth.md", f"{'ä' * 150}.md", "does not name a file that may be changed"),
        ("guide/auth.md", "guide/auth.md", "is there already"),
        ("guide", "guide/inner", "cannot be moved into itself"),
        ("guide/auth.md#tokens", "x.md", "is a heading"),
        (".hidden/x.md", "x.md", "nothing hidden is moved"),
        (".git", "x", "nothing hidden is moved"),
        ("drafts/x.md", "x.md", "Only what is indexed can be moved"),
        (".", "x", "The root itself cannot be moved"),
        ("memories:plan", "x", "Only documents can be moved"),
        ("README.md", "guide/page.md/", "guide/page.md is a file, and nothing can lie below it."),
        ("README.md", "guide/page.md/x/y.md", "guide/page.md is a file, and nothing can lie below it."),
        ("guide", "README.md/x", "README.md is a file, and nothing can lie below it."),
    ],
)
def test_a_move_that_must_not_be_made_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        before = everything(tmp_path)
        with pytest.raises(BadMove) as refused:
            library.plan_move(old, new)
        assert said in str(refused.value)
        assert everything(tmp_path) == before


@pytest.mark.parametrize(
    ("address", "name", "said"),
    [
        ("guide/auth.md#tokens", " ", "A heading is one line of text."),
        ("guide/auth.md#tokens", "Tokens", "guide/auth.md#tokens is called so already."),
        ("guide/auth.md#tokens", "a\n# b", "A heading is one line of text."),
        ("guide/auth.md#tokens", "!!!", "Give at least one letter or digit."),
        ("guide/auth.md#tokens", "x {#foo}", "holds an id"),
        ("guide/auth.md", "x/y.md", "use pinakes move"),
        ("guide/auth.md", "page.md", "guide/page.md exists already."),
        ("guide/auth.md", "page", "guide/page.md exists already."),
        ("guide/auth.md", "..", "is no name of a file"),
    ],
)
def test_a_name_that_is_none_is_refused(tmp_path: Path, address: str, name: str, said: str) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library, pytest.raises(BadMove) as refused:
        library.plan_rename(address, name)
    assert said in str(refused.value)


def test_what_is_not_there_is_said_with_what_comes_nearest(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        with pytest.raises(NotFound, match=r"guide/auth\.md"):
            library.plan_move("guide/auht.md", "x.md")
        with pytest.raises(NotFound, match="tokens"):
            library.plan_rename("guide/auth.md#token", "x")


def test_a_file_that_is_not_named_is_only_proposed(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        said = r"There is no auth\.md\. Did you mean guide/auth\.md\?"
        with pytest.raises(NotFound, match=said):
            library.plan_move("auth.md", "sub/auth.md")
        with pytest.raises(NotFound, match=said):
            library.plan_rename("auth.md", "login")
        with pytest.raises(NotFound, match=r"There is no guide/auth\. Did you mean guide/auth\.md\?"):
            library.plan_move("guide/auth", "login.md")
        with pytest.raises(NotFound, match=r"Did you mean guide/auth\.md#tokens\?"):
            library.plan_rename("auth.md#tokens", "Keys and more")


def test_a_file_changed_after_the_plan_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        for path in ("README.md", "guide/auth.md"):
            plan = library.plan_move("guide/auth.md", "login.md")
            (tmp_path / path).write_text((tmp_path / path).read_text() + "more\n")
            before = everything(tmp_path)
            with pytest.raises(BadMove, match="has been changed since"):
                library.apply(plan)
            assert everything(tmp_path) == before


def test_a_target_that_appears_after_the_plan_is_refused(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        plan = library.plan_move("guide/auth.md", "login.md")
        write_tree(tmp_path, {"login.md": "mine\n"})
        before = everything(tmp_path)
        with pytest.raises(BadMove, match="exists already"):
            library.apply(plan)
        assert everything(tmp_path) == before


def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        os.chmod(tmp_path / "README.md", 0o444)
        with pytest.raises(BadMove, match=r"README\.md is read only"):
            library.apply(library.plan_move("guide/auth.md", "login.md"))


def test_rights_stay(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        os.chmod(tmp_path / "README.md", 0o640)
        library.apply(library.plan_move("guide/auth.md", "login.md"))
        assert (tmp_path / "README.md").stat().st_mode & 0o777 == 0o640


def test_links_are_neither_moved_nor_written_through(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"AGENTS.md": "[a](guide/auth.md)\n", "guide/auth.md": "# Auth\n"})
    write_tree(tmp_path / "outside", {"x.md": "# X\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "out").symlink_to(tmp_path / "outside")
    with pinakes.open(root) as library:
        for old, new in (("AGENTS.md", "x.md"), ("CLAUDE.md", "x.md"), ("guide/auth.md", "out/auth.md")):
            with pytest.raises(PinakesError, match="is a link"):
                library.plan_move(old, new)
        library.apply(library.plan_move("guide/auth.md", "login.md"))
    assert (root / "CLAUDE.md").is_symlink()
    assert (root / "AGENTS.md").read_text() == "[a](login.md)\n"
    assert os.listdir(tmp_path / "outside") == ["x.md"]


def test_a_link_and_its_target_move_together(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"README.md": "[a](api/AGENTS.md)\n", "api/AGENTS.md": "[r](../README.md)\n"})
    (root / "api/CLAUDE.md").symlink_to("AGENTS.md")
    with pinakes.open(root) as library:
        before = everything(root)
        library.apply(library.plan_move("api", "agents/all"))
        assert (root / "agents/all/CLAUDE.md").read_text() == "[r](../../README.md)\n"
        library.undo_move()
        assert everything(root) == before
        (root / "api/CLAUDE.md").unlink()
        (root / "api/CLAUDE.md").symlink_to("../api/AGENTS.md")
        with pytest.raises(BadMove, match=r"api/CLAUDE\.md is a link to api/AGENTS\.md, and would lead nowhere"):
            library.plan_move("api", "agents")


def test_a_hard_link_is_another_name(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"README.md": "[a](a.md)\n", "a.md": "# A\n"})
    with pinakes.open(root) as library:
        plan = library.plan_move("a.md", "c.md")
        for name in ("b.md", "A.md"):
            os.link(root / "a.md", root / name)
            by_hand = replace(plan, moves=(replace(plan.moves[0], new=Ref("docs", name)),))
            with pytest.raises(BadMove, match=f"{name} exists already"):
                library.plan_move("a.md", name)
            with pytest.raises(BadMove, match=f"{name} exists already"):
                library.apply(by_hand)
            with pytest.raises(BadMove, match="exists already"):
                Disk(root, BadMove).move("a.md", name)


def test_of_two_names_that_differ_in_capital_letters_the_new_one_is_taken_back(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# A\n"})
    os.link(tmp_path / "a.md", tmp_path / "A.md")  # as a move leaves it that is killed between two steps
    Disk(tmp_path, BadMove).move_back("a.md", "A.md")
    assert os.listdir(tmp_path) == ["a.md"]


def test_a_folder_whose_name_differs_in_capital_letters_is_another(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"api/a.md": "# A\n", "API/b.md": "# B\n"})
    with pinakes.open(root) as library:
        with pytest.raises(BadMove, match="API exists already"):
            library.plan_rename("api", "API")
        with pytest.raises(BadMove, match="api is there already"):
            library.plan_rename("api", "api")


def test_edits_of_a_name_that_is_no_unicode_find_their_text() -> None:
    edit = TextEdit(Span(1, 5), "caf\udce9", "tea")
    assert FileEdits(Ref("docs", "a.md"), "", (edit,)).finds_old_texts(b"[caf\xe9]")
    assert not FileEdits(Ref("docs", "a.md"), "", (edit,)).finds_old_texts(b"[caf\xe8]")


def test_a_folder_that_holds_a_repository_is_not_moved(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**FILES, "guide/sub/.git/HEAD": "x"})
    with pinakes.open(root) as library, pytest.raises(BadMove, match=r"guide holds sub/\.git"):
        library.plan_move("guide", "manual")


@needs_git
def test_changes_that_git_has_not_committed_are_refused_unless_forced(tmp_path: Path) -> None:
    Repo(tmp_path).commit("All", {**FILES, "loose.md": "[a](guide/auth.md)\n"})
    write_tree(tmp_path, {"README.md": "[a](guide/auth.md) more\n", "new.md": "[a](guide/auth.md)\n"})
    with pinakes.open(tmp_path) as library:
        plan = library.plan_move("guide/auth.md", "login.md")
        with pytest.raises(BadMove, match=r"Git has not committed the last changes in README\.md\. .*--force"):
            library.apply(plan)
        assert (tmp_path / "guide/auth.md").exists()
        library.apply(plan, force=True)
        assert (tmp_path / "README.md").read_text() == "[a](login.md) more\n"
        assert (tmp_path / "new.md").read_text() == "[a](login.md)\n"


def test_undo_is_refused_where_a_file_was_changed_since(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        library.apply(library.plan_move("guide/auth.md", "login.md"))
        write_tree(tmp_path, {"README.md": "other\n"})
        before = everything(tmp_path)
        with pytest.raises(BadMove, match=r"README\.md has been changed since"):
            library.undo_move()
        assert everything(tmp_path) == before
        write_tree(tmp_path, {"README.md": "[a](login.md)\n"})
        assert library.undo_move().plan.new == Ref("docs", "guide/auth.md")
        with pytest.raises(NotFound, match="There is no move to undo"):
            library.undo_move()


def test_a_journal_of_another_library_is_not_believed(tmp_path: Path) -> None:
    one, other = (write_tree(tmp_path / name, FILES) for name in ("one", "other"))
    with pinakes.open(one) as library, pinakes.open(other) as beside:
        library.apply(library.plan_move("guide/auth.md", "login.md"))
        with pytest.raises(NotFound):
            beside.undo_move()


def test_only_capital_letters_may_change(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        library.apply(library.plan_rename("guide/auth.md", "Auth"))
        assert (tmp_path / "README.md").read_text() == "[a](guide/Auth.md)\n"
        assert (tmp_path / "guide/Auth.md").exists()


def test_a_document_that_is_not_utf_8_is_left_to_its_owner(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, {**FILES, "latin.md": b"caf\xe9 [a](guide/auth.md)\n"})) as library:
        plan = library.plan_move("guide/auth.md", "login.md")
        assert plan.notes == (
            "latin.md:1: “guide/auth.md” cannot be rewritten to lead to login.md; change it by hand.",
        )
        library.apply(plan)
        assert (tmp_path / "latin.md").read_bytes() == b"caf\xe9 [a](guide/auth.md)\n"


def test_a_heading_of_a_document_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "wide.md": "# One\n\n## Two\n".encode("utf-16"),
        "latin.md": b"# Caf\xe9\n\n## Two\n",
    }
    with pinakes.open(write_tree(tmp_path, files)) as library:
        for path in files:
            with pytest.raises(BadMove, match="is not UTF-8"):
                library.plan_rename(f"{path}#two", "Three")


@pytest.mark.parametrize("new", ["../out.md", "a/../../out.md", ".git/x.md", "/etc/x.md"])
def test_a_plan_made_by_hand_does_not_leave_the_root(tmp_path: Path, new: str) -> None:
    with pinakes.open(write_tree(tmp_path / "root", FILES)) as library:
        plan = library.plan_move("guide/auth.md", "login.md")
        moves = (replace(plan.moves[0], new=Ref("docs", new)),)
        with pytest.raises(BadMove, match="does not name a file that may be changed"):
            library.apply(replace(plan, moves=moves))
        (edited,) = plan.files
        other = replace(edited, edits=(replace(edited.edits[0], old="something"),))
        with pytest.raises(BadMove, match="other text stands"):
            library.apply(replace(plan, files=(other,)))
    assert os.listdir(tmp_path) == ["root"]
