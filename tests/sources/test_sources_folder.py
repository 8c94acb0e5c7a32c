"""What a folder source lists, hands out and explains, on real trees."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.errors import NotFound, Unreadable
from pinakes.records import Media, Ref, Stamp, formats
from pinakes.sources import FolderOptions, FolderSource

DEFAULTS = FolderOptions()


def media(root: Path, options: FolderOptions = DEFAULTS) -> dict[str, str]:
    return {stamp.ref.path: stamp.media.name for stamp in FolderSource(root, options).scan().stamps}


def documents(root: Path, options: FolderOptions = DEFAULTS) -> list[str]:
    return [path for path, kind in media(root, options).items() if kind != "asset"]


def stamp_at(path: str, kind: Media = formats.MARKDOWN) -> Stamp:
    return Stamp(Ref("docs", path), "1-1", kind)


@pytest.fixture
def open_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that other users can reach, unlike pytest's own."""
    folder = Path("/tmp") / f"pinakes-{os.getpid()}-{tmp_path.name}"
    folder.mkdir(mode=0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def as_nobody() -> Iterator[None]:
    """The superuser may read everything, so permission tests run as somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


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
    assert stamps[1].version == "2-1700000000123456789"
    assert source.scan().stamps == stamps
    os.utime(tmp_path / "a.md", ns=(5, 1_700_000_000_123_456_790))
    assert [old != new for old, new in zip(stamps, source.scan().stamps, strict=True)] == [False, True, False, False]


def test_a_file_from_the_future_keeps_its_version(tmp_path: Path) -> None:
    write_tree(tmp_path, {"later.md": "x"})
    os.utime(tmp_path / "later.md", ns=(5, 4_000_000_000_000_000_000))
    source = FolderSource(tmp_path)
    assert source.scan() == source.scan()
    assert source.scan().stamps[0].version == "1-4000000000000000000"


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


def test_links_to_files_inside_count_and_links_outside_or_to_hidden_or_ignored_files_do_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_tree(tmp_path, {"outside.md": "secret", "root-evil/x.md": "secret"})
    write_tree(root, {"a.md": "inside", ".env": "SECRET", "img.png": "x", "drop.md": "x", ".gitignore": "drop.md"})
    (root / "sub").mkdir()
    for name, target in {
        "inside.md": "../a.md",
        "again.md": "inside.md",
        "absolute.md": f"{root}/a.md",
        "outside.md": "../../outside.md",
        "evil.md": f"{tmp_path}/root-evil/x.md",
        "passwd.md": "/etc/passwd",
        "hidden.md": "../.env",
        "ignored.md": "../drop.md",
        "gone.md": "nothing.md",
        "loop.md": "loop.md",
        "folder.md": "..",
        "img2.png": "../img.png",
    }.items():
        (root / "sub" / name).symlink_to(target)
    found = media(root)
    assert [path for path in found if path.startswith("sub/")] == [
        "sub/absolute.md",
        "sub/again.md",
        "sub/img2.png",
        "sub/inside.md",
    ]
    source = FolderSource(root)
    assert source.scan().failures == ()
    assert source.read(stamp_at("sub/again.md")).data == b"inside"
    for name in ("outside", "evil", "passwd", "hidden", "gone", "loop", "folder"):
        with pytest.raises(Unreadable):
            source.read(stamp_at(f"sub/{name}.md"))


def test_links_to_folders_are_not_entered_so_loops_end(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/b/c.md": "x"})
    (tmp_path / "a/b/up").symlink_to("../..")
    (tmp_path / "a/self").symlink_to(".")
    (tmp_path / "twin").symlink_to("a")
    assert list(media(tmp_path)) == ["a/b/c.md"]


def test_a_root_given_through_a_link_is_the_folder_it_leads_to(tmp_path: Path) -> None:
    write_tree(tmp_path / "real", {"a.md": "x"})
    (tmp_path / "alias").symlink_to("real")
    source = FolderSource(tmp_path / "alias")
    (stamp,) = source.scan().stamps
    assert source.read(stamp).data == b"x"


def test_a_link_swapped_in_after_the_scan_leads_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_tree(tmp_path, {"out/deep/a.md": "secret", "out/b.md": "secret"})
    write_tree(root, {"deep/a.md": "x", "b.md": "x"})
    source = FolderSource(root)
    below, above = source.scan().stamps[::-1]
    shutil.rmtree(root / "deep")
    (root / "b.md").unlink()
    (root / "deep").symlink_to(tmp_path / "out/deep")
    (root / "b.md").symlink_to(tmp_path / "out/b.md")
    for stamp in (below, above):
        with pytest.raises(Unreadable, match="outside the root"):
            source.read(stamp)


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "sub/../../secret.md",
        "/etc/passwd",
        "",
        ".",
        "..",
        "sub//a.md",
        "./sub/a.md",
        "a\0.md",
        "a.md/",
        "a.md/b.md",
        ".env",
        "sub/.hidden.md",
        ".git/config",
        "x/" * 3000 + "a.md",
        "n" * 5000,
        "..\\secret.md",
        "sub",
        "missing.md",
    ],
)
def test_only_paths_of_documents_below_the_root_are_read(tmp_path: Path, path: str) -> None:
    write_tree(tmp_path, {"secret.md": "secret", "root/.env": "secret", "root/.git/config": "secret"})
    write_tree(tmp_path / "root", {"sub/a.md": "x", "sub/.hidden.md": "x", "a.md": "x"})
    with pytest.raises(Unreadable) as caught:
        FolderSource(tmp_path / "root").read(stamp_at(path))
    assert caught.value.next_step


def test_assets_are_not_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "x"})
    source = FolderSource(tmp_path)
    with pytest.raises(Unreadable, match="not a document"):
        source.read(source.scan().stamps[0])


def test_pipes_and_sockets_are_neither_listed_nor_waited_for(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "x"})
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(tmp_path)
        try:
            listener.bind("socket.md")
        finally:
            os.chdir(here)
    source = FolderSource(tmp_path)
    assert list(media(tmp_path)) == ["a.md"]
    for name in ("pipe.md", "socket.md"):
        with pytest.raises(Unreadable):
            source.read(stamp_at(name))


def test_a_file_over_the_limit_is_refused_without_reading_it(tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(3_000_000_000)
    write_tree(tmp_path, {"just.md": b"x" * 100, "over.md": b"x" * 101})
    source = FolderSource(tmp_path, FolderOptions(max_file_bytes=100))
    assert len(source.read(stamp_at("just.md")).data) == 100
    for name in ("huge.md", "over.md"):
        with pytest.raises(Unreadable, match="more than 100 bytes"):
            source.read(stamp_at(name))


def test_equal_bytes_have_equal_digests(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "same", "b.md": "same", "c.md": "other", "empty.md": ""})
    source = FolderSource(tmp_path)
    a, b, c, empty = (source.read(stamp) for stamp in source.scan().stamps)
    assert a.digest == b.digest != c.digest
    assert len(a.digest) == 32
    assert (a.data, empty.data) == (b"same", b"")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_any_name_a_file_system_allows_is_listed_and_read(tmp_path: Path) -> None:
    names = [
        b"caf\xe9.md",
        b"line\nbreak.md",
        b"A.md",
        b"a.md",
        "\u00e9.md".encode(),
        "e\u0301.md".encode(),
        b" .md",
        b"\x1b[1m.md",
    ]
    for name in names:
        with open(os.fsencode(tmp_path) + b"/" + name, "wb") as file:
            file.write(name)
    source = FolderSource(tmp_path)
    stamps = source.scan().stamps
    assert sorted(os.fsencode(stamp.ref.path) for stamp in stamps) == sorted(names)
    for stamp in stamps:
        assert source.read(stamp).data == os.fsencode(stamp.ref.path)
        assert Ref.parse(str(stamp.ref)) == stamp.ref
        assert source.why(stamp.ref.path).endswith("is indexed as markdown.")


def test_a_folder_too_deep_to_be_named_is_a_failure_and_the_rest_is_listed(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "x"})
    name = "d" * 200
    descriptors = [os.open(tmp_path, os.O_RDONLY)]
    for _ in range(25):
        os.mkdir(name, dir_fd=descriptors[-1])
        descriptors.append(os.open(name, os.O_RDONLY, dir_fd=descriptors[-1]))
    try:
        scan = FolderSource(tmp_path).scan()
        assert [stamp.ref.path for stamp in scan.stamps] == ["a.md"]
        (failure,) = scan.failures
        assert failure.ref.path.startswith(f"{name}/{name}")
        assert "cannot be listed" in failure.reason
    finally:
        while len(descriptors) > 1:
            os.close(descriptors.pop())
            os.rmdir(name, dir_fd=descriptors[-1])
        os.close(descriptors.pop())


def test_folders_and_files_without_permission_are_named_and_the_rest_is_served(open_folder: Path) -> None:
    write_tree(open_folder, {"a.md": "x", "shut/b.md": "x", "c.md": "x", "sub/.gitignore": "d.md", "sub/d.md": "x"})
    locked = [open_folder / "shut", open_folder / "c.md", open_folder / "sub/.gitignore"]
    for path in locked:
        path.chmod(0)
    source = FolderSource(open_folder)
    with as_nobody():
        scan = source.scan()
        with pytest.raises(Unreadable, match="Permission denied") as caught:
            source.read(stamp_at("c.md"))
    for path in locked:
        path.chmod(0o755)
    assert [stamp.ref.path for stamp in scan.stamps] == ["a.md", "c.md", "sub/.gitignore", "sub/d.md"]
    assert [(failure.ref.path, failure.reason) for failure in scan.failures] == [
        ("shut", "This folder cannot be listed: Permission denied."),
        ("sub/.gitignore", "This ignore file was not used: Permission denied."),
    ]
    assert "Allow reading it" in caught.value.next_step


def test_an_ignore_file_that_is_a_link_or_too_large_is_not_used(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "x", "sub/a.md": "x", "all": "*\n", "sub/.gitignore": "*\n" * 200_000})
    (tmp_path / ".gitignore").symlink_to("all")
    scan = FolderSource(tmp_path).scan()
    assert [stamp.ref.path for stamp in scan.stamps if stamp.media is formats.MARKDOWN] == ["a.md", "sub/a.md"]
    assert [failure.ref.path for failure in scan.failures] == [".gitignore", "sub/.gitignore"]


def test_a_hostile_pattern_does_not_slow_the_scan(tmp_path: Path) -> None:
    stars = "*a" * 100 + "*b\n" + "**/a/" * 100 + "b\n" + "*/" * 100 + "b\n"
    folder = "a/" * 300
    write_tree(tmp_path, {".gitignore": stars, "a" * 250: "x", f"{folder}{'a' * 200}.md": "x"})
    assert len(FolderSource(tmp_path).scan().stamps) == 3


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
        "b.py": "is not indexed, though links to it resolve: its name is not that of a document.",
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
