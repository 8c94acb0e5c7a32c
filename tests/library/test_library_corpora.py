"""Several corpora in one library: each asked alone, or together."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.commit import commit, repository
from kits.git import Repo, needs_git
from kits.trees import write_tree
from pinakes import Library
from pinakes import open as open_library
from pinakes.errors import NotFound
from pinakes.records import Filter, Query


def two_roots(tmp_path: Path) -> Library:
    root = write_tree(
        tmp_path / "here",
        {"guide.md": "# Guide\n\nHow to install the server.\n", "b.md": "# Bread\n\nFlour and water.\n"},
    )
    write_tree(tmp_path / "api", {"guide.md": "# API\n\nHow to throttle the server: the rate limit is 100.\n"})
    return open_library(root, {"roots.more": ["api=../api"]})


def asked(library: Library, question: str, *corpora: str) -> list[str]:
    library.refresh(corpora=corpora)
    found = library.search(Query(question, Filter(corpora=corpora)))
    return [str(hit.ref.document) for hit in found.hits]


def test_roots_are_asked_together_unless_one_is_named(tmp_path: Path) -> None:
    with two_roots(tmp_path) as library:
        assert set(asked(library, "server")[:2]) == {"docs:guide.md", "docs@api:guide.md"}
        assert asked(library, "server", "docs") == ["docs:guide.md", "docs:b.md"]
        assert asked(library, "server", "docs@api") == ["docs@api:guide.md"]


def test_the_corpus_that_answers_comes_first(tmp_path: Path) -> None:
    with two_roots(tmp_path) as library:
        assert asked(library, "throttle rate limit")[0] == "docs@api:guide.md"
        assert asked(library, "flour water")[0] == "docs:b.md"


def test_hits_together_keep_to_the_limits_of_the_question(tmp_path: Path) -> None:
    with two_roots(tmp_path) as library:
        library.refresh()
        assert len(library.search(Query("server", limit=1)).hits) == 1
        assert library.search(Query("server", max_tokens=1)).hits == ()


def test_an_address_says_which_corpus_it_is_of(tmp_path: Path) -> None:
    with two_roots(tmp_path) as library:
        library.refresh()
        assert "rate limit" in library.read("docs@api:guide.md").text
        assert "install" in library.read("guide.md").text
        assert str(library.locate("docs@api:guide#api")) == "docs@api:guide.md#api"
        assert [str(outline.ref) for outline in library.outlines("docs@api:")] == ["docs@api:guide.md"]
        with pytest.raises(NotFound, match="guide"):
            library.read("docs@api:guide.md#nothing")


def test_a_document_whose_own_name_looks_like_an_address_is_found(tmp_path: Path) -> None:
    write_tree(tmp_path, {"memories:a.md": "# Own\n"})
    with open_library(tmp_path) as library:
        library.sync()
        assert library.read("memories:a.md").text == "# Own\n"


def test_a_corpus_nobody_knows_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    with two_roots(tmp_path) as library:
        library.refresh()
        with pytest.raises(NotFound, match="There are docs, docs@api, memories, added, history"):
            library.search(Query("x", Filter(corpora=("doks",))))


def test_commits_are_asked_when_they_are_named_and_never_else(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    made = commit(folder, {"a.md": "# A\n\nBread needs salt.\n"}, "Salt for the bread\n\nIt tasted of nothing.")
    with open_library(folder) as library:
        library.sync()
        assert asked(library, "bread salt") == ["docs:a.md"]
        assert set(asked(library, "bread salt", "history")) == {f"history:{made}"}
        assert set(asked(library, "bread salt", "all")) == {"docs:a.md", f"history:{made}"}


def test_each_corpus_has_an_index_of_its_own(tmp_path: Path) -> None:
    with two_roots(tmp_path) as library:
        library.sync()
        write_tree(tmp_path / "api", {"new.md": "# New\n"})
        library.refresh()
        assert library.corpus("docs").store.counts("docs").documents == 2
        assert library.corpus("docs@api").store.counts("docs@api").documents == 2
        assert [one.corpus for one in library.status().others] == ["docs@api"]


@needs_git
def test_git_sees_nothing_of_an_index_whichever_corpus_is_the_first(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    write_tree(tmp_path, {"a.md": "# A\n", ".memories/plan.md": "---\ntype: plan\n---\n# Plan\n\nSee [a](../a.md).\n"})
    with open_library(tmp_path) as library:
        library.memories.list()
    with open_library(tmp_path) as library:
        library.refresh(corpora=("memories",))
    with open_library(tmp_path) as library:
        library.sync()
    assert repo.git("status", "--short", "--untracked-files=all").split() == ["??", ".memories/plan.md", "??", "a.md"]


def test_what_the_library_itself_adds_and_drops_is_searched_at_once(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"a.md": "# Bread\n\nFlour and water.\n"})
    with open_library(root) as library:
        library.sync()

        def found(question: str) -> list[str]:
            return [hit.title for hit in library.search(question).hits if hit.ref.corpus == "added"]

        made = library.added.add_text(b"# Axolotl\n\nAn axolotl never grows up.\n", title="Axolotl")
        assert found("axolotl") == ["Axolotl"]
        assert library.read(str(made.ref)).text.startswith("# Axolotl")
        library.added.add_text(b"# Axolotl\n\nA capybara swims well.\n", title="Axolotl")
        assert found("capybara swims") == ["Axolotl"]
        library.added.drop([made.document.id])
        assert found("capybara swims") == []


def test_what_the_library_itself_remembers_and_forgets_is_searched_at_once(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"a.md": "# Bread\n\nFlour and water.\n"})
    with open_library(root) as library:
        library.sync()
        memories = library.memories

        def found(question: str) -> list[str]:
            return [hit.title for hit in library.search(Query(question, Filter(corpora=("memories",)))).hits]

        made = memories.remember("The oven needs forty minutes.", "Oven")
        assert found("oven minutes") == ["Oven"]
        memories.append(made.id, "Proving takes a night.")
        assert found("proving night") == ["Oven"]
        memories.forget(made.id)
        assert found("oven") == []
        memories.restore(made.id)
        assert found("oven") == ["Oven"]
