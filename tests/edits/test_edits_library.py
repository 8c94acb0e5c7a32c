"""Edits of a library: planned, written, seen by the index, taken back, and believed only where this user wrote them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import pinakes
from kits.trees import write_tree
from kits.vaults import everything
from pinakes.edits.journal import EditedFile
from pinakes.errors import BadEdit, NotFound, StoreStrange
from pinakes.file_changes import digest_of
from pinakes.index.sync import sync
from pinakes.library import Library
from pinakes.library.editing import Editing
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Scan
from pinakes.records.edits import EditBlock, EditPlan, FileChange
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite
from pinakes.write_log import read_log

ANSWER = """I rename it, and add a page.

a.md
<<<<<<< FIND
# Apples
=======
# Pears
>>>>>>> END

new/folder/b.md
<<<<<<< FIND
=======
# Plums
>>>>>>> END
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    files = {"a.md": "# Apples\n\nRed.\n", "c.md": "# Cherries\n", "code.py": "def old():\n    pass\n"}
    root = write_tree(tmp_path / "root", {**files, "pinakes.toml": "[code]\nenabled = true\n"})
    with pinakes.open(root) as library:
        library.sync()
        yield library


@pytest.fixture
def editing(library: Library) -> Editing:
    return Editing(library)


def titles(library: Library) -> list[str]:
    return [one.title for one in library.outlines()]


def test_an_answer_is_written_seen_by_the_index_and_taken_back(library: Library, editing: Editing) -> None:
    before = everything(library.root)
    plan = editing.plan(ANSWER)
    assert not plan.refused
    assert everything(library.root) == before
    assert "-# Apples\n+# Pears\n" in editing.diff(plan)
    assert editing.apply(plan) == ("a.md", "new/folder/b.md")
    assert titles(library) == ["Pears", "Cherries", "Plums"]
    assert editing.can_undo
    assert editing.undo() == ("a.md", "new/folder/b.md")
    assert titles(library) == ["Apples", "Cherries"]
    assert everything(library.root) == before
    assert not editing.can_undo
    with pytest.raises(NotFound, match="no edits to undo"):
        editing.undo()


def test_an_edit_of_source_code_is_seen_by_its_index(library: Library, editing: Editing) -> None:
    editing.apply(editing.plan([EditBlock("code.py", "def old", "def renamed")]))
    assert "renamed" in library.map_text("code:").text


def test_of_several_edits_the_last_can_be_undone(library: Library, editing: Editing) -> None:
    editing.apply(editing.plan([EditBlock("a.md", "Apples", "Pears")]))
    editing.apply(editing.plan([EditBlock("a.md", "Pears", "Plums")]))
    editing.undo()
    assert (library.root / "a.md").read_text() == "# Pears\n\nRed.\n"
    assert not editing.can_undo


def test_edits_that_come_to_nothing_leave_the_step_before(library: Library, editing: Editing) -> None:
    editing.apply(editing.plan([EditBlock("a.md", "Apples", "Pears")]))
    assert editing.apply(editing.plan([EditBlock("a.md", "Apples", "Pears")])) == ()
    assert editing.undo() == ("a.md",)


def test_undo_is_there_after_a_restart(library: Library, editing: Editing) -> None:
    editing.apply(editing.plan(ANSWER))
    with pinakes.open(library.root) as again:
        assert Editing(again).can_undo
        Editing(again).undo()
    assert (library.root / "a.md").read_text() == "# Apples\n\nRed.\n"


def test_undo_is_refused_where_files_were_changed_since_and_names_them(library: Library, editing: Editing) -> None:
    blocks = [EditBlock("a.md", "Apples", "Pears"), EditBlock("c.md", "Cherries", "x"), EditBlock("d.md", "", "d\n")]
    editing.apply(editing.plan(blocks))
    (library.root / "c.md").write_text("mine\n")
    (library.root / "d.md").unlink()
    before = everything(library.root)
    with pytest.raises(BadEdit, match=r"c\.md, d\.md"):
        editing.undo()
    assert everything(library.root) == before
    write_tree(library.root, {"c.md": "# x\n", "d.md": "d\n"})
    assert editing.undo() == ("a.md", "c.md", "d.md")


def test_a_folder_made_for_an_edit_stays_where_something_else_lies_in_it(library: Library, editing: Editing) -> None:
    editing.apply(editing.plan(ANSWER))
    write_tree(library.root, {"new/mine.md": "mine\n"})
    editing.undo()
    assert not (library.root / "new" / "folder").exists()
    assert (library.root / "new" / "mine.md").read_text() == "mine\n"


