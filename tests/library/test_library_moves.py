"""Moves as a library offers them: further roots, sites, the journal and the log."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

import pinakes
from kits.trees import write_tree
from kits.vaults import everything
from pinakes.errors import BadMove
from pinakes.records import Ref
from pinakes.records.moves import MoveState
from pinakes.serve.cli import commands
from pinakes.write_log import read_log


def test_a_plan_says_what_would_change_and_writes_nothing(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "[b](b.md#two) é [b](b.md)\n", "b.md": "# One\n\n## Two\n"})
    with pinakes.open(root) as library:
        before = everything(root)
        plan = library.plan_move("b.md", "c/d.md")
        assert everything(root) == before
    (edited,) = plan.files
    data = (root / "a.md").read_bytes()
    assert (plan.old, plan.new) == (Ref("docs", "b.md"), Ref("docs", "c/d.md"))
    assert [data[edit.span.start : edit.span.end].decode() for edit in edited.edits] == ["b.md#two", "b.md"]
    assert edited.applied_to(data).decode() == "[b](c/d.md#two) é [b](c/d.md)\n"
    assert [one.ref.path for one in plan.carried] == ["b.md"]


def test_the_files_of_a_plan_are_those_it_was_made_for(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "[b](b.md)\n", "b.md": "# B\n"})
    with pinakes.open(root) as library:
        plan = library.plan_move("b.md", "c.md")
        assert library.files_of(plan) == {Ref("docs", "a.md"): b"[b](b.md)\n"}
        write_tree(root, {"a.md": "more [b](b.md)\n"})
        for call in (library.files_of, library.diff):
            with pytest.raises(BadMove, match=r"a\.md has been changed since"):
                call(plan)


def test_a_document_of_another_root_moves_within_it(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"README.md": "# R\n"})
    more = write_tree(tmp_path / "root/more", {"a.md": "[b](b.md)\n", "b.md": "# B\n"})
    write_tree(root, {"pinakes.toml": '[roots]\nmore = ["more=more"]\n', ".pinakesignore": "more/\n"})
    with pinakes.open(root) as library:
        library.sync()
        result = library.apply(library.plan_rename("docs@more:b.md", "c"))
        assert (result.plan.new, result.state) == (Ref("docs@more", "c.md"), MoveState.DONE)
        assert (more / "a.md").read_text() == "[b](c.md)\n"
        library.undo_move()
        assert (more / "a.md").read_text() == "[b](b.md)\n"


def test_a_navigation_that_names_the_document_is_named(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: X\nnav:\n  - Home: index.md\n  - Auth: guide/auth.md\n",
        "docs/index.md": "# Home\n\n[a](guide/auth.md)\n",
        "docs/guide/auth.md": "# Auth\n",
    }
    with pinakes.open(write_tree(tmp_path, files)) as library:
        plan = library.plan_move("docs/guide/auth.md", "docs/login.md")
        assert plan.notes == ("mkdocs.yml names “guide/auth.md”; change it by hand.",)


def test_a_comment_that_names_the_document_is_named(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_python", reason="needs the extra code")
    files = {
        "pinakes.toml": "[code]\nenabled = true\n",
        "docs/auth.md": "# Auth\n\n## Tokens\n\n## Keys\n",
        "src/a.py": "def f():\n    # see docs/auth.md#tokens\n    return 1\n",
    }
    with pinakes.open(write_tree(tmp_path, files)) as library:
        library.sync()
        said = ("src/a.py:2: “docs/auth.md#tokens” in the code; change it by hand.",)
        assert library.plan_move("docs/auth.md", "docs/login.md").notes == said
        assert library.plan_rename("docs/auth.md#tokens", "API tokens").notes == said
        assert library.plan_rename("docs/auth.md#keys", "API keys").notes == ()


def test_the_log_names_what_was_moved_and_changed(tmp_path: Path, new_user: Path) -> None:
    with pinakes.open(write_tree(tmp_path / "root", {"a.md": "[b](b.md)\n", "b.md": "# B\n"})) as library:
        library.apply(library.plan_move("b.md", "c.md"))
        library.undo_move()
        with pytest.raises(BadMove):
            library.apply(library.plan_move("b.md", "a.md"))
        lines = [(one.action, one.object, one.result) for one in read_log(library.root)]
    assert lines == [
        ("move", "docs:b.md → docs:c.md", "done"),
        ("move", "docs:a.md", "updated"),
        ("move", "docs:c.md → docs:b.md", "undone"),
        ("move", "docs:a.md", "undone"),
    ]


def test_a_move_that_was_killed_is_taken_back_and_said(tmp_path: Path, new_user: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "[b](b.md)\n", "b.md": "# B\n"})
    with pinakes.open(root) as library:
        library.refresh()
        before = everything(root)
        library.apply(library.plan_move("b.md", "x/c.md"))
        (journal,) = (new_user / ".local/share/pinakes/moves").glob("*.json")
        held = json.loads(journal.read_text())
        journal.write_text(json.dumps({**held, "is_done": False}))  # as if it had been killed at the very end
        assert library.refresh() == "A move was interrupted; it was taken back."
        assert everything(root) == before
        assert library.refresh() == ""


@pytest.mark.parametrize("command", ["status", "doctor"])
def test_commands_that_do_not_refresh_take_a_killed_move_back_too(tmp_path: Path, new_user: Path, command: str) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "[b](b.md)\n", "b.md": "# B\n"})
    with pinakes.open(root) as library:
        library.refresh()
        before = everything(root)
        library.apply(library.plan_move("b.md", "x/c.md"))
    (journal,) = (new_user / ".local/share/pinakes/moves").glob("*.json")
    journal.write_text(json.dumps({**json.loads(journal.read_text()), "is_done": False}))
    done = CliRunner().invoke(commands, [command, "--root", str(root)], catch_exceptions=False)
    assert "A move was interrupted; it was taken back." in done.stderr
    assert everything(root) == before


def test_files_that_were_changed_after_a_kill_are_named_and_stay(tmp_path: Path, new_user: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "[b](b.md)\n", "b.md": "# B\n"})
    with pinakes.open(root) as library:
        library.apply(library.plan_move("b.md", "x/c.md"))
        (journal,) = (new_user / ".local/share/pinakes/moves").glob("*.json")
        journal.write_text(json.dumps({**json.loads(journal.read_text()), "is_done": False}))
        write_tree(root, {"a.md": "[b](x/c.md)\n\nMine.\n"})
        (warning,) = library.sync().warnings
        assert warning[1] == "A move was interrupted; it was taken back, but for the links in a.md, changed since."
        assert (root / "a.md").read_text() == "[b](x/c.md)\n\nMine.\n"
        assert (root / "b.md").exists()


def test_a_journal_that_cannot_be_understood_is_named_and_nothing_is_moved_on_top_of_it(
    tmp_path: Path, new_user: Path
) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "[b](b.md)\n", "b.md": "# B\n"})
    with pinakes.open(root) as library:
        plan = library.plan_move("b.md", "c.md")
        library.apply(plan)
        (journal,) = (new_user / ".local/share/pinakes/moves").glob("*.json")
        for text in ("", "[]", "{}", '{"format": 1}', '{"format": 99}', "null"):
            journal.write_text(text)
            said = (
                f"The journal of moves {journal} is damaged, or of another version of Pinakes. "
                "Use that version, or see to it that the last move is whole and remove this file."
            )
            assert library.refresh() == said
            for call in (
                library.undo_move,
                lambda: library.plan_move("c.md", "d.md"),
                lambda: library.apply(plan, force=True),
            ):
                with pytest.raises(BadMove) as refused:
                    call()
                assert str(refused.value) == said
        journal.unlink()
        assert library.refresh() == ""


def test_no_plan_is_made_over_a_move_that_could_not_be_taken_back(tmp_path: Path, new_user: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "[b](x/b.md)\n", "x/b.md": "# B\n"})
    with pinakes.open(root) as library:
        library.apply(library.plan_move("x/b.md", "c.md"))
        (journal,) = (new_user / ".local/share/pinakes/moves").glob("*.json")
        journal.write_text(json.dumps({**json.loads(journal.read_text()), "is_done": False}))
        (root / "x").rmdir()
        (root / "x").symlink_to(tmp_path)
        assert library.refresh().startswith("A move was interrupted and could not be taken back: ")
        with pytest.raises(BadMove, match=r"A move was interrupted and could not be taken back: .* is a link"):
            library.plan_move("a.md", "d.md")


def test_a_document_may_be_called_like_an_address(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, {"docs:a.md": "# A\n", "b.md": "# B\n"})) as library:
        assert library.plan_rename("docs:a.md", "c").new == Ref("docs", "c.md")
        assert library.plan_rename("docs:b.md", "c").new == Ref("docs", "c.md")


def test_without_a_home_nothing_is_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "[b](b.md)\n", "b.md": "# B\n"})
    with pinakes.open(root) as library:
        plan = library.plan_move("b.md", "c.md")
        for name in ("HOME", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(pinakes.PinakesError, match="no home to keep the journal"):
            library.apply(plan)
        assert sorted(os.listdir(root)) == [".pinakes", "a.md", "b.md"]
