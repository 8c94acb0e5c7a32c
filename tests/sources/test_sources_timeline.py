"""Which commit last touched what, compared with what git itself says."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest

from kits.commit import commit, git, repository
from pinakes.records import is_test_file
from pinakes.sources.git.defining_lines import definition_in, made_in
from pinakes.sources.git.past import read_past
from pinakes.sources.git.timeline import NOT_COMMITTED, read_timeline


def blamed(folder: Path, path: str) -> list[str]:
    said = git(folder, "blame", "--first-parent", "--root", "-s", "-l", path)
    return [line.split(" ", 1)[0] for line in said.splitlines()]


@pytest.mark.parametrize("seed", range(6))
def test_lines_have_the_commits_that_blame_gives_them(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder, lines = repository(tmp_path), [f"line {number}" for number in range(12)]
    name = "a.md"
    for day in range(1, 25):
        for _ in range(chance.randrange(1, 4)):
            place = chance.randrange(len(lines) + 1)
            kind = chance.choice(["put", "drop", "change"])
            if kind == "put" or len(lines) < 4:
                lines[place:place] = [f"new {seed} {day} {chance.random()}"] * chance.randrange(1, 3)
            elif kind == "drop":
                del lines[place : place + chance.randrange(1, 3)]
            else:
                lines[min(place, len(lines) - 1)] = f"changed {day} {chance.random()}"
        moved = f"b{day}.md" if day % 10 == 0 else name
        end = "" if day % 7 == 0 else "\n"
        commit(folder, {name: None, moved: "\n".join(lines) + end} if moved != name else {name: "\n".join(lines) + end})
        name = moved
    timeline = read_timeline(folder, {name: (folder / name).read_bytes()}, frozenset())
    assert timeline is not None
    assert [timeline.moments[at].hash for at in timeline.lines[name]] == blamed(folder, name)


def test_what_is_not_committed_yet_is_the_newest(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    commit(folder, {"a.md": "one\ntwo\nthree\n"})
    (folder / "a.md").write_text("one\n2\nthree\nfour\n")
    timeline = read_timeline(folder, {"a.md": (folder / "a.md").read_bytes()}, frozenset())
    assert timeline is not None
    assert list(timeline.lines["a.md"]) == [0, NOT_COMMITTED, 0, NOT_COMMITTED]


def test_a_merge_counts_when_it_was_merged(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    commit(folder, {"a.md": "one\n", "b.py": "x = 1\n"}, day=1)
    git(folder, "checkout", "-q", "-b", "side")
    commit(folder, {"b.py": "x = 2\n"}, day=2)
    git(folder, "checkout", "-q", "main")
    commit(folder, {"a.md": "one\ntwo\n"}, day=3)
    git(folder, "merge", "-q", "--no-ff", "-m", "Merge", "side", at="2026-01-04T00:00:00Z")
    timeline = read_timeline(folder, {"a.md": b"one\ntwo\n"}, frozenset())
    assert timeline is not None
    assert timeline.files["b.py"].position == 0
    assert timeline.moments[0].day == "2026-01-04"
    assert list(timeline.lines["a.md"]) == [2, 1]


def test_a_root_below_the_repository_sees_its_own_files(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    commit(folder, {"docs/a.md": "one\n", "src/x.py": "x\n"})
    timeline = read_timeline(folder / "docs", {"a.md": b"one\n"}, frozenset())
    assert timeline is not None
    assert set(timeline.files) == {"a.md"}
    assert list(timeline.lines["a.md"]) == [0]


def test_files_are_told_to_be_gone_or_moved(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    text = "".join(f"line {number}\n" for number in range(20))
    commit(folder, {"a.py": text, "b.py": "other\n", "with space.py": "x\n"})
    commit(folder, {"a.py": None, "c.py": text, "b.py": None, "with space.py": "y\n"})
    timeline = read_timeline(folder, {}, frozenset())
    assert timeline is not None
    assert timeline.files["a.py"].moved_to == "c.py"
    assert timeline.files["b.py"].is_gone
    assert timeline.files["with space.py"].position == 0


def test_without_a_repository_there_is_none(tmp_path: Path) -> None:
    assert read_timeline(tmp_path, {"a.md": b""}, frozenset()) is None
    assert read_timeline(repository(tmp_path / "empty"), {"a.md": b""}, frozenset()) is None


def test_a_large_file_of_a_commit_is_passed_over_without_being_held(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    large = "x" * 30_000_000
    tip = commit(folder, {"a.py": "a = 1\n", "large.py": large, "empty.py": "", "z.py": "z = 1\n"}, day=1)
    asked = [(tip, path) for path in ("a.py", "large.py", "gone.py", "empty.py", "z.py")]
    tracemalloc.start()
    try:
        assert list(read_past(folder, asked)) == [
            ((tip, "a.py"), b"a = 1\n"),
            ((tip, "empty.py"), b""),
            ((tip, "z.py"), b"z = 1\n"),
        ]
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("path", ["tests/a.py", "src/ATest.java", "a-spec.ts", "conftest.py", "specs/a.rb"])
def test_tests_make_no_names(path: str) -> None:
    assert is_test_file(path)
    assert not made_in(path, b"class Made: ...")
    assert made_in("latest/contest.py", b"class Made: ...") == {b"Made"}


@pytest.mark.parametrize(
    "text", [b"def (" * 100_000, b"option" * 100_000, b"let " * 100_000, b"'--a'" + b" " * 300_000]
)
def test_names_are_sought_in_time_by_the_length_of_a_line(text: bytes) -> None:
    made_in("code.py", text)
    definition_in(text)


class _Unreadable(dict[str, bytes]):
    """Documents that are listed, and cannot be looked at again."""

    def __getitem__(self, path: str) -> bytes:
        raise RuntimeError(path)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
def test_git_ends_when_the_reading_does_whoever_still_holds_the_error(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    commit(folder, {"a.md": "one\n"})
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(RuntimeError) as held:
        read_timeline(folder, _Unreadable({"a.md": b"two\n"}), frozenset())
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert held.tb is not None


def test_a_committed_file_of_any_size_is_not_held(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    commit(folder, {"a.md": "\n" * 40_000_000})
    tracemalloc.start()
    try:
        timeline = read_timeline(folder, {"a.md": b"one\n"}, frozenset())
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert timeline is not None
    assert list(timeline.lines["a.md"]) == [NOT_COMMITTED]


def test_texts_that_differ_everywhere_are_not_compared_line_by_line(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    before = "".join(f"{number % 2}\n" for number in range(60_000))
    now = "".join(f"{number % 3}\n" for number in range(60_000))
    commit(folder, {"a.md": f"head\n{before}tail\n"})
    timeline = read_timeline(folder, {"a.md": f"head\n{now}tail\n".encode()}, frozenset())
    assert timeline is not None
    lines = list(timeline.lines["a.md"])
    assert (lines[0], lines[30_000], lines[-1]) == (0, NOT_COMMITTED, 0)