def test_rights_stay(library: Library, editing: Editing) -> None:
    (library.root / "code.py").chmod(0o751)
    editing.apply(editing.plan([EditBlock("code.py", "old", "new"), EditBlock("run.sh", "", "x\n")]))
    assert (library.root / "code.py").stat().st_mode & 0o777 == 0o751
    umask = os.umask(0)
    os.umask(umask)
    assert (library.root / "run.sh").stat().st_mode & 0o777 == 0o666 & ~umask
    editing.undo()
    assert (library.root / "code.py").stat().st_mode & 0o777 == 0o751


def test_a_read_only_file_is_refused(library: Library, editing: Editing) -> None:
    (library.root / "a.md").chmod(0o444)
    plan = editing.plan(ANSWER)
    assert "read only" in plan.refused[0].reason
    assert [change.path for change in plan.changes] == ["new/folder/b.md"]


def journal(library: Library) -> Path:
    return library.root / ".pinakes" / "edits" / "edits-undo.json"


def test_a_step_back_that_somebody_brought_along_is_not_believed(library: Library, editing: Editing) -> None:
    editing.apply(editing.plan([EditBlock("a.md", "Apples", "Pears")]))
    record = json.loads(journal(library).read_text())
    for change in (
        {"signature": "0" * 64},
        {"token": "x"},
        {"root": "/"},
        {"files": [{**record["files"][0], "path": "c.md"}]},
    ):
        journal(library).write_text(json.dumps({**record, **change}))
        assert not editing.can_undo
        with pytest.raises(NotFound):
            editing.undo()
    for text in ("", "{", "[]", "{}", '{"signature": 1}', "null"):
        journal(library).write_text(text)
        assert not editing.can_undo
    journal(library).write_text(json.dumps(record))
    assert editing.can_undo


def test_a_step_back_of_a_copied_folder_counts_where_it_was_written(
    library: Library, editing: Editing, tmp_path: Path
) -> None:
    editing.apply(editing.plan([EditBlock("a.md", "Apples", "Pears")]))
    shutil.copy(journal(library), journal(library).with_name("edits-doing.json"))
    shutil.copytree(library.root, tmp_path / "copy")
    with pinakes.open(tmp_path / "copy") as copy:
        assert not Editing(copy).can_undo
        copy.refresh()
        assert (copy.root / "a.md").read_text() == "# Pears\n\nRed.\n"
        Editing(copy).apply(Editing(copy).plan([EditBlock("c.md", "Cherries", "Dates")]))
        assert Editing(copy).undo() == ("c.md",)
    assert (library.root / "a.md").read_text() == "# Pears\n\nRed.\n"
    editing.undo()


def test_a_link_in_place_of_the_journal_is_not_followed(library: Library, editing: Editing, tmp_path: Path) -> None:
    write_tree(tmp_path, {"mine.json": "mine"})
    journal(library).parent.mkdir()
    journal(library).symlink_to(tmp_path / "mine.json")
    with pytest.raises(StoreStrange):
        editing.apply(editing.plan([EditBlock("a.md", "Apples", "Pears")]))
    assert (tmp_path / "mine.json").read_text() == "mine"
    assert (library.root / "a.md").read_text() == "# Apples\n\nRed.\n"


def test_what_is_written_is_logged(library: Library, editing: Editing) -> None:
    editing.apply(editing.plan([EditBlock("a.md", "Apples", "Pears")]))
    editing.undo()
    editing.save("c.md", "# Other\n", editing.open("c.md").digest)
    logged = [(line.action, line.object, line.result) for line in read_log(library.root, limit=3)]
    assert logged == [("edit", "docs:a.md", "done"), ("undo", "docs:a.md", "done"), ("save", "docs:c.md", "done")]


def test_an_editor_saves_what_it_opened(library: Library, editing: Editing) -> None:
    write_tree(library.root, {"w.md": b"\xef\xbb\xbf# One\r\n\r\ntwo\r\n"})
    opened = editing.open("w.md")
    assert (opened.text, opened.digest) == ("# One\n\ntwo\n", digest_of((library.root / "w.md").read_bytes()))
    digest = editing.save("w.md", "# One\n\nthree\nfour\n", opened.digest)
    assert (library.root / "w.md").read_bytes() == b"\xef\xbb\xbf# One\r\n\r\nthree\r\nfour\r\n"
    assert digest == digest_of((library.root / "w.md").read_bytes())
    with pytest.raises(BadEdit, match="changed meanwhile"):
        editing.save("w.md", "x\n", opened.digest)
    assert editing.save("w.md", "# One\n\nthree\nfour\n", digest) == digest
    assert editing.undo() == ("w.md",)


