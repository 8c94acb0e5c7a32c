"""A text is found exactly once and replaced, with the line ends, the mark and the end of its file; else what is nearest
is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kits.answers import story
from kits.trees import write_tree
from pinakes.edits import blocks_of, plan_edits, unified
from pinakes.edits.match import with_line_ends_of
from pinakes.records.edits import EditBlock, EditPlan, FileChange, RefusedEdit

MARK = b"\xef\xbb\xbf"


def planned(tmp_path: Path, data: bytes, *blocks: tuple[str, str]) -> EditPlan:
    root = write_tree(tmp_path / "root", {"a.md": data})
    return plan_edits(root, [EditBlock("a.md", find, put) for find, put in blocks], lambda path: "")


@pytest.mark.parametrize(
    ("before", "find", "put", "after"),
    [
        (b"one\ntwo\nthree\n", "two\n", "2\n", b"one\n2\nthree\n"),
        (b"one\ntwo\nthree\n", "two\n", "2\n2\n", b"one\n2\n2\nthree\n"),
        (b"one\ntwo\nthree\n", "two\n", "", b"one\nthree\n"),
        (b"one\ntwo\nthree\n", "two\n", "\n", b"one\n\nthree\n"),
        (b"one\ntwo\nthree\n", "three\n", "", b"one\ntwo\n"),
        (b"one\ntwo\nthree", "three\n", "", b"one\ntwo"),
        (b"one\ntwo\nthree", "three\n", "3\n", b"one\ntwo\n3"),
        (b"one", "one\n", "", b""),
        (b"one two three\n", "two\n", "2\n", b"one 2 three\n"),
        (b"one two three\n", "two\n", "", b"one  three\n"),
        (b"one two three\n", "two", "2", b"one 2 three\n"),
        (b"one\n\ntwo\n", "one\n\ntwo\n", "three\n", b"three\n"),
        (b"one\r\ntwo\r\nthree\r\n", "two\n", "2\n", b"one\r\n2\r\nthree\r\n"),
        (b"one\r\ntwo\r\nthree\r\n", "one\ntwo\n", "1\n2\n3\n", b"1\r\n2\r\n3\r\nthree\r\n"),
        (b"one\r\ntwo\r\nthree\r\n", "two\n", "", b"one\r\nthree\r\n"),
        (b"one\r\ntwo\r\nthree", "three\n", "", b"one\r\ntwo"),
        (b"one\r\ntwo\r\n", "one\r\ntwo\r\n", "x\r\n", b"x\r\n"),
        (b"one\r\ntwo\nthree\r\nfour\n", "two\n", "2\n2\n", b"one\r\n2\n2\nthree\r\nfour\n"),
        (b"one\r\ntwo\nthree\r\nfour\n", "one\ntwo\nthree\n", "1\n2\n3\n", b"1\r\n2\n3\r\nfour\n"),
        (MARK + b"one\ntwo\n", "one\n", "1\n", MARK + b"1\ntwo\n"),
        (MARK + b"one\ntwo\n", "one\n", "", MARK + b"two\n"),
        (MARK + b"one\r\n", "one\n", "", MARK),
        ("Grüße 🦉\n".encode(), "Grüße\n", "日本語\n", "日本語 🦉\n".encode()),
        (b"a\rb\rc", "b\n", "x\n", b"a\rx\rc"),
        (b"tab\there  \n", "tab\there  \n", "x\n", b"x\n"),
    ],
)
def test_a_text_that_stands_once_is_replaced(tmp_path: Path, before: bytes, find: str, put: str, after: bytes) -> None:
    plan = planned(tmp_path, before, (find, put))
    assert not plan.refused
    assert plan.changes[0].after == after


@pytest.mark.parametrize(
    ("data", "find", "said"),
    [
        (b"same\nsame\n", "same\n", "stands 2 times in a.md, in the lines 1, 2"),
        (b"a\nab\n", "a\n", "stands 2 times"),
        (b"aaa\n", "aa\n", "stands 2 times"),
        (b"x\n" * 50, "x\n", "stands 10 times or more"),
        (b"one\ntwo\n", "onetwo\n", "does not stand in a.md"),
        (b"one\ntwo\n", " one\n", "does not stand in a.md"),
        ("x\u0301\n".encode(), "x\u0300\n", "does not stand in a.md"),
        (b"\xff\xfe text\n", "text\n", "not in UTF-8"),
        (b"text\0\n", "text\n", "no text"),
        (b"text\n", "text\0\n", "does not stand"),
        (b"text\n" + b"x" * 4_000_000, "text\n", "more than 4,000,000 bytes"),
        (b"text\n", "text\n", "changes nothing"),
        (b"text\n", "", "exists already"),
        (b"text\n", "\n \n", "exists already"),
    ],
)
def test_what_cannot_be_replaced_is_refused_with_the_reason(tmp_path: Path, data: bytes, find: str, said: str) -> None:
    plan = planned(tmp_path, data, (find, "text\n"))
    assert not plan.changes
    assert said in plan.refused[0].reason


@pytest.mark.parametrize("put", ["a\0b\n", "a\ud800\n", "x" * 4_000_001])
def test_a_text_that_no_file_should_hold_is_not_put(tmp_path: Path, put: str) -> None:
    plan = planned(tmp_path, b"text\n", ("text\n", put), ("text\n", "sound\n"))
    assert plan.changes[0].after == b"sound\n"
    assert len(plan.refused) == 1
    new = plan_edits(tmp_path / "root", [EditBlock("new.md", "", put)], lambda path: "")
    assert not new.changes


def test_blocks_of_one_file_are_tried_in_their_order_and_a_refused_one_stops_none(tmp_path: Path) -> None:
    plan = planned(tmp_path, b"one\n", ("one\n", "two\n"), ("one\n", "three\n"), ("two\n", "four\n"))
    assert [(change.before, change.after) for change in plan.changes] == [(b"one\n", b"four\n")]
    assert [one.block.put for one in plan.refused] == ["three\n"]
    blocks = [EditBlock("new.md", "", "one\n"), EditBlock("new.md", "one\n", "two\n"), EditBlock("new.md", "", "x\n")]
    plan = plan_edits(tmp_path / "root", blocks, lambda path: "")
    assert [(change.before, change.after) for change in plan.changes] == [(None, b"two\n")]
    assert "exists already" in plan.refused[0].reason


def test_changes_that_cancel_each_other_are_none(tmp_path: Path) -> None:
    assert planned(tmp_path, b"one\n", ("one\n", "two\n"), ("two\n", "one\n")) == EditPlan()


def test_a_file_is_read_once_for_all_blocks(tmp_path: Path) -> None:
    """Whoever writes to it meanwhile does not make the blocks of an answer see different files."""
    blocks = [("none\n", "x\n"), ("none\n", "x\n"), ("two\n", "three\n")]

    def changing(path: str) -> str:
        before = (tmp_path / "root" / "a.md").read_bytes()
        (tmp_path / "root" / "a.md").write_bytes(before + b"two\n")
        return ""

    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.md").write_bytes(b"one\n")
    plan = plan_edits(tmp_path / "root", [EditBlock("a.md", *block) for block in blocks], changing)
    assert [(change.before, change.after) for change in plan.changes] == [(b"one\ntwo\n", b"one\nthree\n")]
    assert len(plan.refused) == 2


def test_a_second_name_of_a_changed_file_is_refused_also_when_it_was_read_before(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    (tmp_path / "b.md").hardlink_to(tmp_path / "a.md")
    blocks = [("b.md", "none\n", "x\n"), ("a.md", "one\n", "two\n"), ("b.md", "one\n", "three\n")]
    plan = plan_edits(tmp_path, [EditBlock(*block) for block in blocks], lambda path: "")
    assert [change.path for change in plan.changes] == ["a.md"]
    assert "b.md is the same file as a.md." in plan.refused[1].reason


def test_an_answer_of_endless_blocks_is_cut(tmp_path: Path) -> None:
    plan = planned(tmp_path, b"x\n", *((f"{number}\n", "y\n") for number in range(1005)))
    assert "more than 1000 blocks" in plan.refused[-1].reason


PAGE = "# Tokens\n\nA token expires after an hour.\nIt is renewed by the client.\n\n# Users\n\nA user has a name.\n"


@pytest.mark.parametrize(
    ("find", "line", "found"),
    [
        ("A token expires after one hour.\n", 3, "A token expires after an hour."),
        ("A  token expires\nafter an hour.\n", 3, "A token expires after an hour.\nIt is renewed by the client."),
        ("A user has name.\n", 8, "A user has a name."),
        ("A token expires after an hour.\nIt's renewed by clients.\n", 3, "A token expires after an hour.\nIt is"),
        ("Zebras!\nA user has the name.\nGiraffes!\n", 7, "\nA user has a name.\n"),
        ("Zebras!\nGiraffes!\nA token expires\n", 1, "# Tokens\n\nA token expires after"),
        ("# users\n\nA user has a  name.\n", 6, "# Users\n\nA user has a name."),
    ],
)
def test_the_nearest_text_is_told_with_its_line(tmp_path: Path, find: str, line: int, found: str) -> None:
    (refused,) = planned(tmp_path, PAGE.encode(), (find, "x\n")).refused
    assert refused.line == line
    assert refused.nearest.startswith(found)
    assert f" {line}" in refused.reason
    (same,) = planned(tmp_path, PAGE.replace("\n", "\r\n").encode(), (find, "x\n")).refused
    assert (same.line, same.nearest) == (refused.line, refused.nearest)


def test_where_nothing_is_like_it_nothing_is_told(tmp_path: Path) -> None:
    (refused,) = planned(tmp_path, PAGE.encode(), ("Zebras graze; giraffes don't!\n", "x\n")).refused
    assert refused == RefusedEdit(refused.block, refused.reason)
    assert "nothing like it" in refused.reason


def test_the_nearest_text_of_a_large_file_is_found(tmp_path: Path) -> None:
    lines = [f"Line {number} of a long file with words such as w{number * 7 % 1000}." for number in range(20_000)]
    data = "\n".join(lines).encode()
    assert len(data) > 1_000_000
    (refused,) = planned(tmp_path, data, (lines[12_345].replace("long", "very long"), "x")).refused
    assert (refused.line, refused.nearest) == (12_346, lines[12_345])


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "é", "a b"]), max_size=8)
ENDS = st.lists(st.sampled_from(["\n", "\r\n"]), min_size=8, max_size=8)


@given(LINES, LINES, ENDS, st.sampled_from(["", "\ufeff"]), st.sampled_from(["", "x"]))
def test_a_saved_text_has_the_line_ends_and_the_mark_of_its_file(
    old: list[str], new: list[str], ends: list[str], mark: str, last: str
) -> None:
    before = mark + "".join(line + end for line, end in zip(old, ends, strict=False)) + last
    wanted = "\n".join(new)
    after = with_line_ends_of(wanted, before)
    assert after.startswith("\ufeff") == bool(mark)
    assert after.removeprefix("\ufeff").replace("\r\n", "\n") == wanted
    assert with_line_ends_of(before.replace("\r\n", "\n"), before) == before
    if "\r" not in before:
        assert "\r" not in after
    elif "\n" not in before.replace("\r\n", ""):
        assert "\n" not in after.replace("\r\n", "")


def test_the_diff_is_one_that_git_understands(tmp_path: Path) -> None:
    for seed in range(60):
        told = story(seed)
        root = write_tree(tmp_path / str(seed), told.before)
        plan = plan_edits(root, blocks_of(told.answer), lambda path: "")
        if plan.changes:
            text = unified(plan).encode()
            git = ["git", "apply", "--unsafe-paths", "--whitespace=nowarn", "-p1"]
            subprocess.run(
                git, input=text, cwd=root, check=True, env={**os.environ, "GIT_CEILING_DIRECTORIES": str(root)}
            )
        assert {path: (root / path).read_bytes() for path in told.after} == told.after


def test_a_large_diff_is_not_compared_line_by_line() -> None:
    old, new = (b"".join(b"%d\n" % (number * step) for number in range(2000)) for step in (2, 3))
    text = unified(EditPlan((FileChange("a.md", b"x\n" + old, b"x\n" + new),)))
    assert text.startswith("--- a/a.md\n+++ b/a.md\n@@ -1,2001 +1,2001 @@\n x\n 0\n-2\n")
    assert text.count("\n-") == 1999 == text.count("\n+") - 1
