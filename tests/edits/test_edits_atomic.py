"""Edits are written as a whole or not at all, whatever interrupts them: an error or a kill at any step, a full disk,
somebody who writes at the same time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pinakes
from kits.small_disk import leave, small_disk
from kits.trees import write_tree
from kits.vaults import everything
from pinakes.errors import BadEdit, PinakesError
from pinakes.library.editing import Editing
from pinakes.records.edits import EditBlock

STEPS = """
import os, sys
from pathlib import Path
import pinakes
from kits.trees import write_tree
from kits.vaults import everything
from pinakes.errors import PinakesError
from pinakes.library.editing import Editing
from pinakes.records.edits import EditBlock

root, deed, way = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
write_tree(root, {"a.md": "# Apples\\r\\n", "b.md": "# Pears\\n", "folder/c.md": "# Plums\\n", "e.md": "# Earlier\\n"})
library = pinakes.open(root)
library.refresh()
editing = Editing(library)
start = everything(root)
editing.apply(editing.plan([EditBlock("e.md", "Earlier", "Done earlier")]))
before = everything(root)
plan = editing.plan([
    EditBlock("a.md", "# Apples\\n", "# Quinces\\n\\nRed.\\n"), EditBlock("b.md", "# Pears\\n", ""),
    EditBlock("folder/c.md", "Plums", "Cherries"), EditBlock("new/folder/d.md", "", "# Dates\\n"),
])
assert len(plan.changes) == 4
editing.apply(plan)
after = everything(root)
editing.undo()
assert everything(root) == before
first, last = (before, after) if deed == "apply" else (after, before)

WRITES = ("os.rename", "os.link", "os.remove", "os.mkdir")  # an empty folder that cannot be removed is no error
def interrupted(number):
    # Let the chosen step, counted from 0, be the last of this process, or let it fail.
    seen = [0]
    def hook(event, args):
        if event in WRITES or (event == "open" and args[2] & os.O_CREAT):
            seen[0] += 1
            if seen[0] == number + 1:
                if way == "kill":
                    os._exit(9)
                raise OSError(28, "No space left on device")
    sys.addaudithook(hook)
    try:
        editing.apply(plan) if deed == "apply" else editing.undo()
    except (OSError, PinakesError) as error:
        assert isinstance(error, PinakesError) and str(error), error
        os._exit(7)
    os._exit(0)

number, states = 0, set()
while True:
    if everything(root) != first:
        editing.apply(plan)
    elif deed == "apply":
        editing.apply(editing.plan([EditBlock("e.md", "Done earlier", "Undone")]))
        editing.apply(editing.plan([EditBlock("e.md", "Undone", "Done earlier")]))
    assert everything(root) == first
    pid = os.fork()
    if not pid:
        interrupted(number)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    now = everything(root)
    if code == 7:
        assert now == first, (number, sorted(set(now) ^ set(first)))
    library.refresh()
    now = everything(root)
    assert now in (first, last), (number, code, sorted(set(now) ^ set(first)))
    states.add(now == last)
    assert editing.can_undo == (now != before or deed == "apply")
    if deed == "apply" and now == first:
        assert editing.can_undo  # the step before is still there
        assert editing.undo() == ("e.md",)
        editing.apply(editing.plan([EditBlock("e.md", "Undone", "Done earlier")]))
    if code == 0:
        assert now == last
        break
    if now == last and deed == "apply":
        editing.undo()
    number += 1
print(number, sorted(states))
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["kill", "fail"])
@pytest.mark.parametrize("deed", ["apply", "undo"])
def test_every_step_may_be_the_last(tmp_path: Path, deed: str, way: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STEPS, str(tmp_path / "root"), deed, way],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0, done.stderr
    steps, states = done.stdout.split(" ", 1)
    assert int(steps) > 15
    assert states == "[False, True]\n"


