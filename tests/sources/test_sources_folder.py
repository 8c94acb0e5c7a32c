"""What a folder source lists, hands out and explains, on real trees."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kits.folder import documents, media
from kits.trees import write_tree
from pinakes.errors import NotFound
from pinakes.records import formats
from pinakes.sources import FolderOptions, FolderSource


def test_documents_are_known_by_their_endings_and_the_rest_are_assets(tmp_path: Path) -> None:
    names = "a.md b.markdown c.MDX d.svg e.txt f.rst g.adoc h.asciidoc i.org README LICENSE changelog j.py k l.md.bak"
    write_tree(tmp_path, dict.fromkeys(names.split(), "x"))
    assert media(tmp_path) == {
        "LICENSE": "text",
        "README": "text",
        "a.md": "markdown",
        "b.markdown": "markdown",
        "c.MDX": "markdown",
        "changelog": "text",
        "d.svg": "svg",
        "e.txt": "text",
        "f.rst": "rst",
        "g.adoc": "asciidoc",
        "h.asciidoc": "asciidoc",
        "i.org": "org",
        "j.py": "asset",
        "k": "asset",
        "l.md.bak": "asset",
    }


def test_stamps_are_sorted_by_path_and_change_with_size_or_time(tmp_path: Path) -> None:
    write_tree(tmp_path, {"b/a.md": "1", "a.md": "22", "a/z.md": "333", "a-b.md": ""})
    for path in ("b/a.md", "a.md", "a/z.md", "a-b.md"):
        os.utime(tmp_path / path, ns=(5, 1_700_000_000_123_456_789))
    source = FolderSource(tmp_path)
    stamps = source.scan().stamps
    assert [stamp.ref.path for stamp in stamps] == ["a-b.md", "a.md", "a/z.md", "b/a.md"]
    changed_ns = (tmp_path / "a.md").stat().st_ctime_ns
    assert stamps[1].version == f"2-1700000000123456789-{changed_ns}"
    assert source.scan().stamps == stamps
    os.utime(tmp_path / "a.md", ns=(5, 1_700_000_000_123_456_790))
    assert [old != new for old, new in zip(stamps, source.scan().stamps, strict=True)] == [False, True, False, False]


def test_a_file_from_the_future_keeps_its_version(tmp_path: Path) -> None:
    write_tree(tmp_path, {"later.md": "x"})
    os.utime(tmp_path / "later.md", ns=(5, 4_000_000_000_000_000_000))
    source = FolderSource(tmp_path)
    assert source.scan() == source.scan()
    assert source.scan().stamps[0].version.startswith("1-4000000000000000000-")


def test_hidden_things_are_never_documents_but_links_may_point_at_them(tmp_path: Path) -> None:
    write_tree(tmp_path, {".env": "SECRET", ".notes.md": "x", ".github/ci.yml": "x", ".github/guide.md": "x"})
    assert media(tmp_path) == dict.fromkeys([".env", ".github/ci.yml", ".github/guide.md", ".notes.md"], "asset")


def test_repositories_indexes_packages_environments_and_our_own_output_are_not_entered(tmp_path: Path) -> None:
    kept = {"a.md": "x", "web/b.md": "x"}
    out = [".git/c.md", ".hg/c.md", ".svn/c.md", ".pinakes/c.md", "node_modules/p/c.md", "web/node_modules/c.md"]
    out += ["env/pyvenv.cfg", "env/c.md", "site/.pinakes-published", "site/c.md"]
    write_tree(tmp_path, kept | dict.fromkeys(out, "x"))
    assert list(media(tmp_path)) == ["a.md", "web/b.md"]


def test_a_root_that_is_a_virtual_environment_itself_is_still_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyvenv.cfg": "", "a.md": "x"})
    assert documents(tmp_path) == ["a.md"]


def test_our_own_ignore_file_wins_over_git_s_at_every_level(tmp_path: Path) -> None:
    files = {
        ".gitignore": "*.txt\n",
        ".pinakesignore": "!notes.txt\ndrafts/\n",
        "sub/.gitignore": "notes.txt\n!b.txt\n",
    }
    paths = ["notes.txt", "b.txt", "sub/notes.txt", "sub/b.txt", "sub/c.txt", "drafts/a.md", "a.md"]
    write_tree(tmp_path, files | dict.fromkeys(paths, "x"))
    assert documents(tmp_path) == ["a.md", "notes.txt", "sub/b.txt", "sub/notes.txt"]


def test_excluded_files_vanish_and_files_that_are_not_included_become_assets(tmp_path: Path) -> None:
    write_tree(tmp_path, dict.fromkeys(["a.md", "docs/b.md", "docs/old/c.md", "docs/new/d.md", "x/docs/e.md"], "x"))
    options = FolderOptions(include=("/docs/", "!/docs/new/"), exclude=("old",))
    assert media(tmp_path, options) == {
        "a.md": "asset",
        "docs/b.md": "markdown",
        "docs/new/d.md": "asset",
        "x/docs/e.md": "asset",
    }
    assert documents(tmp_path, FolderOptions(include=("docs/*.md",))) == ["docs/b.md"]


def test_a_folder_inside_a_repository_obeys_the_repository_s_ignore_files(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            ".git/HEAD": "ref: x",
            ".git/info/exclude": "private.md\n",
            ".gitignore": "_build/\n/docs/drafts\n/a.md\ndocs\n",
            "docs/a.md": "x",
            "docs/_build/b.md": "x",
            "docs/drafts/c.md": "x",
            "docs/private.md": "x",
        },
    )
    assert documents(tmp_path / "docs") == ["a.md"]
    assert "_build/" in FolderSource(tmp_path / "docs").why("_build/b.md")


def test_a_worktree_and_a_submodule_bring_the_exclude_file_of_their_repository(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "main/.git/HEAD": "ref: x",
            "main/.git/info/exclude": "secret.md\n",
            "main/.git/worktrees/wt/HEAD": "ref: y",
            "main/.git/worktrees/wt/commondir": "../..\n",
            "main/.git/worktrees/wt/gitdir": f"{tmp_path}/wt/.git\n",
            "main/.git/modules/sub/HEAD": "ref: z",
            "main/.git/modules/sub/info/exclude": "hush.md\n",
            "main/sub/.git": "gitdir: ../.git/modules/sub\n",
            "main/sub/hush.md": "x",
            "main/sub/a.md": "x",
            "wt/.git": f"gitdir: {tmp_path}/main/.git/worktrees/wt\n",
            "wt/secret.md": "x",
            "wt/a.md": "x",
        },
    )
    assert documents(tmp_path / "wt") == ["a.md"]
    assert documents(tmp_path / "main") == ["sub/a.md"]


@pytest.mark.parametrize("content", [b"", b"gitdir:", b"gitdir: /dev/null\n", b"gitdir: /\n", b"\0" * 9000, b"\xff"])
def test_a_git_pointer_to_nowhere_is_ignored(tmp_path: Path, content: bytes) -> None:
    write_tree(tmp_path, {".git": content, "a.md": "x"})
    assert list(media(tmp_path)) == ["a.md"]


def test_a_repository_s_configuration_and_hooks_are_never_run(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "x", "planted/a.md": "x"})
    for folder in (tmp_path, tmp_path / "planted"):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        with (folder / ".git/config").open("a") as config:
            config.write(f"[core]\n fsmonitor = touch {tmp_path}/ran\n excludesFile = {tmp_path}/all\n")
    (tmp_path / "all").write_text("*\n")
    assert documents(tmp_path) == ["a.md", "planted/a.md"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("make", ["missing", "file"])
def test_a_root_that_is_no_folder_is_not_found(tmp_path: Path, make: str) -> None:
    root = tmp_path / "root"
    if make == "file":
        root.write_text("x")
    with pytest.raises(NotFound) as caught:
        FolderSource(root).scan()
    assert str(root) in caught.value.problem
    assert caught.value.next_step


def test_why_names_the_rule(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_tree(tmp_path, {"out.md": "x"})
    write_tree(
        root,
        {
            ".gitignore": "# outputs\nbuild/\n",
            ".pinakesignore": "*.draft.md\n",
            ".git/info/exclude": "mine.md\n",
            "a.md": "x",
            "b.py": "x",
            ".c.md": "x",
            "x.draft.md": "x",
            "mine.md": "x",
            "build/d.md": "x",
            "old/e.md": "x",
            "env/pyvenv.cfg": "",
            "env/f.md": "x",
            "big.md": "x" * 2000,
            "node_modules/g.md": "x",
            "Plan 1.rtf": "x",
        },
    )
    (root / "out.md").symlink_to("../out.md")
    (root / "in.md").symlink_to("a.md")
    (root / "mine2.md").symlink_to("mine.md")
    (root / "folder").symlink_to("build")
    os.mkfifo(root / "pipe.md")
    source = FolderSource(root, FolderOptions(exclude=("old/",), max_file_bytes=1000))
    said = {
        "a.md": "is indexed as markdown.",
        "./a.md": "is indexed as markdown.",
        f"{root}/a.md": "is indexed as markdown.",
        "in.md": "is indexed as markdown.",
        "b.py": "is not indexed, though links to it resolve: it is source code (python), which is read where "
        "code.enabled is true.",
        "Plan 1.rtf": "is not indexed, though links to it resolve: its name is not that of a document. "
        "Convert it first: pandoc 'Plan 1.rtf' -t gfm -o 'Plan 1.md'.",
        ".c.md": "is not indexed, though links to it resolve: it is hidden.",
        "x.draft.md": "is not indexed: .pinakesignore, line 1, says “*.draft.md”.",
        "mine.md": "is not indexed: .git/info/exclude, line 1, says “mine.md”.",
        "build/d.md": "is not indexed: the folder build is left out, because .gitignore, line 2, says “build/”.",
        "old/e.md": "is not indexed: the folder old is left out, because the exclude option says “old/”.",
        "env/f.md": "is not indexed: the folder env is left out, because "
        "it is a virtual environment (it holds pyvenv.cfg).",
        "node_modules/g.md": "is not indexed: the folder node_modules is left out, because "
        "it holds installed packages.",
        "big.md": "is not indexed: it holds 2,000 bytes, and max_file_bytes is 1,000.",
        "out.md": "is not indexed: it is a link to something outside the root.",
        "mine2.md": "is not indexed: it is a link to mine.md, which is left out, because "
        ".git/info/exclude, line 1, says “mine.md”.",
        "folder/d.md": "is not indexed: folder is a link, and links to folders are not entered.",
        "pipe.md": "is not indexed: it is a pipe, socket or device.",
        "nothing.md": "is not indexed: it does not exist.",
        "a.md/x": "is not indexed: a.md is not a folder.",
        "build": "is a folder that is left out, because .gitignore, line 2, says “build/”.",
        "../out.md": f"is not indexed: it does not name a file below {root}.",
        "/etc/passwd": f"is not indexed: it does not name a file below {root}.",
    }
    assert {path: source.why(path) for path in said} == {path: f"{path} {reason}" for path, reason in said.items()}
    included = FolderSource(root, FolderOptions(include=("docs/",))).why("a.md")
    assert included == "a.md is not indexed, though links to it resolve: no pattern of the include option matches it."


def test_why_agrees_with_the_scan_about_every_file(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "*.txt\nb/\n!b/\n", "b/.gitignore": "!x.txt\n/c.md"})
    write_tree(tmp_path, dict.fromkeys(["a.md", "a.txt", "b/x.txt", "b/y.txt", "b/c.md", "b/d/c.md", "b/z.py"], "x"))
    source = FolderSource(tmp_path)
    indexed = {stamp.ref.path for stamp in source.scan().stamps if stamp.media is not formats.ASSET}
    every = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {path for path in every if " is indexed as " in source.why(path)} == indexed
