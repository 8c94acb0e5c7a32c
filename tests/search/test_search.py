"""Search from outside: real documents, a real word index, real vectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.errors import ConfigError
from pinakes.records import Filter, HitDetail, Kind, Query, QuestionKind
from pinakes.records.search import Match
from pinakes.search.understand import question_kind
from pinakes.tokens import count_tokens

EXPIRY = "Tokens expire after one hour. Call `refreshToken()` before that to stay signed in.\n"
TREE = {
    "guide/install.md": "# Installation\n\nDownload the archive and run the setup program.\n\n## Proxies\n\n"
    "Behind a corporate proxy, set `--max-retries` to five so that the download survives a lost connection.\n",
    "guide/auth.md": "---\ntags: [security]\n---\n# Authentication\n\nA user proves who they are with a password.\n\n"
    f"## Tokens\n\n{EXPIRY}",
    "api/errors.md": "# Errors\n\n## E0308\n\nThe types do not match; the compiler names both.\n\n"
    "```python\nraise TypeError\n```\n",
    "copy.md": f"# Copy\n\n## Tokens again\n\n{EXPIRY}",
    "words.md": "# 設定\n\nデータベースの接続を設定します。\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = write_tree(tmp_path_factory.mktemp("library"), TREE)
    with pinakes.open(root) as opened:
        opened.sync()
        yield opened


def refs(library: Library, question: str, **more: object) -> list[str]:
    return [str(hit.ref) for hit in library.search(Query(question, **more)).hits]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("when do tokens expire", "docs:guide/auth.md#tokens"),
        ("refreshToken", "docs:guide/auth.md#tokens"),
        ("--max-retries", "docs:guide/install.md#proxies"),
        ("E0308", "docs:api/errors.md#e0308"),
        ("prove who I am", "docs:guide/auth.md#authentication"),
        ("データベース", "docs:words.md#設定"),
    ],
)
def test_the_right_section_comes_first(library: Library, question: str, best: str) -> None:
    assert refs(library, question)[0] == best


def test_every_hit_is_a_slice_of_its_file_and_says_why_it_is_there(library: Library) -> None:
    results = library.search("when do tokens expire")
    assert {vote.retriever for hit in results.hits for vote in hit.votes} == {"words", "meaning", "page", "rare"}
    for hit in results.hits:
        source = (library.root / hit.ref.path).read_bytes()
        assert source[hit.span.start : hit.span.end].decode() == hit.text
        assert all(hit.span.start <= match.start < match.end <= hit.span.end for match in hit.matches)
    assert [hit.score for hit in results.hits] == sorted((hit.score for hit in results.hits), reverse=True)
    assert results == library.search("when do tokens expire") or results.hits == library.search(results.query).hits


def test_a_copy_is_folded_into_the_first_and_named(library: Library) -> None:
    first = library.search("tokens expire after one hour").hits[0]
    assert {str(first.ref), *map(str, first.also_in)} == {"docs:guide/auth.md#tokens", "docs:copy.md#tokens-again"}


def test_filters_hold_however_they_are_said(library: Library) -> None:
    assert all(ref.startswith("docs:guide/") for ref in refs(library, "tokens path:guide"))
    assert all(ref.startswith("docs:guide/") for ref in refs(library, "tokens", where=Filter(paths=("guide",))))
    assert refs(library, "tokens tag:security")[0] == "docs:guide/auth.md#tokens"
    assert {ref.split("#")[0] for ref in refs(library, "tag:security tokens")} == {"docs:guide/auth.md"}
    assert refs(library, "types lang:python") == ["docs:api/errors.md#e0308"]
    assert all(ref.startswith("docs:guide/") for ref in refs(library, "tokens", where=Filter(kinds=(Kind.GUIDE,))))


def test_limits_are_kept(library: Library) -> None:
    assert len(refs(library, "tokens", limit=2)) == 2
    small = library.search(Query("tokens", max_tokens=70))
    assert small.hits
    assert len(small.hits) < len(refs(library, "tokens"))


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   ",
        "C++",
        "a-b",
        '"unbalanced',
        "-",
        "--",
        "path:",
        "the of and",
        "😀",
        "שלום",
        "x" * 10_000,
        "a " * 5000,
        "*?[]()",
    ],
)
def test_no_question_is_an_error(library: Library, question: str) -> None:
    assert len(refs(library, question)) <= 10


def test_words_that_occur_nowhere_are_named_and_alone_answer_nothing(library: Library) -> None:
    assert library.search("tokens zyzzyva").unknown == ("zyzzyva",)
    nothing = library.search("zyzzyva quux")
    assert nothing.hits == ()
    assert nothing.unknown == ("zyzzyva", "quux")


def test_a_guess_of_the_answer_is_searched_by_meaning(library: Library) -> None:
    hits = library.search(Query("session", hypothesis="tokens expire after an hour and must be refreshed")).hits
    assert "tokens" in str(hits[0].ref)


def test_an_edit_is_found_by_the_next_search(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "# One\n\nAbout lighthouses.\n", "b.md": "# Two\n\nAbout harbours.\n"})
    with pinakes.open(root) as opened:
        opened.sync()
        assert refs(opened, "lighthouses") == ["docs:a.md#one", "docs:b.md#two"]
        (root / "b.md").write_text("# Two\n\nAbout lighthouses and lighthouses.\n")
        (root / "a.md").unlink()
        opened.sync()
        assert refs(opened, "lighthouses") == ["docs:b.md#two"]


@pytest.mark.parametrize("part", ["words", "vectors"])
def test_a_damaged_part_is_made_again(tmp_path: Path, part: str) -> None:
    root = write_tree(tmp_path, TREE)
    with pinakes.open(root) as opened:
        opened.sync()
        before = refs(opened, "when do tokens expire")
    for file in (root / ".pinakes" / part).rglob("*"):
        if file.is_file():
            file.write_bytes(b"\x00garbage" * 7)
    with pinakes.open(root) as opened:
        answers = [opened.search(Query("when do tokens expire")) for _ in range(2)]
        assert [str(hit.ref) for hit in answers[-1].hits] == before
        assert answers[-1].missing == ()


def test_an_unknown_profile_is_refused(library: Library) -> None:
    with pytest.raises(ConfigError, match="balanced"):
        library.search(Query("tokens", profile="thorogh"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("what does --max-retries do", QuestionKind.FACTUAL),
        ("getUserById", QuestionKind.FACTUAL),
        ("error E0308", QuestionKind.FACTUAL),
        ("guide for beginners", QuestionKind.NAVIGATIONAL),
        ("coding guidelines", QuestionKind.EXPLORATORY),
        ("why is it slow", QuestionKind.EXPLORATORY),
    ],
)
def test_questions_are_told_apart_by_whole_words_and_shapes(text: str, kind: QuestionKind) -> None:
    assert question_kind(text) is kind


@pytest.mark.parametrize("profile", ["fast", "balanced"])
def test_phrases_and_exclusions_hold_for_every_hit(library: Library, profile: str) -> None:
    for hit in library.search(Query("tokens -hour", profile=profile)).hits:
        assert "hour" not in hit.text
    found = library.search(Query('"lost connection"', profile=profile)).hits
    assert [str(hit.ref) for hit in found] == ["docs:guide/install.md#proxies"]
    assert library.search(Query('"connection lost"', profile=profile)).hits == ()


def test_nothing_answers_what_the_library_is_not_about(library: Library) -> None:
    results = library.search("lattice gauge theory of quarks")

    assert results.hits == ()
    assert "quarks" in results.unknown
    assert "quarks" in results.abstained
    assert results.nearest
    assert library.search(Query("lattice gauge theory of quarks", abstain=False)).hits


def test_a_date_that_is_none_is_refused(library: Library) -> None:
    with pytest.raises(ConfigError, match="“soon” is not a valid date"):
        library.search(Query("tokens", where=Filter(after="soon")))


def test_ids_have_an_address_and_no_text(library: Library) -> None:
    hits = library.search(Query("when do tokens expire", detail=HitDetail.IDS)).hits

    assert hits
    assert all(not hit.text and not hit.matches and hit.ref.path for hit in hits)


LONG = "# Manual\n\n" + "\n\n".join(
    f"Paragraph {number} speaks of {word} and of nothing else, at some length so that it fills a few lines of text;"
    f" whoever looks for {word} finds it here and nowhere else in the whole manual, which has a paragraph for each."
    for number, word in enumerate(
        ["apples", "bridges", "candles", "dunes", "engines", "forests", "glaciers", "harps"] * 2
    )
)


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with pinakes.open(write_tree(tmp_path_factory.mktemp("manual"), {"manual.md": LONG})) as opened:
        opened.sync()
        yield opened


def test_a_snippet_is_the_passage_with_the_words(manual: Library) -> None:
    section = manual.search(Query("engines")).hits[0]
    snippet = manual.search(Query("engines", detail=HitDetail.SNIPPET)).hits[0]
    source = (manual.root / "manual.md").read_bytes()

    assert "engines" in snippet.text
    assert len(snippet.text) < len(section.text)
    assert source[snippet.span.start : snippet.span.end].decode() == snippet.text
    assert source[: snippet.span.start].count(b"\n") == snippet.lines.start


def test_a_token_limit_is_hard_and_shortens_before_it_leaves_out(manual: Library) -> None:
    hits = manual.search(Query("engines", max_tokens=160)).hits

    assert hits
    assert sum(count_tokens(hit.text) for hit in hits) <= 160
    assert "engines" in hits[0].text
    assert manual.search(Query("engines", max_tokens=1)).hits == ()


def test_chunks_of_one_section_that_stand_together_are_one_hit(manual: Library) -> None:
    hits = manual.search(Query("paragraph manual whoever looks")).hits
    source = (manual.root / "manual.md").read_bytes()

    assert len(hits) == 1
    assert len(hits[0].text) > 2000
    assert source[hits[0].span.start : hits[0].span.end].decode() == hits[0].text


def test_a_pack_covers_the_question_in_reading_order_and_fills_its_room(manual: Library) -> None:
    few, many = (manual.search(Query("harps and bridges", pack=True, max_tokens=most)).hits for most in (400, 1200))

    for hits in (few, many):
        assert {word for word in ("harps", "bridges") if any(word in hit.text for hit in hits)} == {"harps", "bridges"}
        assert [hit.span for hit in hits] == sorted(hit.span for hit in hits)
    assert sum(hit.tokens for hit in few) <= 400 < sum(hit.tokens for hit in many) <= 1200
    assert len(manual.search(Query("harps and bridges", pack=True, limit=1)).hits) == 1


def test_within_a_budget_more_hits_come_before_longer_ones(library: Library) -> None:
    whole = library.search(Query("tokens"))
    small, large = (library.search(Query("tokens", max_tokens=most)) for most in (180, 5000))

    assert [hit.ref for hit in large.hits] == [hit.ref for hit in whole.hits]
    assert [hit.text for hit in large.hits] == [hit.text for hit in whole.hits]
    assert len(small.hits) > 1
    assert [hit.ref for hit in small.hits] == [
        hit.ref for hit in whole.hits if hit.ref in {one.ref for one in small.hits}
    ]
    assert all(hit.tokens == count_tokens(hit.text) for hit in whole.hits)


def test_a_hit_without_text_says_how_long_it_is(library: Library) -> None:
    named = library.search(Query("tokens", detail=HitDetail.IDS)).hits
    assert [hit.text for hit in named] == [""] * len(named)
    assert [hit.tokens for hit in named] == [hit.tokens for hit in library.search(Query("tokens")).hits]


def test_synonyms_of_the_user_find_what_the_question_does_not_say(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path, {"a.md": "# Kubernetes\n\nHow clusters run.\n", "b.md": "# Bread\n\nHow dough rises.\n"}
    )
    (root / "synonyms.toml").write_text('same = [["k8s", "kubernetes"]]\n')
    with pinakes.open(root) as opened:
        opened.sync()
        assert [hit.ref.path for hit in opened.search(Query("k8s", profile="fast")).hits] == ["a.md"]


def test_synonyms_that_make_no_sense_are_named(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "# A\n\nText.\n", "synonyms.toml": 'same = "k8s"\n'})
    with pinakes.open(root) as opened:
        opened.sync()
        with pytest.raises(ConfigError, match=r"synonyms\.toml"):
            opened.search("k8s")


def test_thorough_follows_no_links(tmp_path: Path) -> None:
    tree = {
        "a.md": "# Rotating certificates\n\nCertificates rotate nightly. See [the runbook](b.md).\n",
        "b.md": "# Runbook\n\nStop the daemon first, then start it again.\n",
    }
    with pinakes.open(write_tree(tmp_path, tree)) as opened:
        opened.sync()
        hits = opened.search(Query("rotating certificates", profile="thorough", limit=30)).hits

    assert hits[0].match is Match.BOTH
    assert {vote.retriever for hit in hits for vote in hit.votes} == {"words", "meaning", "page", "rare", "rerank"}


def test_different_hits_come_first_when_asked_for(library: Library) -> None:
    usual = refs(library, "tokens password proxy errors")
    diverse = refs(library, "tokens password proxy errors", diverse=True)

    assert sorted(usual) == sorted(diverse)
    assert usual[0] == diverse[0]
