"""One answer out of the vectors of two embedders, however much the finer one has come to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kits.vectors import Bag, filled
from pinakes.own_folder import OwnFolder
from pinakes.ports import ActiveVectors, FinerVectors
from pinakes.records import DOCS, Query, Ref, Traits
from pinakes.search import SearchOptions, Tools, search
from pinakes.search.finer import BlendedVectors, Line, fitted, prior
from pinakes.vectors import open_vectors
from pinakes.vectors.snapshot import VectorSnapshot
from pinakes.words import open_words

WORDS = ["tide", "harbour", "boat", "rope", "anchor", "chart", "pilot", "lantern", "fog", "bell"]
PAGES = {
    f"{n}.md": f"# About {WORDS[n % 10]}\n\n{WORDS[n % 10]} and {WORDS[n * 3 % 10]}, {WORDS[n * 7 % 10]} {n}.\n"
    for n in range(30)
}
QUESTIONS = ("tide and anchor", "bell in the fog", "lantern", "where is the pilot of boat 7")


class Bags:
    """Documents, and both kinds of vectors of all of them."""

    def __init__(self, folder: Path) -> None:
        self.store = filled(PAGES)
        self.coarse, self.finer = Bag("coarse", 24), Bag("finer", 96)
        self.finer.traits = Traits(0.7, 0.1)
        words = open_words(OwnFolder(folder / "words", 2))
        words.update(self.store)
        self.tools = Tools(self.store, words.now)
        self.moments = []
        for bag in (self.coarse, self.finer):
            made = open_vectors(OwnFolder(folder / bag.name, 2))
            made.update(self.store, bag)
            assert made.opened is not None
            self.moments.append(VectorSnapshot(made.opened))

    def alone(self, which: int) -> Tools:
        bag = (self.coarse, self.finer)[which]
        return replace(self.tools, meaning=ActiveVectors(self.moments[which], bag))

    def together(self, live: list[bool], share: float) -> Tools:
        part = self.moments[1].limited(np.array(live))
        finer = FinerVectors(part, self.finer, share)
        return replace(self.tools, meaning=ActiveVectors(self.moments[0], self.coarse, finer))


@pytest.fixture(scope="module")
def bags(tmp_path_factory: pytest.TempPathFactory) -> Bags:
    return Bags(tmp_path_factory.mktemp("bags"))


def found(tools: Tools, question: str) -> list[tuple[str, float]]:
    hits = search(Query(question, limit=20), tools, SearchOptions()).hits
    return [(hit.ref.path, round(hit.score, 9)) for hit in hits]


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_upgraded_answers_as_the_coarse_embedder_alone(bags: Bags, question: str) -> None:
    nothing = bags.together([False] * len(PAGES), 0.0)
    assert found(nothing, question) == found(bags.alone(0), question)


@pytest.mark.parametrize("question", QUESTIONS)
def test_everything_upgraded_answers_as_the_finer_embedder_alone(bags: Bags, question: str) -> None:
    everything = bags.together([True] * len(PAGES), 1.0)
    assert found(everything, question) == found(bags.alone(1), question)
    one, other = (search(Query(question), tools, SearchOptions()) for tools in (everything, bags.alone(1)))
    assert one.evidence == other.evidence
    assert [hit.votes for hit in one.hits] == [hit.votes for hit in other.hits]


@settings(max_examples=40, deadline=None)
@given(live=st.lists(st.booleans(), min_size=len(PAGES), max_size=len(PAGES)), question=st.sampled_from(QUESTIONS))
def test_any_part_upgraded_gives_an_answer_that_keeps_its_promises(bags: Bags, live: list[bool], question: str) -> None:
    tools = bags.together(live, sum(live) / len(live))
    results = search(Query(question, limit=7), tools, SearchOptions())
    assert results.missing == ()
    assert 0 < len(results.hits) <= 7
    assert [hit.score for hit in results.hits] == sorted((hit.score for hit in results.hits), reverse=True)
    for hit in results.hits:
        assert hit.text in PAGES[hit.ref.path]
        judges = [vote.by for vote in hit.votes if vote.retriever == "meaning"]
        assert judges == ["finer" if live[sorted(PAGES).index(hit.ref.path)] else "coarse"]
        assert not any(vote.by for vote in hit.votes if vote.retriever != "meaning")
    assert results.hits == search(Query(question, limit=7), tools, SearchOptions()).hits


def test_whoever_has_a_finer_vector_is_judged_by_it_and_others_keep_their_order(bags: Bags) -> None:
    live = [n % 3 == 0 for n in range(len(PAGES))]
    tools = bags.together(live, 1.0)  # on the finer scale altogether
    assert tools.meaning is not None
    assert tools.meaning.finer is not None
    both = BlendedVectors("tide and anchor", bags.moments[0], bags.coarse, tools.meaning.finer)
    scores = dict(both.best(None, 100))
    fine = tools.meaning.finer.vectors.scores(bags.finer.encode(["tide and anchor"])[0], list(scores))
    coarse = bags.moments[0].scores(bags.coarse.encode(["tide and anchor"])[0], list(scores))
    assert len(scores) == len(PAGES)
    assert {chunk: scores[chunk] for chunk in fine} == fine
    rest = sorted((chunk for chunk in scores if chunk not in fine), key=scores.__getitem__)
    assert [coarse[chunk] for chunk in rest] == sorted(coarse[chunk] for chunk in rest)
    assert both.scores(list(scores)) == pytest.approx(scores)


def test_weight_and_noise_go_from_the_one_to_the_other(bags: Bags) -> None:
    tools = bags.together([True] * len(PAGES), 0.5)
    assert tools.meaning is not None
    half = tools.meaning.traits
    assert half.dense_weight == pytest.approx((bags.coarse.traits.dense_weight + bags.finer.traits.dense_weight) / 2)
    assert half.noise == pytest.approx((bags.coarse.traits.noise + bags.finer.traits.noise) / 2)


def test_a_line_is_that_of_any_question_until_enough_have_both() -> None:
    before = prior(0.3, 0.1)
    assert before(0.3) == pytest.approx(0.1)
    assert before(1.0) == pytest.approx(1.0)
    assert fitted(before, []) == before
    pairs = [(x / 1000, 0.5 * x / 1000 + 0.2) for x in range(1000)]
    line = fitted(before, pairs)
    assert line.slope == pytest.approx(0.5, abs=0.03)
    assert line(0.5) == pytest.approx(0.45, abs=0.01)
    assert abs(fitted(before, pairs[500:502])(0.5) - before(0.5)) < 0.05
    assert Line(2.0, 1.0).back(Line(2.0, 1.0)(0.25)) == 0.25


def test_a_filter_holds_for_both(bags: Bags) -> None:
    tools = bags.together([n % 2 == 0 for n in range(len(PAGES))], 0.5)
    places = bags.store.places([Ref(DOCS, path) for path in PAGES])
    assert len(places) == len(PAGES)
    hits = search(Query("path:1*.md tide", limit=30), tools, SearchOptions()).hits
    assert hits
    assert all(hit.ref.path.startswith("1") for hit in hits)