def test_an_editor_makes_a_file_and_does_not_write_over_one(library: Library, editing: Editing) -> None:
    digest = editing.save("folder/new.svg", "<svg/>\n", "")
    assert editing.open("folder/new.svg").digest == digest
    with pytest.raises(BadEdit, match="exists already"):
        editing.save("folder/new.svg", "x", "")
    with pytest.raises(BadEdit, match="changed meanwhile"):
        editing.save("gone.md", "x", digest)
    with pytest.raises(NotFound):
        editing.open("gone.md")
    assert "folder/new.svg" in [one.ref.path for one in library.outlines()]


class TimelessSource(FolderSource):
    """A folder on a disk whose times tell nothing."""

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        found = super().scan(paths)
        return replace(found, stamps=tuple(replace(stamp, version="1") for stamp in found.stamps))


def test_a_sync_of_some_paths_sees_what_size_and_time_do_not_tell(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "# A1\n", "b/c.md": "# C1\n", "d.md": "# D1\n"})
    store = open_sqlite(OwnFolder(tmp_path / "store"))
    sync(TimelessSource(root), store)
    write_tree(root, {"a.md": "# A2\n", "b/c.md": "# C2\n", "d.md": "# D2\n"})
    source = TimelessSource(root)  # whose first scan is of everything

    def titles_after(paths: list[str] | None, *, verify: bool) -> list[str]:
        sync(source, store, paths=paths, verify=verify)
        return [one.title for one in store.outlines(DOCS)]

    assert titles_after(["a.md"], verify=False) == ["A1", "C1", "D1"]
    assert titles_after(["a.md"], verify=True) == ["A2", "C1", "D1"]
    source = TimelessSource(root)
    assert titles_after(["b"], verify=True) == ["A2", "C2", "D1"]
    write_tree(root, {"a.md": "# A3\n"})
    assert titles_after(["a.md"], verify=True) == ["A3", "C2", "D1"]
    assert titles_after(None, verify=True) == ["A3", "C2", "D2"]
    store.close()


def test_a_library_compares_some_paths_alone(library: Library) -> None:
    write_tree(library.root, {"a.md": "# Grapes\n", "c.md": "# Currants\n", "code.py": "def renamed(): pass\n"})
    report = library.sync(paths=["a.md", "code.py"], verify=True)
    assert sorted(map(str, report.put)) == ["code:code.py", "docs:a.md"]
    assert titles(library) == ["Grapes", "Cherries"]
    assert library.sync(paths=["c.md"], corpora=["code"]).put == ()
    assert [str(ref) for ref in library.sync(paths=["c.md"]).put] == ["docs:c.md"]


def test_a_file_that_goes_comes_back(library: Library, editing: Editing) -> None:
    data = (library.root / "c.md").read_bytes()
    assert editing.apply(EditPlan((FileChange("c.md", data, None),))) == ("c.md",)
    assert titles(library) == ["Apples"]
    editing.undo()
    assert (library.root / "c.md").read_bytes() == data


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=10), st.binary(max_size=10))
def test_what_the_journal_keeps_leads_back(old: bytes, new: bytes, head: bytes, tail: bytes) -> None:
    before, after = head + old + tail, head + new + tail
    kept = EditedFile.of(FileChange("a.md", before, after))
    assert kept.taken_back(after) == before
    assert len(kept.old) <= len(old)


def test_edits_are_written_where_the_index_cannot_follow(library: Library, editing: Editing) -> None:
    (library.root / ".pinakes" / "library.db").write_bytes(b"damaged" * 1000)
    assert editing.apply(editing.plan(ANSWER)) == ("a.md", "new/folder/b.md")
    assert (library.root / "a.md").read_text() == "# Pears\n\nRed.\n"
    with pinakes.open(library.root) as again:
        again.refresh()
        assert titles(again) == ["Pears", "Cherries", "Plums"]


def test_an_edit_makes_no_index(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "# Apples\n"})
    with pinakes.open(root) as library:
        Editing(library).apply(Editing(library).plan([EditBlock("a.md", "Apples", "Pears")]))
        assert not library.is_indexed
        with pytest.raises(NotFound):
            library.outlines()
