"""What holds for every answer: limits, falling scores, true slices, filters, the same answer twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.records import Filter, HitDetail, Query
from pinakes.tokens import count_tokens

WORDS = (
    "token",
    "expire",
    "proxy",
    "cache",
    "install",
    "データベース",
    "naïve",
    "C++",
    "--force",
    "v1.2.3",
    "getUserById",
)
TREE = {
    f"{folder}/{name}.md": f"---\ntags: [{folder}]\n---\n# {name}\n\n"
    + "\n\n".join(
        f"## {one} and {other}\n\nThe {one} of a {name} is told by its {other}; see [there](../b/cache.md). "
        + f"{one} {other} matters. " * (number % 7)
        for number, (one, other) in enumerate(pairwise(WORDS))
    )
    for folder in ("a", "b")
    for name in ("cache", "proxy", "token")
}
QUESTIONS = st.one_of(
    st.lists(st.sampled_from((*WORDS, '"the token"', "-cache", "path:a", "tag:b", "how do I")), max_size=6).map(
        " ".join
    ),
    st.text(max_size=40),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root: Path = write_tree(tmp_path_factory.mktemp("laws"), TREE)
    with pinakes.open(root) as opened:
        opened.sync()
        yield opened


@given(
    text=QUESTIONS,
    limit=st.integers(1, 30),
    profile=st.sampled_from(("fast", "balanced", "thorough")),
    detail=st.sampled_from(tuple(HitDetail)),
    max_tokens=st.sampled_from((0, 0, 1, 80, 400)),
)
@settings(max_examples=150, deadline=None)
def test_every_answer_keeps_the_promises(
    library: Library, text: str, limit: int, profile: str, detail: HitDetail, max_tokens: int
) -> None:
    query = Query(text, limit=limit, profile=profile, detail=detail, max_tokens=max_tokens)
    results = library.search(query)

    assert len(results.hits) <= limit
    assert [hit.score for hit in results.hits] == sorted((hit.score for hit in results.hits), reverse=True)
    assert library.search(query).hits == results.hits
    if max_tokens:
        assert sum(count_tokens(hit.text) for hit in results.hits) <= max_tokens
    for hit in results.hits:
        source = (library.root / hit.ref.path).read_bytes()
        assert hit.text in ("", source[hit.span.start : hit.span.end].decode())
        assert all(hit.span.start <= match.start < match.end <= hit.span.end for match in hit.matches)
        assert source[: hit.span.start].count(b"\n") == hit.lines.start
    if results.abstained:
        assert not results.hits
    assert not results.missing


@given(text=QUESTIONS, folder=st.sampled_from(("a", "b")), profile=st.sampled_from(("fast", "balanced", "thorough")))
@settings(max_examples=60, deadline=None)
def test_filters_hold_for_every_hit(library: Library, text: str, folder: str, profile: str) -> None:
    for where in (Filter(paths=(folder,)), Filter(tags=(folder,))):
        hits = library.search(Query(text, where, profile=profile, abstain=False)).hits
        assert all(hit.ref.path.startswith(f"{folder}/") for hit in hits)


@given(text=QUESTIONS)
@settings(max_examples=60, deadline=None)
def test_a_pack_is_within_its_tokens_and_in_reading_order(library: Library, text: str) -> None:
    hits = library.search(Query(text, pack=True, max_tokens=300, abstain=False)).hits

    assert sum(count_tokens(hit.text) for hit in hits) <= 300
    assert [(hit.ref.path, hit.span) for hit in hits] == sorted((hit.ref.path, hit.span) for hit in hits)


def test_meaning_that_is_down_leaves_words_to_answer_and_says_so(tmp_path: Path) -> None:
    write_tree(tmp_path, TREE)
    store = tmp_path / "index"
    with pinakes.open(tmp_path, {"store": str(store), "neural.model": "http://127.0.0.1:9/v1#nobody"}) as opened:
        opened.refresh()
        results = opened.search("when does a token expire")

    assert results.hits
    assert any("meaning" in part for part in results.missing)
