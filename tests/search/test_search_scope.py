"""A filter that lets hardly anything through is applied before the best are chosen, not after."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.git import Repo, needs_git
from kits.scratch import ScratchStore
from kits.trees import write_tree
from pinakes.index.sync import sync
from pinakes.own_folder import OwnFolder
from pinakes.ports import Store
from pinakes.records import DOCS, HISTORY, Filter, Query
from pinakes.sources import FolderSource, GitSource
from pinakes.store import open_sqlite

DOCUMENTS = 1_000
LIMIT = 5


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand documents on one subject, of which the one in `rare/` says least about it, in many sections."""
    ships = ("brig", "sloop", "ketch", "yawl", "cutter", "lugger", "galley")
    tree = {
        f"usual/{number:04}.md": f"# Harbour {number}\n\nHarbour dues for ship {number} in the harbour: the harbour "
        f"master of harbour {number} asks {number * 7} coins from each {ships[number % len(ships)]}.\n"
        for number in range(DOCUMENTS - 1)
    }
    sections = (
        f"## Mooring {ship}\n\nAmong many other things that are told of the {ship}, of its sails and its crew of "
        f"{number + 3}, the harbour and its dues are named once, in passing and at the end.\n\n"
        for number, ship in enumerate(ships)
    )
    root = write_tree(tmp_path_factory.mktemp("shelf"), {**tree, "rare/only.md": "# Notes\n\n" + "".join(sections)})
    with pinakes.open(root, {"keywords.enabled": False}) as library:
        assert len(library.sync().put) == DOCUMENTS
    return root


@pytest.mark.parametrize("profile", ["fast", "balanced"])
def test_a_path_that_holds_a_thousandth_still_gives_as_many_hits_as_asked_for(shelf: Path, profile: str) -> None:
    with pinakes.open(shelf, {"keywords.enabled": False}) as library:
        usual = library.search(Query("harbour dues", limit=LIMIT, profile=profile))
        rare = library.search(Query("harbour dues", Filter(paths=("rare",)), limit=LIMIT, profile=profile))
    assert all(hit.ref.path.startswith("usual/") for hit in usual.hits)  # or the filter would have nothing to do
    assert [hit.ref.path for hit in rare.hits] == ["rare/only.md"] * LIMIT


@pytest.mark.parametrize("engine", ["sqlite", "scratch"])
@needs_git
def test_a_filter_for_files_lets_commits_through_that_changed_one_of_them(tmp_path: Path, engine: str) -> None:
    repo = Repo(tmp_path / "repo")
    one = repo.commit("one", {"src/a.py": "1", "docs/a.md": "1"})
    two = repo.commit("two", {"src/deep/b.py": "1"})
    repo.commit("three", {"README": "1"})
    store: Store = open_sqlite(OwnFolder(tmp_path / "store")) if engine == "sqlite" else ScratchStore()
    sync(GitSource([repo.folder]), store)
    # A document may say of itself what it likes; only commits have changed files.
    folder = FolderSource(
        write_tree(tmp_path / "docs", {"a.md": "---\nfiles: [src/a.py, 7]\n---\n# A\n", "b.md": "# B\n"})
    )
    sync(folder, store)
    every = {path: number for path, number in _numbers(store).items() if not path.endswith(".md")}
    for files, expected in {
        ("src/**",): {one, two},
        ("src",): {one, two},
        ("*.py",): set(),
        ("**/*.py", "docs/*"): {one, two},
        ("src/deep/*.py",): {two},
        ("none/**",): set(),
    }.items():
        scope = store.scope(Filter(files=files))
        assert scope is not None
        assert {path for path, number in every.items() if number in scope.documents} == expected, files
        assert len(scope.documents) == len(expected)
    both = store.scope(Filter(files=("src/**",), author="nobody"))
    assert both is not None
    assert both.documents == frozenset()
    store.close()


def _numbers(store: Store) -> dict[str, int]:
    places = store.places([kept.stamp.ref for corpus in (DOCS, HISTORY) for kept in store.files(corpus).values()])
    return {ref.path: chunk.document for ref, chunk in places.items()}


@pytest.mark.parametrize("engine", ["sqlite", "scratch"])
def test_the_newest_documents_come_first_by_their_own_dates(tmp_path: Path, engine: str) -> None:
    tree = {f"{name}.md": f"---\ndate: {date}\ntags: [{tag}]\n---\n# {name}\n" for name, date, tag in _DATED}
    store: Store = open_sqlite(OwnFolder(tmp_path / "store")) if engine == "sqlite" else ScratchStore()
    sync(FolderSource(write_tree(tmp_path / "docs", {**tree, "undated.md": "# Undated\n"})), store)

    def newest(where: Filter, limit: int) -> list[str]:
        chunks = store.newest(where, limit)
        return [store.slices(chunks)[chunk].ref.path for chunk in chunks]

    assert newest(Filter(), 10) == ["d.md", "b.md", "c.md", "a.md"]
    assert newest(Filter(), 2) == ["d.md", "b.md"]
    assert newest(Filter(tags=("one",)), 2) == ["b.md", "a.md"]
    assert newest(Filter(tags=("none",)), 2) == []
    store.close()


_DATED = (
    ("a", "2020-01-01", "one"),
    ("b", "2024-05-06", "one"),
    ("c", "2024-05-06", "two"),
    ("d", "2026-01-01", "two"),
)
