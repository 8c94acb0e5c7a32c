"""Files of ours are reached without following a link, and what is not ours is not touched."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pinakes.errors import StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.own_folder.held import CAN_HOLD, keeping_open

SECRET = b"a secret of the user\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the user's with a secret in it."""
    place = tmp_path / "outside"
    (place / "deep").mkdir(parents=True)
    (place / "secret").write_bytes(SECRET)
    (place / "deep" / "name").write_bytes(SECRET)
    return place


@pytest.fixture
def ours(tmp_path: Path) -> OwnFolder:
    (tmp_path / "root").mkdir()
    return OwnFolder.below(tmp_path / "root", tmp_path / "root" / ".pinakes" / "added").make(unseen=True)


def _state(folder: Path) -> list[tuple[str, int, bytes]]:
    return sorted(
        (str(path), path.lstat().st_mode, path.read_bytes() if path.is_file() and not path.is_symlink() else b"")
        for path in [folder, *folder.rglob("*")]
    )


CALLS: list[Callable[[OwnFolder], object]] = [
    lambda folder: folder.read("name"),
    lambda folder: folder.facts("name"),
    lambda folder: folder.open("name").close(),
    lambda folder: folder.open_to_write("name").close(),
    lambda folder: folder.open_to_write("name", create=True).close(),
    lambda folder: folder.replace("name", b"new"),
    lambda folder: folder.touch("name"),
    lambda folder: folder.move("name", folder, "other"),
    lambda folder: folder.path_of("name"),
    lambda folder: folder.entries(),
]


def _plant_link(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "secret")


def _plant_dangling(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "nothing")


def _plant_folder_link(place: Path, outside: Path) -> None:
    place.symlink_to(os.path.relpath(outside / "deep", place.parent))


def _plant_hard_link(place: Path, outside: Path) -> None:
    os.link(outside / "secret", place)


def _plant_pipe(place: Path, outside: Path) -> None:
    os.mkfifo(place)


PLANTED = [_plant_link, _plant_dangling, _plant_folder_link, _plant_hard_link, _plant_pipe]


@pytest.mark.parametrize("plant", PLANTED)
@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_plain_file_of_ours_is_refused(
    ours: OwnFolder, outside: Path, plant: Callable[[Path, Path], None], call: Callable[[OwnFolder], object]
) -> None:
    plant(ours.path / "name", outside)
    before = _state(outside)
    with pytest.raises(StoreStrange, match="name is "):
        call(ours)
    assert _state(outside) == before


@pytest.mark.parametrize("call", [*CALLS, lambda folder: folder.remove("name"), lambda folder: folder.make()])
@pytest.mark.parametrize("part", [".pinakes", ".pinakes/added"])
def test_no_part_of_the_way_may_be_a_link(
    ours: OwnFolder, outside: Path, part: str, call: Callable[[OwnFolder], object]
) -> None:
    root = ours.path.parents[1]
    (root / part).rename(root / "away")
    (outside / "added").symlink_to(outside / "deep")
    (root / part).symlink_to(outside)
    before = _state(outside)
    with pytest.raises(StoreStrange, match="is a link"):
        call(ours)
    assert _state(outside) == before


def test_of_a_link_only_the_name_is_removed(ours: OwnFolder, outside: Path) -> None:
    (ours.path / "name").symlink_to(outside / "secret")
    (ours.path / "folder").symlink_to(outside / "deep")
    (ours.path / "tree").mkdir()
    (ours.path / "tree" / "link").symlink_to(outside)
    before = _state(outside)
    ours.remove("name")
    ours.remove_tree("folder")
    ours.remove_tree("tree")
    ours.remove("name")
    ours.remove_tree("tree")
    assert [entry.name for entry in ours.entries()] == [".gitignore"]
    assert _state(outside) == before


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../secret", "a\0b"])
def test_a_name_with_folders_in_it_is_no_name(ours: OwnFolder, name: str) -> None:
    for call in (ours.read, ours.remove, ours.remove_tree, ours.touch, ours.folder, ours.facts):
        with pytest.raises(StoreStrange):
            call(name)


def test_what_is_gone_is_not_strange_and_is_made_again(ours: OwnFolder) -> None:
    ours.replace("name", b"text")
    away = ours.path.parent.rename(ours.path.parents[1] / "away")
    assert not ours.exists()
    assert not ours.holds("name")
    with pytest.raises(FileNotFoundError):
        ours.read("name")
    ours.make()
    ours.replace("name", b"other")
    assert (ours.read("name"), (away / "added" / "name").read_bytes()) == (b"other", b"text")


def test_links_of_the_users_above_our_folder_are_followed(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "disk")
    folder = OwnFolder(tmp_path / "home" / "index").make()
    folder.replace("name", b"text")
    assert (tmp_path / "disk" / "index" / "name").read_bytes() == b"text"


