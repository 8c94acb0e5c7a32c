"""Which of the leading candidates are shown: duplicates, templates, recent documents, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.neural import load_reranker
from pinakes.records import Query

_ABOUT = (
    "Keep the {0} warm, feed the {0} twice a day, brush the {0} every week and let a vet see the {0} once a year.\n"
)
_COPY = "Every visitor signs the book at the gate, leaves a phone number and takes a badge for the day of the visit.\n"
PETS = {f"pets/{name}.md": f"# Caring for {name}\n\n{_ABOUT.format(name)}" for name in ("cats", "dogs", "c++", "c#")}
TREE = PETS | {
    "gate.md": f"# Gate\n\n{_COPY}",
    "old/gate.md": f"# Entrance rules\n\n{_COPY}",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with pinakes.open(write_tree(tmp_path_factory.mktemp("library"), TREE)) as opened:
        opened.sync()
        yield opened


def paths(library: Library, query: Query) -> list[str]:
    return sorted(hit.ref.path for hit in library.search(query).hits)


def test_pages_of_one_template_about_different_things_stay_apart(library: Library) -> None:
    assert paths(library, Query("feed twice a day brush every week", min_share=0.4)) == sorted(PETS)


def test_a_copy_under_another_heading_is_folded_unless_duplicates_are_asked_for(library: Library) -> None:
    asked = "visitor signs the book takes a badge"

    assert len(paths(library, Query(asked, min_share=0.4))) == 1
    assert paths(library, Query(asked, min_share=0.4, duplicates=True)) == ["gate.md", "old/gate.md"]


def test_what_was_left_out_is_counted_by_reason(library: Library) -> None:
    found = library.search(Query("visitor signs the book takes a badge", min_share=0.4))
    select = next(stage for stage in found.stages if stage.name == "select")

    assert select.left_out["duplicate"] == 1
    assert select.came_in == select.went_out + sum(select.left_out.values())


def test_folding_can_be_switched_off_for_a_library(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, TREE), {"search.duplicates": 0.0}) as opened:
        opened.sync()

        assert paths(opened, Query("visitor signs the book takes a badge", min_share=0.4)) == ["gate.md", "old/gate.md"]


@pytest.mark.parametrize("settings", [{"search.recent": ["docs"]}, {}])
def test_recent_documents_can_be_lifted(tmp_path: Path, settings: dict[str, object]) -> None:
    text = "---\ndate: {}\n---\n# Minutes\n\nThe {} lamp was trimmed.\n"
    days = {"a.md": "2001-01-01", "b.md": (datetime.now(UTC) - timedelta(days=2)).date().isoformat()}
    tree = {path: text.format(day, path) for path, day in days.items()} | {f"{n}.md": f"# {n}\n\nBoats." for n in "xyz"}
    with pinakes.open(write_tree(tmp_path, tree), {**settings, "search.duplicates": 0.0}) as opened:
        opened.sync()
        hits = opened.search(Query("lamp trimmed", limit=2, recent=not settings)).hits

    assert [hit.ref.path for hit in hits] == ["b.md", "a.md"]
    assert [vote.score for vote in hits[0].votes if vote.retriever == "recency"] == [1.2]


def test_thorough_answers_without_a_reranker_that_is_not_there(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "# Lamps\n\nThe lamp was trimmed.\n"})
    with pinakes.open(root, {"neural.reranker": "nothere"}) as opened:
        opened.sync()
        found = opened.search(Query("lamp", profile="thorough"))

    assert [hit.ref.path for hit in found.hits] == ["a.md"]
    assert [part.partition(":")[0] for part in found.missing] == ["rerank"]


def test_thorough_reads_the_first_hits_again_and_says_by_whom(tmp_path: Path) -> None:
    pages = {f"{n}.md": f"# Page {n}\n\nThe lamp is trimmed by keeper {n}.\n" for n in range(30)}
    root = write_tree(tmp_path / "root", {**pages, "wanted.md": "# Lamps\n\nHow the wick of a lantern is shortened.\n"})
    question = Query("trim the wick of a lantern", profile="thorough", limit=40)
    with pinakes.open(root, {"search.duplicates": 0.0}) as opened:
        opened.sync()
        found = opened.search(question)
    told = [next((vote for vote in hit.votes if vote.retriever == "rerank"), None) for hit in found.hits]

    assert found.hits[0].ref.path == "wanted.md"
    assert sum(vote is not None for vote in told) == 24
    assert {vote.by for vote in told if vote} == {load_reranker("docs-rerank").name}
    assert told[0] and told[0].score == max(vote.score for vote in told if vote)
    with pinakes.open(root, {"search.duplicates": 0.0, "weights.rerank": 0.0}) as opened:
        plain = opened.search(question)
    with pinakes.open(root, {"search.duplicates": 0.0, "neural.reranker": "none"}) as opened:
        assert [(hit.ref, hit.score) for hit in plain.hits] == [
            (hit.ref, hit.score) for hit in opened.search(question).hits
        ]


def test_thorough_without_a_reranker_begins_as_balanced_does(laid_out: Path, tmp_path: Path) -> None:
    root = laid_out / "docs-dev" / "corpus" / "uv"
    settings = {"keywords.enabled": False, "history.enabled": False, "neural.reranker": "none"}
    with pinakes.open(root, {"store": tmp_path, **settings}) as opened:
        opened.sync()
        for text in ("how do I pin a python version", "authentication of a private index", "cache", "lock file format"):
            usual, further = (
                [(hit.ref, hit.score) for hit in opened.search(Query(text, limit=20, profile=profile)).hits]
                for profile in ("balanced", "thorough")
            )
            assert further == usual, text
