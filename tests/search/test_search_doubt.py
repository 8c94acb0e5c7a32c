"""Answers that are probably none say so, and what is far below the best hit is not shown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.records import HitDetail, Query
from pinakes.render import results_text
from pinakes.serve.mcp.answers import results_for_model

NAMES = ["".join(parts) for parts in product(("lu", "ma", "ti", "ro", "ke", "so"), ("ban", "der", "gol"), ("ix", "um"))]
TREE = {
    f"{name}.md": f"# The {name}\n\nHow a {name} is built.\n"
    + "".join(
        f"\n## {name} with {other}\n\nPut the {other} beside the {name} and turn it twice.\n" for other in NAMES[:8]
    )
    for name in NAMES
} | {
    "privacy.md": "# Privacy\n\nTelemetry is sent once a day and can be switched off.\n",
    "locks.md": "# Locks\n\nA lockfile names every package that was resolved.\n",
}

APART = Query("how does the lockfile of my cluster scheduler report telemetry to dashboards", abstain=False)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with pinakes.open(write_tree(tmp_path_factory.mktemp("library"), TREE)) as opened:
        opened.sync()
        yield opened


def test_words_that_stand_apart_are_named(library: Library) -> None:
    weak = library.search(APART)

    assert weak.doubt.startswith("Weak: the best hits hold ")
    assert weak.doubt.endswith("; none of them holds “lockfile” and “telemetry” together.")


def test_doubt_is_told_in_text_and_to_models_before_what_is_quoted(library: Library) -> None:
    weak = library.search(APART)

    assert weak.doubt in results_text(weak, explain=False).splitlines()
    assert results_for_model(weak).splitlines()[1] == weak.doubt


def test_doubt_is_about_sections_however_little_of_them_is_shown(library: Library) -> None:
    whole, bare = (library.search(replace(APART, detail=detail)) for detail in (HitDetail.SECTION, HitDetail.IDS))

    assert whole.doubt == bare.doubt != ""


@pytest.mark.parametrize("question", ["telemetry", "is telemetry sent once a day", "put the ledban beside the lubanix"])
def test_what_is_answered_is_not_doubted(library: Library, question: str) -> None:
    found = library.search(question)

    assert found.hits
    assert found.doubt == ""


def test_a_guess_of_the_answer_is_not_doubted(library: Library) -> None:
    assert library.search(Query("gist", hypothesis="telemetry can be switched off")).doubt == ""


def test_what_is_far_below_the_best_is_left_out_unless_a_number_is_asked_for(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path, {f"{name}.md": f"# {name}\n\n{name * (place + 1)}\n" for place, name in enumerate(NAMES[:8])}
    )
    with pinakes.open(root) as opened:
        opened.sync()

        assert [hit.ref.path for hit in opened.search(NAMES[0]).hits] == [f"{NAMES[0]}.md"]
        assert len(opened.search(Query(NAMES[0], limit=10)).hits) == 8


def test_what_answers_as_well_is_not_left_out_for_being_the_last_of_few(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "# A\n\nTokens expire.\n", "b.md": "# B\n\nHere tokens expire, too.\n"})
    with pinakes.open(root, {"search.duplicates": 0.0}) as opened:
        opened.sync()

        assert [hit.ref.path for hit in opened.search("tokens expire").hits] == ["a.md", "b.md"]


def test_a_word_that_was_guessed_is_shown_and_is_no_evidence(library: Library) -> None:
    right, guessed = library.search("is telemetry sent once a day"), library.search("is telmetrx sent once a day")

    assert guessed.corrections == {"telmetrx": "telemetry"}
    assert [hit.ref for hit in guessed.hits] == [hit.ref for hit in right.hits]
    assert guessed.evidence is not None
    assert right.evidence is not None
    assert guessed.evidence.coverage < right.evidence.coverage
    assert guessed.evidence.unseen > right.evidence.unseen == 0
    assert guessed.evidence.belief < right.evidence.belief


def test_a_long_word_with_one_slip_or_without_its_end_is_as_good_as_the_word(library: Library) -> None:
    right = library.search("is telemetry sent once a day")
    for question in ("is telemetrx sent once a day", "is telemet sent once a day"):
        meant = library.search(question)
        assert set(meant.corrections.values()) == {"telemetry"}
        assert meant.evidence is not None and right.evidence is not None
        assert (meant.evidence.coverage, meant.evidence.unseen) == (right.evidence.coverage, right.evidence.unseen)
        assert not meant.doubt


def test_where_the_hits_hold_every_word_together_nothing_is_doubted(library: Library) -> None:
    for question in ("package", "every package", "is it a day", "names every package that was resolved once a day"):
        found = library.search(Query(question, abstain=False))
        assert "100%" not in found.doubt


def test_a_guess_is_named_in_the_doubt_it_causes(library: Library) -> None:
    guessed = library.search(Query("how does the lockfil of my clustr scheduler report telmetrx", abstain=False))

    assert guessed.doubt.startswith("Weak: the best hits hold ")
    assert " of the question as it was spelled" in guessed.doubt


def test_a_short_question_whose_rarest_words_no_hit_holds_together_is_doubted(library: Library) -> None:
    found = library.search("switch telemetry of packages")

    assert found.hits
    assert found.evidence is not None
    assert found.evidence.belief > 0.05
    assert found.doubt.startswith("Weak: none of them holds “packages”")


def test_what_a_page_says_of_itself_is_held_by_it_and_a_comment_is_not(tmp_path: Path) -> None:
    own = "---\ntitle: Safely drain\naliases: [cordon page]\n---\nPods leave.\n\n<!-- unicornword -->\n"
    with pinakes.open(write_tree(tmp_path, {**TREE, "drain.md": own})) as opened:
        opened.sync()
        found = opened.search("cordon page")
        assert (found.hits[0].ref.path, found.doubt) == ("drain.md", "")
        assert not opened.search("unicornword").hits
