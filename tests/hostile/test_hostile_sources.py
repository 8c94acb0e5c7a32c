"""A client of a server reads files of the library alone, however they change: by adding them, and by updates."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kits.hostile import SECRET
from kits.http import Server, serving
from kits.trees import write_tree
from pinakes.library import open_library

TRIES = 120


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path / "home", {"id_rsa": f"{SECRET}\n", "a.md": f"# {SECRET}\n"})
    pages = {"a.md": "# Apples\n\nKeep them dry.\n", "inner/b.md": "# Berries\n\nKeep them cold.\n"}
    return write_tree(tmp_path / "docs", {**pages, ".env": SECRET, ".gitignore": "left.md\n", "left.md": SECRET})


@pytest.fixture
def server(root: Path) -> Iterator[Server]:
    with serving(root, options=("--no-token",)) as running:
        yield running


def is_silent(server: Server) -> bool:
    """Whether no added document holds the secret."""
    texts = [server.get("/get", id=one["id"]).json["text"] for one in server.get("/list").json]
    hits = server.get("/search", query="keep", corpus="added", anyway="true").json["hits"]
    return SECRET not in str([*texts, *(hit["text"] for hit in hits)])


def swap(path: Path, target: Path) -> None:
    """Put a link in the place of a file, at once."""
    (beside := path.with_name("swapped")).symlink_to(target)
    os.replace(beside, path)


LEADS: dict[str, Callable[[Path], None]] = {
    "out of the library": lambda root: swap(root / "a.md", root.parent / "home" / "id_rsa"),
    "to a hidden file": lambda root: swap(root / "a.md", root / ".env"),
    "to a file that is ignored": lambda root: swap(root / "a.md", root / "left.md"),
    "to another file": lambda root: swap(root / "a.md", root / "inner" / "b.md"),
}


@pytest.mark.parametrize("lead", LEADS)
def test_updates_refuse_what_add_refuses(server: Server, root: Path, lead: str) -> None:
    assert server.post("/add", {"source": "a.md"}).status == 200
    LEADS[lead](root)
    assert server.post("/add", {"source": "a.md"}).status == 403
    for found in (server.get("/updates"), server.post("/updates", {})):
        (one,) = found.json
        assert (found.status, one["state"], one["is_applied"]) == (200, "unreachable", False)
        assert "is not a file of this library" in one["reason"]
    assert is_silent(server)


def test_a_folder_on_the_way_that_becomes_a_link_is_not_gone_through(server: Server, root: Path) -> None:
    assert server.post("/add", {"source": "inner/b.md"}).status == 200
    (root / "inner").rename(root.parent / "before")
    (root.parent / "home" / "b.md").write_text(SECRET)
    (root / "inner").symlink_to(root.parent / "home")
    assert server.post("/add", {"source": "inner/b.md"}).status == 403
    assert [one["state"] for one in server.post("/updates", {}).json] == ["unreachable"]
    assert is_silent(server)


def test_a_file_from_elsewhere_is_looked_at_again_in_a_terminal_alone(server: Server, root: Path) -> None:
    elsewhere = write_tree(root.parent / "handbook", {"release.md": "# Release\n"}) / "release.md"
    with open_library(root) as library:
        library.added.add(str(elsewhere))
        elsewhere.write_text("# Release\n\nOn Fridays.\n")
        assert [one["state"] for one in server.post("/updates", {}).json] == ["unreachable"]
        assert [one.state.value for one in library.added.updates(apply=True)] == ["changed"]


def test_a_file_of_the_library_that_changed_or_went_is_told(server: Server, root: Path) -> None:
    assert server.post("/add", {"source": "a.md"}).status == 200
    (root / "a.md").write_text("# Apples\n\nKeep them in straw.\n")
    assert [(one["state"], one["is_applied"]) for one in server.post("/updates", {}).json] == [("changed", True)]
    (root / "a.md").unlink()
    assert [one["state"] for one in server.get("/updates").json] == ["missing"]


def test_no_race_is_won_between_the_look_and_the_reading(server: Server, root: Path) -> None:
    assert server.post("/add", {"source": "a.md"}).status == 200
    is_over = threading.Event()
    file, secret = root / "a.md", root.parent / "home" / "id_rsa"

    def flip() -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            beside = root / ".beside"
            if number % 2:
                beside.symlink_to(secret)
            else:
                beside.write_text(f"# Apples\n\nKeep them dry, {number}.\n")
            os.replace(beside, file)

    flipping = threading.Thread(target=flip)
    flipping.start()
    try:
        for number in range(TRIES):
            if number % 2:
                assert server.post("/add", {"source": "a.md"}).status in (200, 403)
            else:
                assert server.post("/updates", {}).status == 200
            (one,) = server.get("/list").json
            assert SECRET not in server.get("/get", id=one["id"]).json["text"]
    finally:
        is_over.set()
        flipping.join()
    assert not any("Traceback" in line for line in server.said)