BIG = {f"{number}.md": f"# Page {number}\n\n{'Some words. ' * 6000}\n" for number in range(12)}
BLOCKS = [EditBlock(path, f"# Page {number}\n", f"# New {number}\n") for number, path in enumerate(BIG)]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 6) as place:
        yield place


def test_a_full_disk_leaves_everything_as_it_was(disk: Path) -> None:
    root = write_tree(disk / "root", BIG)
    before = everything(root)
    failed = 0
    with pinakes.open(root) as library:
        editing = Editing(library)
        plan = editing.plan([*BLOCKS, EditBlock("new/x.md", "", "words\n" * 5000)])
        assert not plan.refused
        for pages in range(0, 400, 9):
            leave(disk, pages * 4096)
            try:
                editing.apply(plan)
            except PinakesError as error:
                failed += 1
                assert "No space left" in str(error) or "disk" in str(error), error
                assert everything(root) == before
                (disk / "filler").unlink()
                continue
            assert {path for path in everything(root)} >= {"new/x.md"}
            after = everything(root)
            (disk / "filler").unlink()
            leave(disk, 0)
            with pytest.raises(PinakesError):
                editing.undo()
            assert everything(root) == after
            (disk / "filler").unlink()
            editing.undo()
            assert everything(root) == before
    assert 3 < failed < 40


@pytest.fixture
def editing(tmp_path: Path) -> Iterator[Editing]:
    root = write_tree(tmp_path / "root", {"a.md": "# Apples\n", "b.md": "# Pears\n", "c.md": "# Plums\n"})
    with pinakes.open(root) as library:
        yield Editing(library)


PEARS = (
    EditBlock("a.md", "Apples", "Quinces"),
    EditBlock("b.md", "Pears", "Dates"),
    EditBlock("new.md", "", "# New\n"),
)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda root: (root / "b.md").write_text("# Pears!\n"), "b.md"),
        (lambda root: (root / "b.md").unlink(), "b.md"),
        (lambda root: ((root / "b.md").unlink(), (root / "b.md").mkdir()), "b.md"),
        (lambda root: ((root / "b.md").unlink(), (root / "b.md").symlink_to("c.md")), "b.md"),
        (lambda root: (root / "new.md").write_text("mine"), "new.md"),
        (lambda root: (root / "new.md").symlink_to("c.md"), "new.md"),
        (lambda root: (root / "new.md").mkdir(), "new.md"),
    ],
)
def test_a_file_that_changed_after_the_plan_is_refused_and_nothing_is_written(
    editing: Editing, change: Callable[[Path], object], name: str
) -> None:
    plan = editing.plan(PEARS)
    change(editing.root)
    before = everything(editing.root)
    with pytest.raises(BadEdit, match=name):
        editing.apply(plan)
    assert everything(editing.root) == before
    assert not editing.can_undo


def test_a_file_that_changes_while_edits_are_written_is_left_alone(tmp_path: Path) -> None:
    """Another program writes after the first look: when the new texts are beside their files."""
    program = """
import os, sys
from pathlib import Path
import pinakes
from kits.trees import write_tree
from kits.vaults import everything
from pinakes.errors import BadEdit
from pinakes.library.editing import Editing
from pinakes.records.edits import EditBlock
root = write_tree(Path(sys.argv[1]), {"a.md": "# Apples\\n", "b.md": "# Pears\\n"})
editing = Editing(pinakes.open(root))
plan = editing.plan([EditBlock("a.md", "Apples", "Quinces"), EditBlock("b.md", "Pears", "Dates")])
seen = []
def hook(event, args):
    if event == "open" and str(args[0]).endswith("-1.new") and args[2] & os.O_CREAT and not seen:
        seen.append(args)
        (root / "a.md").write_text("# Mine\\n")
sys.addaudithook(hook)
try:
    editing.apply(plan)
except BadEdit as error:
    assert "a.md was changed just now" in str(error), error
assert seen
assert everything(root) == {"a.md": b"# Mine\\n", "b.md": b"# Pears\\n"}, everything(root)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "root")],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0, done.stderr


def test_of_two_writers_at_once_one_is_refused(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {f"{number}.md": "0\n" for number in range(8)})
    program = """