def test_folders_and_files_are_for_their_owner_only(ours: OwnFolder) -> None:
    ours.replace("replaced", b"")
    ours.create("created", b"")
    ours.touch("touched")
    ours.open_to_write("opened", create=True).close()
    rights = {entry.name: entry.facts.st_mode & 0o777 for entry in ours.entries()}
    assert set(rights.values()) == {0o600}
    assert ours.path.stat().st_mode & 0o777 == 0o700
    assert ours.path.parent.stat().st_mode & 0o777 == 0o700


def test_rights_that_are_too_wide_are_taken_back(ours: OwnFolder) -> None:
    ours.path.chmod(0o755)
    ours.replace("name", b"")
    (ours.path / "name").chmod(0o644)
    ours.make()
    ours.replace("name", b"")
    assert (ours.path.stat().st_mode & 0o777, (ours.path / "name").stat().st_mode & 0o777) == (0o700, 0o600)


def test_what_is_part_of_the_repository_has_the_rights_of_the_user(tmp_path: Path) -> None:
    shared = OwnFolder(tmp_path / "shared", is_shared=True)
    before = os.umask(0o027)
    try:
        shared.make()
        shared.create("name", b"old")
    finally:
        os.umask(before)
    assert (shared.path.stat().st_mode & 0o777, (shared.path / "name").stat().st_mode & 0o777) == (0o750, 0o640)
    (shared.path / "name").chmod(0o664)
    shared.replace("name", b"new")
    assert ((shared.path / "name").read_bytes(), (shared.path / "name").stat().st_mode & 0o777) == (b"new", 0o664)


def test_links_in_a_shared_folder_are_left_out(tmp_path: Path, outside: Path) -> None:
    shared = OwnFolder(tmp_path / "shared", is_shared=True).make()
    shared.create("name", b"text")
    (shared.path / "link").symlink_to(outside / "secret")
    assert [entry.name for entry in shared.entries()] == ["name"]


def test_a_file_that_is_there_is_never_taken_the_place_of(ours: OwnFolder) -> None:
    ours.create("name", b"first")
    with pytest.raises(FileExistsError):
        ours.create("name", b"second")
    assert ours.read("name") == b"first"
    assert sorted(os.listdir(ours.path)) == [".gitignore", "name"]


def test_no_more_is_read_than_asked_for(ours: OwnFolder) -> None:
    ours.replace("name", b"12345")
    assert ours.read("name", 5) == b"12345"
    with pytest.raises(OSError, match="too large"):
        ours.read("name", 4)


def test_a_file_moves_with_its_content(ours: OwnFolder) -> None:
    ours.replace("name", b"text")
    other = ours.folder("other").make()
    ours.move("name", other, "moved")
    assert (other.read("moved"), ours.holds("name")) == (b"text", False)


def test_a_disk_that_is_full_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    assert resource.RLIMIT_FSIZE is not None
    child = """
import resource, sys
from pathlib import Path
from pinakes.own_folder import OwnFolder
from pinakes.own_folder.held import CAN_HOLD, keeping_open
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
folder = OwnFolder(Path(sys.argv[1]))
for write, name in ((folder.replace, "a.txt"), (folder.create, "b.txt")):
    try:
        write(name, b"x" * 5000)
    except OSError as error:
        print(error.strerror)
"""
    ran = subprocess.run([sys.executable, "-c", child, str(tmp_path)], capture_output=True, text=True, check=True)
    assert ran.stdout == "File too large\nFile too large\n"
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_file_that_is_replaced_while_it_is_read_is_no_hard_link(ours: OwnFolder) -> None:
    ours.replace("name", b"0")
    is_over = threading.Event()

    def replace() -> None:
        while not is_over.is_set():
            ours.replace("name", b"1", durable=False)

    writer = threading.Thread(target=replace)
    writer.start()
    try:
        for _ in range(20_000):
            assert ours.read("name") in (b"0", b"1")
    finally:
        is_over.set()
        writer.join()


@pytest.mark.skipif(not CAN_HOLD, reason="this system opens no folders")
def test_folders_that_stay_open_follow_no_links_and_are_given_back(tmp_path: Path) -> None:
    ours, elsewhere = OwnFolder(tmp_path / "ours").make(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "ours" / "bad").symlink_to(elsewhere)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with keeping_open():
        for number in range(100):
            deep = ours.folder(f"f{number}", "deep").make()
            deep.replace("a.txt", b"1", durable=False)
            assert deep.read("a.txt") == b"1"
        with pytest.raises(StoreStrange):
            ours.folder("bad").replace("a.txt", b"1")
        assert ours.folder("f0", "deep").facts("a.txt") is not None
        with pytest.raises(FileNotFoundError):
            ours.folder("none").facts("a.txt")
    assert os.listdir(elsewhere) == []
    if before:
        assert len(os.listdir("/proc/self/fd")) == before
