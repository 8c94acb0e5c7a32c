"""Memories follow the documents they point at."""

from __future__ import annotations

from pathlib import Path

import pinakes
from kits.trees import write_tree
from pinakes.records import Ref
from pinakes.records.memory import MarkKind

FILES: dict[str, str | bytes] = {
    "guide/auth.md": "# Auth\n\n[p](page.md)\n\n## Tokens\n\nThey expire.\n",
    "guide/page.md": "# Page\n",
}


def test_a_move_rewrites_memories_and_marks_none(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        library.sync()
        note = "See [[guide/auth.md#tokens]], [[auth]] and [it](../guide/auth.md)."
        kept = library.memories.remember(note, "Plan", links=["guide/auth.md", "docs:guide/page.md"])
        before = (tmp_path / ".memories/plan.md").read_bytes()
        library.apply(library.plan_move("guide/auth.md", "manual/login.md"))
        read = library.memories.read(kept.id)
        assert read.text == "See [[manual/login.md#tokens]], [[login]] and [it](../manual/login.md)."
        assert {str(link.to) for link in read.links} == {
            "docs:manual/login.md",
            "docs:manual/login.md#tokens",
            "docs:guide/page.md",
        }
        assert read.marks == ()
        write_tree(tmp_path, {"manual/login.md": "# Auth\n\n## Tokens\n\nThey never expire.\n"})
        assert {mark.kind for mark in library.memories.read(kept.id).marks} == {MarkKind.VERIFY}
        write_tree(tmp_path, {"manual/login.md": "# Auth\n\n[p](../guide/page.md)\n\n## Tokens\n\nThey expire.\n"})
        library.undo_move()
        assert (tmp_path / ".memories/plan.md").read_bytes() == before
        assert library.memories.read(kept.id).marks == ()


def test_a_memory_that_was_to_be_verified_still_is(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        library.sync()
        kept = library.memories.remember("See [[guide/auth.md#tokens]].", "Plan")
        write_tree(tmp_path, {"guide/auth.md": "# Auth\n\n## Tokens\n\nThey never expire.\n"})
        library.apply(library.plan_move("guide", "manual"))
        (mark,) = library.memories.read(kept.id).marks
        assert (mark.kind, mark.ref) == (MarkKind.VERIFY, Ref("docs", "manual/auth.md", "tokens"))


def test_a_memory_follows_a_heading(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, FILES)) as library:
        library.sync()
        kept = library.memories.remember("See [[guide/auth#Tokens]] and docs:guide/auth.md#tokens.", "Plan")
        library.apply(library.plan_rename("guide/auth.md#tokens", "API keys"))
        read = library.memories.read(kept.id)
        assert read.text.startswith("See [[guide/auth#API keys]]")
        assert read.marks == ()


def test_memories_for_all_projects_are_left_alone(tmp_path: Path, new_user: Path) -> None:
    settings = {"pinakes.toml": '[memories]\nstorage = "everywhere"\n'}
    with pinakes.open(write_tree(tmp_path / "root", {**FILES, **settings})) as library:
        library.sync()
        library.memories.remember("See [[guide/auth.md]].", "Plan")
        plan = library.plan_move("guide/auth.md", "login.md")
        assert [one.ref.corpus for one in plan.files] == ["docs"]