import sys
from pathlib import Path
import pinakes
from pinakes.errors import BadEdit
from pinakes.library.editing import Editing
from pinakes.records.edits import EditBlock
root, name = Path(sys.argv[1]), sys.argv[2]
editing = Editing(pinakes.open(root))
done = 0
for count in range(15):
    now = int((root / "0.md").read_text())
    plan = editing.plan([EditBlock(f"{number}.md", f"{now}\\n", f"{now + 1}\\n") for number in range(8)])
    if plan.refused:
        continue
    try:
        editing.apply(plan)
        done += 1
    except BadEdit as error:
        assert "changed" in str(error), error
print(done)
"""
    command = [sys.executable, "-c", program, str(root)]
    both = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in ("one", "two")]
    done = sum(int(one.communicate()[0]) for one in both)
    assert done > 0
    assert {data for data in everything(root).values()} == {f"{done}\n".encode()}


KILLED = """
import os, sys
from pathlib import Path
import pinakes
from kits.trees import write_tree
from pinakes.library.editing import Editing
from pinakes.records.edits import EditBlock
root = write_tree(Path(sys.argv[1]), {"a.md": "# Apples\\n", "b.md": "# Pears\\n", "c.md": "# Plums\\n"})
editing = Editing(pinakes.open(root))
plan = editing.plan([EditBlock("a.md", "#", "##"), EditBlock("b.md", "#", "##"), EditBlock("c.md", "#", "##")])
def hook(event, args):
    if event == "os.rename" and args[1] == "c.md":
        os._exit(9)
sys.addaudithook(hook)
editing.apply(plan)
"""


@pytest.fixture
def half(tmp_path: Path) -> Path:
    """A folder in which edits were killed before their last file took its place."""
    root, here = tmp_path / "root", Path(__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", KILLED, str(root)], cwd=here, check=False).returncode == 9
    assert [(root / f"{name}.md").read_text()[:3] for name in "abc"] == ["## ", "## ", "# P"]
    return root


def test_a_file_that_somebody_changed_after_a_kill_stays_and_is_named(half: Path) -> None:
    write_tree(half, {"a.md": "# Mine\n"})
    with pinakes.open(half) as library:
        assert (
            library.refresh() == "Edits were interrupted; they were taken back, but for those in a.md, changed since."
        )
        assert library.refresh() == ""
    assert everything(half) == {"a.md": b"# Mine\n", "b.md": b"# Pears\n", "c.md": b"# Plums\n"}


def test_a_journal_that_was_copied_along_counts_where_it_was_written(half: Path, tmp_path: Path) -> None:
    shutil.copytree(half, tmp_path / "copy")
    before = everything(tmp_path / "copy")
    with pinakes.open(tmp_path / "copy") as copy:
        assert copy.refresh() == ""
    assert everything(tmp_path / "copy") == before
    with pinakes.open(half) as library:
        assert library.refresh() == "Edits were interrupted; they were taken back."
    assert everything(half) == {"a.md": b"# Apples\n", "b.md": b"# Pears\n", "c.md": b"# Plums\n"}


def test_whoever_edits_next_sees_nothing_that_a_kill_left(half: Path) -> None:
    with pinakes.open(half) as library:
        editing = Editing(library)
        assert editing.plan([EditBlock("b.md", "## Pears", "# Dates")]).refused
        editing.apply(editing.plan([EditBlock("a.md", "# Apples", "# Quinces")]))
    assert everything(half) == {"a.md": b"# Quinces\n", "b.md": b"# Pears\n", "c.md": b"# Plums\n"}


def test_an_editor_opens_nothing_that_a_kill_left(half: Path) -> None:
    with pinakes.open(half) as library:
        assert Editing(library).open("a.md").text == "# Apples\n"
