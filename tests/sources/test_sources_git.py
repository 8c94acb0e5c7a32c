"""Commits as a source: which of them count, what is read of them, and what becomes of damaged ones."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from kits.git import Repo, documents, listed, needs_git, text
from kits.scratch import ScratchStore
from pinakes.errors import Unreadable
from pinakes.index.sync import sync
from pinakes.parse import parse
from pinakes.records import HISTORY, Ref, Scan, Stamp, formats
from pinakes.sources import GitSource, HistoryOptions

pytestmark = needs_git


def test_a_commit_is_a_document_with_its_message_author_dates_files_and_difference(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    first = repo.commit("Begin", {"src/app.py": "one\ntwo\n"})
    second = repo.commit("Say three\n\nBecause two is not enough.", {"src/app.py": "one\nthree\n", "new.md": "# New\n"})
    found = documents(tmp_path)[second]
    assert found.title == "Say three"
    assert found.stamp == Stamp(Ref(HISTORY, second), found.stamp.version, formats.COMMIT)
    assert found.metadata.author == "Ada Lovelace <ada@example.org>"
    assert (found.metadata.created[:10], found.metadata.modified[:10]) == ("2026-01-02", "2026-01-02")
    assert json.loads(found.metadata.extra) == {
        "repository": ".",
        "parents": [first],
        "committer": "Ada Lovelace <ada@example.org>",
        "files": ["new.md", "src/app.py"],
    }
    assert text(found) == (
        "Say three\n\nBecause two is not enough.\n\nAuthor: Ada Lovelace <ada@example.org>, 2026-01-02\n\n"
        "Files:\n- new.md (added)\n- src/app.py (changed)\n\n## Diff\n\n```diff\n"
        "diff --git a/new.md b/new.md\nnew file mode 100644\n--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+# New\n"
        "diff --git a/src/app.py b/src/app.py\n--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@\n"
        " one\n-two\n+three\n```\n"
    )
    assert [(section.anchor, section.title, section.level) for section in found.sections] == [
        ("", "", 0),
        ("diff", "Diff", 2),
    ]
    assert found.text(found.sections[1].span).startswith("## Diff\n")
    (block,) = found.code
    assert (block.section, block.language) == (1, "diff")
    assert found.text(block.span).startswith("```diff\n")
    assert found.sections[0].lines == (0, text(found).count("\n"))
    assert text(found).splitlines()[found.sections[1].lines.start] == "## Diff"


def test_the_first_200_lines_of_a_difference_are_kept_and_the_rest_is_counted(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    value = repo.commit("Long", {"long.txt": "".join(f"line {number}\n" for number in range(1000))})
    found = documents(tmp_path)[value]
    lines = text(found).partition("```diff\n")[2].partition("```\n")[0].splitlines()
    assert len(lines) == 200
    assert lines[-1] == "+line 194"
    assert text(found).endswith("\n805 more lines are left out.\n")
    assert json.loads(found.metadata.extra)["diff_lines_left_out"] == 805


def test_branches_tags_and_a_detached_head_count_and_stashes_and_remotes_do_not(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "work")
    first = repo.commit("first", {"a": "1"})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side", {"b": "1"})
    repo.git("checkout", "-q", "main")
    gone = repo.commit("only tagged", {"c": "1"})
    repo.git("tag", "-a", "-m", "noted", "v1")
    repo.git("reset", "-q", "--hard", first)
    light = repo.commit("light", {"d": "1"})
    repo.git("tag", "light")
    repo.git("reset", "-q", "--hard", first)
    repo.git("checkout", "-q", "--detach")
    detached = repo.commit("detached", {"e": "1"})
    (repo.folder / "a").write_text("stashed")
    repo.git("stash")
    repo.git("update-ref", "refs/remotes/origin/x", repo.git("rev-parse", "stash"))
    expected = {first, side, gone, light, detached}
    assert listed(repo.folder) == expected
    repo.git("pack-refs", "--all")
    assert listed(repo.folder) == expected


def test_rewritten_history_drops_the_old_commits_and_finds_the_new(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    base = repo.commit("base", {"a": "1"})
    repo.git("checkout", "-q", "-b", "topic")
    old = repo.commit("topic", {"b": "1"})
    repo.git("checkout", "-q", "main")
    new_base = repo.commit("main moves on", {"c": "1"})
    assert listed(tmp_path) == {base, old, new_base}
    repo.git("checkout", "-q", "topic")
    repo.git("rebase", "-q", "main")
    assert old not in listed(tmp_path)
    assert listed(tmp_path) == {base, new_base, repo.head()}


def test_a_merge_brings_in_commits_with_old_dates(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    base = repo.commit("base", {"a": "1"})
    repo.git("checkout", "-q", "-b", "old")
    old = repo.commit("written long ago", {"b": "1"}, date="1999-01-01T00:00:00+00:00")
    repo.git("checkout", "-q", "main")
    late = repo.commit("late", {"c": "1"})
    repo.git("merge", "-q", "-m", "Merge the old branch", "old")
    repo.git("branch", "-D", "old")
    assert listed(tmp_path) == {base, old, late, repo.head()}
    merge = documents(tmp_path)[repo.head()]
    assert json.loads(merge.metadata.extra)["parents"] == [late, old]


def test_a_merge_that_settles_a_conflict_shows_how(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit("base", {"a": "1\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"a": "2\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"a": "3\n"})
    repo.git("merge", "-q", "side", check=False)
    value = repo.commit("Settle it", {"a": "23\n"})
    merge = documents(tmp_path)[value]
    assert json.loads(merge.metadata.extra)["files"] == ["a"]
    assert "++23" in text(merge)


def test_a_renamed_file_is_found_by_both_of_its_names(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit("base", {"old name.txt": "some text\nthat stays\n"})
    repo.git("mv", "old name.txt", "nöw.txt")
    value = repo.commit("move")
    found = documents(tmp_path)[value]
    assert json.loads(found.metadata.extra)["files"] == ["old name.txt", "nöw.txt"]
    assert "- old name.txt (renamed away)\n- nöw.txt (renamed to)\n" in text(found)
    assert "rename to nöw.txt" in text(found)


def test_a_glance_changes_with_refs_only_and_costs_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo(tmp_path)
    repo.commit("first", {"a": "1"})
    source = GitSource([tmp_path])
    snapshots = [source.snapshot()]
    (tmp_path / "a").write_text("2")
    snapshots.append(source.snapshot())
    repo.commit("second")
    snapshots.append(source.snapshot())
    repo.git("pack-refs", "--all")
    snapshots.append(source.snapshot())
    repo.git("tag", "v1", "HEAD~1")
    snapshots.append(source.snapshot())
    monkeypatch.setenv("PATH", "")  # and once git is there again, what it was needed for is tried again
    snapshots.append(source.snapshot())
    assert [one == other for one, other in pairwise(snapshots)] == [True, False, True, False, False]
    assert GitSource([tmp_path], HistoryOptions(enabled=False)).snapshot() != snapshots[-1]


def test_a_source_travels_to_another_process_and_reads_there(tmp_path: Path) -> None:
    one, other = Repo(tmp_path / "one"), Repo(tmp_path / "other")
    values = {one.commit("one", {"a": "1"}), other.commit("other", {"a": "2"})}
    source = GitSource([tmp_path])
    stamps = source.scan().stamps
    source.read(stamps[0])
    copy = pickle.loads(pickle.dumps(source))
    assert {parse(copy.read(stamp)).ref.path for stamp in reversed(stamps)} == values


def test_commits_are_read_in_any_order_whatever_was_expected(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    for number in range(300):
        repo.commit(f"number {number}", date=f"2026-01-01T00:{number // 60:02}:{number % 60:02}+00:00")
    source = GitSource([tmp_path])
    stamps = source.scan().stamps
    plain = {stamp: GitSource([tmp_path]).read(stamp).digest for stamp in stamps[::50]}
    for order in (stamps, stamps[::-1], stamps[::3], stamps[5:] + stamps[:5]):
        source.expect(order)
        for stamp in order[::2] if order is stamps else order:
            raw = source.read(stamp)
            assert raw.stamp == stamp
            assert plain.get(stamp, raw.digest) == raw.digest


def _spoil(path: Path) -> None:
    """Write something else where an object was."""
    path.chmod(0o644)
    path.write_bytes(b"not an object")


def test_a_commit_that_is_damaged_fails_alone(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    good = repo.commit("good", {"a": "1"})
    bad = repo.commit("bad", {"a": "2", "b": "unique"})
    last = repo.commit("last", {"c": "3"})
    blob = repo.git("rev-parse", f"{bad}:b")
    _spoil(tmp_path / ".git/objects" / blob[:2] / blob[2:])
    found = documents(tmp_path)
    assert {found[value].title for value in (good, bad, last)} == {"good", "bad", "last"}
    assert "could not be told" in text(found[bad])
    assert "could not be told" not in text(found[last])
    tree = repo.git("rev-parse", f"{bad}^{{tree}}")
    _spoil(tmp_path / ".git/objects" / tree[:2] / tree[2:])
    assert documents(tmp_path)[bad].title == "bad"


def test_what_cannot_be_reached_any_more_does_not_make_the_rest_vanish(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    first = repo.commit("first", {"a": "1"})
    last = repo.commit("last", {"a": "2"})
    _spoil(tmp_path / ".git/objects" / first[:2] / first[2:])
    scan = GitSource([tmp_path]).scan()
    assert {stamp.ref.path for stamp in scan.stamps} <= {first, last}
    # A failure at the root: what was known before is kept.
    assert [failure.ref.path for failure in scan.failures] == ["."]


def test_a_branch_that_names_nothing_takes_nothing_else_along(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    value = repo.commit("first", {"a": "1"})
    (tmp_path / ".git/refs/heads/dead").write_text("0123456789" * 4 + "\n")
    (tmp_path / ".git/refs/heads/odd").write_text("--all\n")
    (tmp_path / ".git/refs/heads/link").symlink_to("/etc/passwd")
    assert listed(tmp_path) == {value}


def test_messages_in_other_encodings_and_names_with_control_characters_are_read(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repo.git("commit", "-q", "--allow-empty", "-F", "-", stdin="Größe ändern\n".encode("latin-1"))
    repo.git("config", "--unset", "i18n.commitEncoding")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    people = "author \x1b[31mEve\x07 <e> 99999999999999999 +9999\ncommitter x <> -1 +0000"
    raw = f"tree {tree}\n{people}\n\n\x1b]0;t\x07 \xff\n"
    value = repo.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw.encode("latin-1"))
    repo.git("update-ref", "refs/heads/odd", value)
    found = documents(tmp_path)
    assert {one.title for one in found.values()} >= {"Größe ändern"}
    assert found[value].metadata.author.startswith("\x1b[31mEve\x07")
    found[value].source.decode()


def test_enormous_messages_commits_and_files_are_cut_and_say_so(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit("x" * 30_000_000, {"a": "1"})
    many = repo.commit("many files", {f"d{number % 50}/{number}.txt": "one line\n" for number in range(3000)})
    large = repo.commit("large", {"large.txt": "some text\n" * 500_000})
    found = documents(tmp_path)
    huge = next(one for one in found.values() if one.title.startswith("xxx"))
    assert len(huge.source) < 300_000
    assert huge.warnings
    assert json.loads(found[many].metadata.extra)["files_left_out"] == 1000
    assert "Binary files /dev/null and b/large.txt differ" in text(found[large])


def test_a_process_that_was_killed_is_started_again(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit("first", {"a": "1"})
    repo.commit("second", {"a": "2"})
    source = GitSource([tmp_path])
    stamps = source.scan().stamps
    source.read(stamps[0])
    (reader,) = source._readers.values()
    assert reader._process is not None
    reader._process.kill()
    reader._process.wait()
    assert parse(source.read(stamps[1])).title == "first"


def test_what_is_no_hash_or_no_commit_is_unreadable(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit("first", {"a": "1"})
    source = GitSource([tmp_path])
    for path in ("--all", "HEAD", "main", "", "0" * 40, repo.git("rev-parse", "HEAD:a")):
        with pytest.raises(Unreadable):
            source.read(Stamp(Ref(HISTORY, path), "", formats.COMMIT))


def test_without_git_history_is_off_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit("first", {"a": "1"})
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    (failure,) = GitSource([repo.folder]).scan().failures
    assert (failure.ref.path, failure.reason) == (".", "git is not installed, so there is no history.")
    assert "Install git" in failure.next_step
    planted = tmp_path / "r/bin"
    planted.mkdir()
    (planted / "git").write_text("#!/bin/sh\ntouch marker\necho git version 2.99\n")
    (planted / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(planted))
    (failure,) = GitSource([repo.folder]).scan().failures
    assert "lies among the documents" in failure.reason
    old = tmp_path / "old"
    old.mkdir()
    (old / "git").write_text("#!/bin/sh\necho git version 1.8.3\n")
    (old / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(old))
    (failure,) = GitSource([repo.folder]).scan().failures
    assert failure.reason == "git 1.8 is too old to read history safely."


def test_objects_borrowed_from_outside_are_not_read(tmp_path: Path) -> None:
    private = Repo(tmp_path / "private")
    private.commit("secret", {"a": "1"})
    private.git("clone", "-q", "--shared", ".", str(tmp_path / "docs"))
    scan = GitSource([tmp_path / "docs"]).scan()
    assert scan.stamps == ()
    assert "borrows objects from outside" in scan.failures[0].reason
    assert len(GitSource([tmp_path]).scan().stamps) == 1  # inside the root it is lent


def test_a_single_object_that_is_a_link_out_of_the_library_is_not_read(tmp_path: Path) -> None:
    private = Repo(tmp_path / "private")
    repo = Repo(tmp_path / "docs")
    for one in (private, repo):
        one.commit("secret", {"a": "1"})
    blob = repo.git("rev-parse", "HEAD:a").strip()
    loose = Path(".git/objects", blob[:2], blob[2:])
    (repo.folder / loose).unlink()
    (repo.folder / loose).symlink_to(private.folder / loose)
    scan = GitSource([repo.folder]).scan()
    assert scan.stamps == ()
    assert "outside of the library" in scan.failures[0].reason


def test_a_repository_that_is_refused_keeps_nothing_else_from_being_forgotten(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "one")
    repo.commit("first", {"a": "1"})
    gone = repo.commit("second", {"a": "2"})
    (tmp_path / "two/.git/reftable").mkdir(parents=True)
    (tmp_path / "two/.git/objects").mkdir()
    (tmp_path / "three/.git").mkdir(parents=True)  # no repository at all
    store = ScratchStore()
    report = sync(GitSource([tmp_path]), store)
    assert [(failure.ref.path, "reftable" in failure.reason) for failure in report.failed] == [("two/.git", True)]
    repo.git("reset", "-q", "--hard", "HEAD~1")
    sync(GitSource([tmp_path]), store)
    assert gone not in store.files(HISTORY)


def test_switched_off_it_lists_nothing(tmp_path: Path) -> None:
    Repo(tmp_path).commit("first", {"a": "1"})
    assert GitSource([tmp_path], HistoryOptions(enabled=False)).scan() == Scan(())


def test_nothing_is_written_into_a_repository(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit("first", {"a": "1"})

    def state() -> dict[str, int]:
        return {str(path): os.lstat(path).st_mtime_ns for path in tmp_path.rglob("*")}

    before = state()
    documents(tmp_path)
    assert state() == before


def test_no_process_is_left_when_a_source_is_gone(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit("first", {"a": "1"})
    source = GitSource([tmp_path])
    source.read(source.scan().stamps[0])
    (reader,) = source._readers.values()
    process = reader._process
    assert isinstance(process, subprocess.Popen)
    del source, reader
    assert process.returncode is not None
