"""The ignore rules are git's: the same trees, judged by git itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kits.trees import write_tree
from pinakes.sources import FolderSource


def listed(root: Path) -> set[str]:
    return {stamp.ref.path for stamp in FolderSource(root).scan().stamps}


def kept_by_git(root: Path) -> set[str]:
    """All files git would offer to add, by its own reading of the ignore files and of nothing else."""
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    if not (root / ".git").exists():
        subprocess.run(["git", "init", "-q", "."], cwd=root, env=clean, check=True)
    done = subprocess.run(
        ["git", "-c", "core.ignorecase=false", "ls-files", "-z", "-o", "--exclude-standard"],
        cwd=root,
        env=clean,
        check=True,
        capture_output=True,
    )
    return {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}


PATHS = """
a.md b.txt keep.md drop.md build/a.md build/keep.md build/deep/a.md src/build src/a.o src/lib/a.o src/lib/b.md
docs/_build/x.md docs/x.md docs/a/b/c/x.md docs/a/x.md foobar foo/bar.md# x#.md #hash.md !bang.md sp.md\\
foo1/bar foo1/x/bar logs/debug.log logs/2024/debug.log é.md ü/é.md [a].md a]b.md UPPER.MD x.y.z
fooX/Y/bar a/b a/x/b a/x/y/b
"""
FILES = dict.fromkeys([*PATHS.split(), "tab\t.md", "b.txt "], "text")

LINES = """*.md
!keep.md
build
/build
build/
src/build/
/src/*.o
src/**/*.o
**/a.md
docs/**
docs/**/x.md
!docs/x.md
foo*
!foobar
foo1/**/bar
foo**/bar
a/**/b
**/x/**
logs/*.log
logs/**/debug.log
\\#hash.md
\\!bang.md
#hash.md
[a-c].md
[!a].md
[^a].md
[[:alpha:]].md
[[:nope:]].md
[]a].md
[a
\\[a\\].md
?.md
??.md
*/
/*
!/docs
!/docs/
*.*
x.y.*
*.o
**
/
!
\\
docs/a/
docs/*/x.md
docs/a*/x.md
a?/b
**/b
**b
tab\t.md
UPPER.md
[A-Z]*.MD
*é*
[é].md
[z-a].md
[a-].md
[\\]].md
a/*
!a/x
src/lib/
/src/lib"""
PATTERNS = [*LINES.split("\n"), "b.txt   ", "b.txt\\ ", "b.txt\\\\ "]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_ignores_what_git_ignores(tmp_path: Path, pattern: str) -> None:
    write_tree(tmp_path, FILES)
    (tmp_path / ".gitignore").write_text(pattern + "\n")
    assert listed(tmp_path) == kept_by_git(tmp_path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    top=st.lists(st.sampled_from(PATTERNS), max_size=6),
    nested=st.lists(st.sampled_from(PATTERNS), max_size=4),
    info=st.lists(st.sampled_from(PATTERNS), max_size=2),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_ignore_files_at_every_level_add_up_as_in_git(
    tmp_path_factory: pytest.TempPathFactory, top: list[str], nested: list[str], info: list[str], ending: str
) -> None:
    root = write_tree(tmp_path_factory.mktemp("tree"), FILES)
    kept_by_git(root)
    for path, lines in ((".gitignore", top), ("docs/.gitignore", nested), (".git/info/exclude", info)):
        (root / path).write_bytes(ending.join(lines).encode())
    assert listed(root) == kept_by_git(root)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(patterns=st.lists(st.text("ab*?/[]!-\\^.: ", min_size=1, max_size=8), min_size=1, max_size=3))
def test_any_pattern_of_wildcards_is_read_as_git_reads_it(
    tmp_path_factory: pytest.TempPathFactory, patterns: list[str]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    names = ["a", "b", "ab", "ba", "a-b", "a.b", "[", "]", "!a", "a b", "^", "x"]
    write_tree(root, {f"{folder}{name}.f": "" for folder in ("", "a/", "b/", "a/b/", "ab/") for name in names})
    (root / ".gitignore").write_text("\n".join(patterns))
    assert listed(root) == kept_by_git(root)
