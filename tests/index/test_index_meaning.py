"""Vectors of the selected embedder, and of another one until they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import pinakes
from kits.endpoint import Reply, Served, serving
from kits.trees import write_tree
from pinakes.errors import ModelFailed
from pinakes.index import Meanings, ignore_progress
from pinakes.index.meaning import MAX_WAITING_DOCUMENTS
from pinakes.index.vector_folders import VectorFolders
from pinakes.neural import embedder_name
from pinakes.own_folder import OwnFolder
from pinakes.ports import Store
from pinakes.records import Event
from pinakes.store import open_sqlite

MANY = 3 * MAX_WAITING_DOCUMENTS
STATIC = embedder_name("static")


pytestmark = pytest.mark.usefixtures("new_user")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    pages = {f"page{number}.md": f"# Page {number}\n\nTide table number {number}.\n" for number in range(MANY)}
    write_tree(folder, pages)
    with pinakes.open(folder) as library:
        library.sync()
    return folder


@pytest.fixture
def store(root: Path) -> Iterator[Store]:
    opened = open_sqlite(OwnFolder(root / ".pinakes"))
    yield opened
    opened.close()


def meanings(root: Path, model: str) -> Meanings:
    return Meanings(
        VectorFolders(OwnFolder(root / ".pinakes" / "vectors", 2)),
        model,
        lambda: open_sqlite(OwnFolder(root / ".pinakes")),
    )


def answering(made: Meanings, store: Store) -> tuple[str, list[str]]:
    """The embedder that answers, and what is said to be missing."""
    missing: list[str] = []
    found = made.ready(store, missing, may_write=True)
    assert found is not None
    assert found.vectors.embedder == found.embedder.name
    assert found.vectors.generation == store.generation
    return found.embedder.name, missing


def texts(server: Served) -> list[str]:
    return [text for heard in server.heard for text in heard.texts if text != "documentation"]


def test_the_old_vectors_answer_until_the_new_ones_are_whole(root: Path, store: Store) -> None:
    with serving() as server:
        selected = meanings(root, server.address)
        name, missing = answering(selected, store)
        assert name == STATIC
        assert missing == [
            f"meaning by {server.address}: nothing is embedded yet; pinakes sync does the rest",
        ]
        selected.make(store, ignore_progress)
        assert answering(selected, store) == (embedder_name(server.address), [])
        assert set(selected.whole()) == {STATIC, embedder_name(server.address)}
        selected.stop()


def test_a_thread_makes_them_while_others_answer(root: Path, store: Store) -> None:
    with serving() as server:
        selected = meanings(root, server.address)
        assert answering(selected, store)[0] == STATIC
        selected.start()
        selected.start()
        selected.wait()
        assert answering(selected, store) == (embedder_name(server.address), [])
        assert len(texts(server)) == len(set(texts(server)))
        selected.stop()


def test_whoever_is_stopped_goes_on_from_there(root: Path, store: Store) -> None:
    long = {
        f"{name}.md": "".join(f"# {name} {number}\n\nHarbour {number}.\n\n" for number in range(400))
        for name in ("east", "west")
    }
    write_tree(root, long)
    with pinakes.open(root) as library:
        library.sync()
    events: list[Event] = []

    def interrupt(event: Event) -> None:
        events.append(event)
        raise KeyboardInterrupt

    with serving() as server:
        first = meanings(root, server.address)
        with pytest.raises(KeyboardInterrupt):
            first.make(store, interrupt)
        before = len(texts(server))
        assert before > 0
        assert first.state() == (
            f"{embedder_name(server.address)}: {events[0].done} of {events[0].total} documents are embedded;"
            " pinakes sync does the rest"
        )
        first.stop()
        second = meanings(root, server.address)
        second.make(store, ignore_progress)
        assert len(texts(server)) > before
        assert len(texts(server)) == len(set(texts(server)))
        assert second.state() == embedder_name(server.address)
        second.stop()


def test_a_server_that_fails_is_told_of_and_others_answer(root: Path, store: Store) -> None:
    with serving(lambda heard: Reply(b"out of memory", 404)) as server:
        selected = meanings(root, server.address)
        with pytest.raises(ModelFailed):
            selected.make(store, ignore_progress)
        name, missing = answering(selected, store)
        selected.stop()
    assert name == STATIC
    assert "out of memory" in missing[0]
    assert "out of memory" in selected.state()


def test_a_sync_does_not_fail_for_a_server_that_is_down(root: Path) -> None:
    with serving() as server:
        address = server.address
    with pinakes.open(root, {"neural.model": address}) as library:
        write_tree(root, {"new.md": "# New\n\nA page about lighthouses.\n"})
        assert len(library.sync().put) == 1
        found = library.search("lighthouses")
        assert found.hits[0].ref.path == "new.md"
        assert any("cannot be asked" in one for one in found.missing)
        assert "cannot be asked" in library.status().embedder


def test_few_documents_are_embedded_while_one_waits_and_many_are_not(root: Path, store: Store) -> None:
    with serving() as server:
        selected = meanings(root, server.address)
        selected.make(store, ignore_progress)
        write_tree(root, {"page1.md": "# Page 1\n\nA lighthouse.\n"})
        with pinakes.open(root) as library:
            library.sync()
        assert answering(selected, store)[1] == []
        write_tree(root, {f"page{number}.md": "# Changed\n\nAnew.\n" for number in range(MAX_WAITING_DOCUMENTS + 1)})
        with pinakes.open(root) as library:
            library.sync()
        missing: list[str] = []
        found = selected.ready(store, missing, may_write=True)
        assert found is not None
        assert found.embedder.name == embedder_name(server.address)
        assert missing == [f"the newest vectors: {MAX_WAITING_DOCUMENTS + 1} documents wait; pinakes sync embeds them"]
        selected.stop()


def test_a_small_library_has_its_vectors_at_once(tmp_path: Path) -> None:
    write_tree(tmp_path / "small", {"a.md": "# A\n\nTide.\n"})
    with serving() as server, pinakes.open(tmp_path / "small", {"neural.model": server.address}) as library:
        library.sync()
        assert library.search("tide").missing == ()
        assert library.models.list()[1] == {embedder_name(server.address)}


def test_a_model_that_is_not_installed_leaves_the_others(root: Path, store: Store, tmp_path: Path) -> None:
    if find_spec("sentence_transformers"):
        pytest.skip("it is installed")
    folder = tmp_path / "model"
    write_tree(folder, {"config.json": "{}"})
    selected = meanings(root, f"sentence-transformers:{folder}")
    name, missing = answering(selected, store)
    assert name == STATIC
    assert "pip install pinakes[sentence-transformers]" in missing[0]
    assert selected.state().startswith("none: ")


def test_the_vectors_of_two_embedders_are_kept_and_those_before_them_go(root: Path, store: Store) -> None:
    answering(meanings(root, "static"), store)
    names = []
    with serving() as one, serving() as two:
        for server in (one, two):
            selected = meanings(root, server.address)
            selected.make(store, ignore_progress)
            names.append(embedder_name(server.address))
            selected.stop()
        assert set(selected.whole()) == set(names)


def test_making_them_again_asks_for_nothing(root: Path, store: Store) -> None:
    with serving() as server:
        selected = meanings(root, server.address)
        selected.make(store, ignore_progress)
        before = len(server.heard)
        selected.make(store, ignore_progress)
        assert len(server.heard) == before
        selected.stop()
