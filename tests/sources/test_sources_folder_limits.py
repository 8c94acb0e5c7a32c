"""What a folder source refuses to follow, to read or to be slowed by, on real trees."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kits.folder import media, stamp_at
from kits.trees import write_tree
from pinakes.errors import Unreadable
from pinakes.records import Ref, formats
from pinakes.sources import FolderOptions, FolderSource


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
