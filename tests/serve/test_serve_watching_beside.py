"""What is watched beside the documents: commits and memories, also where they lie elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.git import Repo, needs_git
from kits.trees import write_tree
from kits.watch import Watched
from pinakes.records import HISTORY, MEMORIES, Filter, Query
from pinakes.serve.library_names import LibraryChange


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "project")
    made.commit("Begin", {"a.md": "# A\n\nalpha\n"})
    return made


@pytest.fixture
def watched(repo: Repo) -> Iterator[Watched]:
    made = Watched(repo.folder)
    made.until(lambda: any(look.corpus == HISTORY for look in made.looks), "the first look at commits")
    yield made
    made.close()


def commits(watched: Watched) -> set[str]:
    return set(watched.libraries.get().corpus(HISTORY).store.files(HISTORY))


@needs_git
def test_a_commit_made_while_watching_is_found_without_asking(repo: Repo, watched: Watched) -> None:
    heard: list[LibraryChange] = []
    watched.libraries.listen(heard.append)
    made = repo.commit("Throttle the pump", {"b.md": "# B\n"})
    watched.until(lambda: made in commits(watched), "the new commit")
    found = watched.libraries.get().search(Query("throttle pump", Filter(corpora=(HISTORY,))))
    assert {hit.ref.path for hit in found.hits} >= {made}
    assert any(f"history:{made}" in change.paths for change in heard)


@needs_git
def test_commits_that_are_rewritten_away_are_forgotten(repo: Repo, watched: Watched) -> None:
    gone = repo.commit("To be undone", {"b.md": "# B\n"})
    watched.until(lambda: gone in commits(watched), "the commit")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    watched.until(lambda: gone not in commits(watched), "its end")


@needs_git
def test_commits_of_a_worktree_elsewhere_are_seen(tmp_path: Path, repo: Repo, watched: Watched) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo.__new__(Repo)
    side.folder, side.days = tmp_path / "side", 5
    made = side.commit("From the side", {"c.md": "# C\n"})
    watched.until(lambda: made in commits(watched), "the commit of the worktree")


def test_a_memory_written_by_hand_is_taken_in(repo: Repo, watched: Watched) -> None:
    write_tree(repo.folder, {".memories/wick.md": "---\ntype: fact\n---\n# Wick\n\nIt is old.\n"})
    library = watched.libraries.get()
    watched.until(
        lambda: "wick.md" in library.corpus(MEMORIES).store.files(MEMORIES),
        "the memory, though nobody asked for it",
    )


def test_memories_in_the_users_own_folder_are_watched_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PINAKES_MEMORIES_STORAGE", "user")
    root = write_tree(tmp_path / "docs", {"a.md": "# A\n"})
    watched = Watched(root)
    try:
        library = watched.libraries.get()
        library.memories.remember("The first one makes the folder.", "First")
        library.refresh(corpora=(MEMORIES,))
        library.memories.remember("The second one is noticed.", "Second")
        watched.until(lambda: len(library.corpus(MEMORIES).store.files(MEMORIES)) == 2, "the second memory")
    finally:
        watched.close()
