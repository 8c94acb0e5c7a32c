"""Words that are misspelt or not typed to their end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.records import Query
from pinakes.render import results_text

TREE = {
    "guide/kubernetes.md": "# Kubernetes\n\nDeploy to kubernetes with a manifest.\n",
    "guide/middleware.md": "# Middleware\n\nA middleware changes requests on their way.\n",
    "guide/tides.md": "# Tides\n\nThe tide table of the harbour, with midday marked.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with pinakes.open(write_tree(tmp_path_factory.mktemp("spelling"), TREE)) as opened:
        opened.sync()
        yield opened


def test_a_misspelt_word_is_searched_as_it_was_meant_and_the_answer_says_so(library: Library) -> None:
    results = library.search("how to deploy to kuberntes")

    assert results.hits[0].ref.path == "guide/kubernetes.md"
    assert (results.corrections, results.unknown) == ({"kuberntes": "kubernetes"}, ())
    told = "Searched for “kubernetes” instead of “kuberntes”, which occurs nowhere."
    assert told in results_text(results, explain=False)
    first = results.hits[0].matches[0]
    assert (library.root / "guide/kubernetes.md").read_bytes()[first.start : first.end] == b"Kubernetes"


@pytest.mark.parametrize("question", ["tide", '"kuberntes"', "zzyzzx"])
def test_known_quoted_and_strange_words_stay_as_they_are(library: Library, question: str) -> None:
    assert library.search(question).corrections == {}


def test_a_word_with_a_synonym_of_the_users_own_is_no_mistake(tmp_path: Path) -> None:
    write_tree(tmp_path, {**TREE, "synonyms.toml": 'same = [["kuberntes", "harbour"]]\n'})
    with pinakes.open(tmp_path) as opened:
        opened.sync()
        results = opened.search("kuberntes")

    assert (results.corrections, results.hits[0].ref.path) == ({}, "guide/tides.md")


def test_a_word_that_another_corpus_knows_is_never_replaced(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", TREE)
    far = tmp_path / "far.md"
    far.write_text("# Kuberntes\n\nOur own tool, called kuberntes.\n")
    with pinakes.open(root) as opened:
        opened.sync()
        opened.added.add(str(far))
        results = opened.search("kuberntes midleware")

    assert results.corrections == {"midleware": "middleware"}
    assert {hit.ref.corpus for hit in results.hits} == {"docs", "added"}
    assert "guide/kubernetes.md" not in {hit.ref.path for hit in results.hits[:2]}


def test_spelling_can_be_left_out(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, TREE), {"search.leave_out": ["spelling"]}) as opened:
        opened.sync()

        assert opened.search("kuberntes").unknown == ("kuberntes",)


def test_every_beginning_of_a_word_that_is_being_typed_shows_its_page(library: Library) -> None:
    for end in range(2, len("middleware")):
        assert "guide/middleware.md" in {
            hit.ref.path for hit in library.search(Query("middleware"[:end], typing=True)).hits
        }
    assert not library.search(Query("kuber of the har", typing=True)).unknown
    assert library.search(Query("harbour mid", typing=True)).hits[0].ref.path == "guide/tides.md"


def test_a_text_is_completed_by_words_of_the_documents(library: Library) -> None:
    assert library.completions("changes mid") == ["changes midday", "changes middleware"]
    assert library.completions("changes ") == library.completions("") == []


def test_a_short_word_finds_what_it_is_short_for_and_no_word_that_only_begins_like_it(tmp_path: Path) -> None:
    pages = {f"{at}.md": f"# Report {at}\n\nThe author of report {at} will debug the dashboard.\n" for at in range(30)}
    own = {
        "sign.md": "# Signing in\n\nThe service begins with authentication by a token.\n",
        "rows.md": "# Rows\n\nEvery row is kept in a database, with a journal beside it.\n",
        "name.md": "# Names\n\nCall getUserById with a number.\n",
    }
    with pinakes.open(write_tree(tmp_path, {**pages, **own})) as library:
        library.sync()
        for question, page in (("auth", "sign.md"), ("db journal", "rows.md"), ("getUser", "name.md")):
            found = library.search(question)
            assert (found.hits[0].ref.path, found.doubt) == (page, ""), question
        assert library.search("auth").corrections == {"auth": "authentication"}
        # A known word stays, is found first, and finds its long form besides; so does one that was just written.
        (tmp_path / "1.md").write_text("# Notes\n\nAll about auth, as it was meant, and about nothing but that.\n")
        (tmp_path / "2.md").write_text("# Rights\n\nIt needs authorization, which a clerk writes by hand.\n")
        library.sync()
        found = library.search(Query("auth", limit=10))
        assert not found.corrections
        assert {"1.md", "2.md", "sign.md"} <= {hit.ref.path for hit in found.hits}
