"""Sections that speak of what has changed since."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.commit import commit, git, repository
from pinakes import open as open_library
from pinakes.check import Code


def drifts(folder: Path) -> list[str]:
    with open_library(folder) as library:
        library.sync(corpora=("docs",))
        found = [one for one in library.check() if one.code is Code.DRIFT]
    return [f"{one.ref.path}:{one.line} {one.message.partition(', after')[0]}" for one in found]


PAGE = """# Guide

## Files

The work is done in `src/work.py`.

## Options

`--careful` reads everything twice, and `read_twice()` does it.

## Other

Nothing to see.
"""
CODE = "def read_twice(path):\n    return path\n\noption('--careful')\n" + "# filler\n" * 20


def project(tmp_path: Path) -> Path:
    folder = repository(tmp_path)
    commit(folder, {"guide.md": PAGE, "src/work.py": CODE}, day=1)
    return folder


def test_what_has_not_changed_since_is_no_drift(tmp_path: Path) -> None:
    assert drifts(project(tmp_path)) == []


def test_a_file_that_moved_is_told_of_with_the_commit_and_one_that_only_changed_is_not(tmp_path: Path) -> None:
    folder = project(tmp_path)
    commit(folder, {"src/work.py": CODE + "# more\n"}, day=2)
    assert drifts(folder) == []
    moved = commit(folder, {"src/work.py": None, "src/job.py": CODE + "# more\n"}, day=3)
    assert drifts(folder) == [f"guide.md:5 src/work.py was moved to src/job.py on 2026-01-03 by {moved[:10]}"]


def test_a_removed_file_is_told_of(tmp_path: Path) -> None:
    folder = project(tmp_path)
    commit(folder, {"src/keep.py": CODE}, day=2)
    gone = commit(folder, {"src/work.py": None}, day=3)
    assert drifts(folder) == [f"guide.md:5 src/work.py was removed on 2026-01-03 by {gone[:10]}"]


def test_options_and_names_that_left_the_code_are_told_of(tmp_path: Path) -> None:
    folder = project(tmp_path)
    hash = commit(folder, {"src/work.py": CODE.replace("read_twice", "read_thrice").replace("--careful", "--slow")})
    assert drifts(folder) == [
        f"guide.md:9 --careful was removed from the code on 2026-01-01 by {hash[:10]}",
        f"guide.md:9 read_twice was removed from the code on 2026-01-01 by {hash[:10]}",
    ]


def test_a_name_that_only_went_to_another_file_is_none(tmp_path: Path) -> None:
    folder = project(tmp_path)
    commit(folder, {"src/work.py": "# filler\n" * 20, "src/other.py": CODE.replace("# filler\n", "")}, day=2)
    assert [line for line in drifts(folder) if "src/work.py" not in line] == []


def test_a_changed_definition_is_told_of(tmp_path: Path) -> None:
    folder = project(tmp_path)
    hash = commit(folder, {"src/work.py": CODE.replace("(path):", "(path, times):")}, day=2)
    assert f"guide.md:9 read_twice was changed in the code on 2026-01-02 by {hash[:10]}" in drifts(folder)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    return path\n", "    return read_twice(path + 1)\n"),
        ("def read_twice(path):\n", "def read_twice(\n    path,\n):\n"),
        ("option('--careful')", "option('--careful', help='Read all of it twice.')"),
        ("option('--careful')", "option(\n    '--careful',\n)"),
        ("option('--careful')", "run('--careful')\noption('--careful')"),
        ("def read_twice(path):\n", "def other():\n    pass\n\n\ndef read_twice(path):\n"),
    ],
)
def test_what_changes_around_a_definition_is_no_drift(tmp_path: Path, before: str, after: str) -> None:
    folder = project(tmp_path)
    commit(folder, {"src/work.py": CODE.replace(before, after)}, day=2)
    assert drifts(folder) == []


def test_the_default_of_an_option_is_a_part_of_its_definition(tmp_path: Path) -> None:
    folder = project(tmp_path)
    hash = commit(folder, {"src/work.py": CODE.replace("'--careful'", "'--careful', default=True")}, day=2)
    assert drifts(folder) == [f"guide.md:9 --careful was changed in the code on 2026-01-02 by {hash[:10]}"]


def test_a_name_that_several_files_define_or_a_test_uses_is_not_the_one_that_is_meant(tmp_path: Path) -> None:
    folder = project(tmp_path)
    both = {
        "src/work.py": CODE,
        "src/twin.py": "def read_twice(a):\n    pass\n",
        "tests/test_work.py": "x = ['--careful']\n",
    }
    commit(folder, both, day=1)
    changed = {"src/twin.py": "def read_twice(a, b):\n    pass\n", "tests/test_work.py": "flag('--careful', 3)\n"}
    commit(folder, changed, day=2)
    assert drifts(folder) == []


def test_an_option_that_a_program_makes_of_a_name_is_still_there(tmp_path: Path) -> None:
    folder = project(tmp_path)
    commit(folder, {"src/work.py": CODE.replace("option('--careful')", "parameter('careful')")}, day=2)
    assert drifts(folder) == []
    both = PAGE.replace("`--careful`", "`--careful`, which is `careful()`,")
    commit(folder, {"guide.md": both, "src/work.py": CODE.replace("option('--careful')", "careful(1)")}, day=3)
    assert drifts(folder) == []


def test_touching_the_section_settles_it_and_others_stay(tmp_path: Path) -> None:
    folder = project(tmp_path)
    commit(folder, {"src/work.py": None, "src/job.py": CODE.replace("(path):", "(path, times):")}, day=2)
    assert len(drifts(folder)) == 2
    commit(folder, {"guide.md": PAGE.replace("The work is done", "All work is done")}, day=3)
    assert [line.split(" ")[1] for line in drifts(folder)] == ["read_twice"]
    page = (folder / "guide.md").read_text()
    (folder / "guide.md").write_text(page.replace("reads everything twice", "reads it all twice"))
    assert drifts(folder) == []


def test_without_history_check_finds_everything_else(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\n[gone](gone.md)\n")
    with open_library(tmp_path) as library:
        library.sync()
        assert Code.BROKEN_LINK in [one.code for one in library.check()]


def test_images_and_documents_that_change_are_no_drift(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    commit(folder, {"a.md": "# A\n\n![x](x.png) and [b](b.md)\n", "b.md": "# B\n\n[a](a.md)\n", "x.png": b"1"}, day=1)
    commit(folder, {"b.md": "# B\n\n[a](a.md) again\n", "x.png": b"2"}, day=2)
    assert git(folder, "status", "--short") == ""
    assert drifts(folder) == []
