"""The reranker that comes with Pinakes: words of a question against words of passages."""

from __future__ import annotations

import pytest

from pinakes.errors import ConfigError
from pinakes.neural import embedder_name, list_models, load_embedder, load_reranker

QUESTION = "how do I remove a branch that was merged"
ANSWER = "Deleting a branch: once its commits are merged, drop the branch with one command."
OTHER = "The colours of a theme are set in a file of their own, one for each kind of page."


def test_a_passage_that_says_it_in_other_words_gains_more() -> None:
    reader = load_reranker("docs-rerank")
    found = reader.score(QUESTION, [OTHER, ANSWER, ""])
    assert found[1] > found[0] > found[2] == 0.0


def test_the_order_of_passages_changes_nothing() -> None:
    reader = load_reranker("docs-rerank")
    passages = [OTHER, ANSWER, "", "branch " * 3000, "分支 合并", "\ud800 broken"]
    found = reader.score(QUESTION, passages)
    assert reader.score(QUESTION, passages[::-1])[::-1] == pytest.approx(found, abs=1e-5)
    assert list(reader.score("", passages)) == [0.0] * len(passages)
    assert list(reader.score("?!", passages)) == [0.0] * len(passages)
    assert list(reader.score(QUESTION, [])) == []


def test_it_is_listed_as_a_reranker_and_is_no_embedder() -> None:
    (listed,) = (one for one in list_models("auto", "docs-rerank") if one.name == "docs-rerank")
    assert (listed.is_reranker, listed.is_selected, listed.problem) == (True, True, "")
    assert listed.embedder == load_reranker("docs-rerank").name
    for load in (load_embedder, embedder_name):
        with pytest.raises(ConfigError, match="--reranker"):
            load("docs-rerank")
