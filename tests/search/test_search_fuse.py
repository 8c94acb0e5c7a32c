"""Fusion and page support, with literals."""

from __future__ import annotations

from pinakes.records import ChunkId, Scored
from pinakes.search.fuse import behind, fuse
from pinakes.search.recall import clarity

FLOOR = 0.6
A, B, C = ChunkId(1, 0), ChunkId(1, 1), ChunkId(2, 0)


def test_scores_of_any_scale_are_added_by_weight() -> None:
    lists = {"words": [Scored(A, 30.0), Scored(B, 10.0)], "meaning": [Scored(B, 0.9), Scored(C, 0.0)]}
    ranking = fuse(lists, {"words": 0.6, "meaning": 0.4})
    assert [(one.chunk, round(one.score, 6)) for one in ranking] == [(A, 0.6), (B, 0.6), (C, 0.0)]
    assert [(vote.retriever, vote.rank) for vote in ranking[1].votes] == [("words", 2), ("meaning", 1)]


def test_a_missing_retriever_leaves_its_weight_to_the_other() -> None:
    ranking = fuse({"words": [Scored(A, 3.0), Scored(B, 1.0)]}, {"words": 0.5, "meaning": 0.5})
    assert ranking[0].score == 1.0


def test_ties_are_in_the_order_of_addresses() -> None:
    ranking = fuse({"words": [Scored(C, 1.0), Scored(A, 1.0)]}, {"words": 1.0})
    assert [one.chunk for one in ranking] == [A, C]


def test_a_flat_list_counts_for_less() -> None:
    flat = [Scored(ChunkId(n, 0), 1.0 - n / 1000) for n in range(20)]
    steep = [Scored(ChunkId(n, 0), 1.0 / (n + 1)) for n in range(20)]
    assert clarity(flat, FLOOR) < clarity(steep, FLOOR) == 1.0


def test_nothing_found_is_no_ranking() -> None:
    assert fuse({"words": [], "meaning": []}, {"words": 0.5, "meaning": 0.5}) == ()


def test_candidates_from_further_down_stand_behind_all_others() -> None:
    usual = {"words": [Scored(A, 3.0), Scored(B, 1.0)], "meaning": [Scored(B, 0.8), Scored(A, 0.4)]}
    further = {"words": [Scored(C, 2.0)], "meaning": []}
    weights = {"words": 0.6, "meaning": 0.4}
    before = fuse(usual, weights)
    *first, last = behind(before, usual, further, weights, "convex")
    assert tuple(first) == before
    assert (last.chunk, [(vote.retriever, vote.rank) for vote in last.votes]) == (C, [("words", 3)])
    assert last.score <= before[-1].score
