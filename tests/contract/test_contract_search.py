"""The whole of search over every engine: the same questions, the same hits with the same scores, the same refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from kits.scratch import ScratchStore
from kits.store import migrated_database, postgres_store
from kits.vectors import Bag, put
from pinakes.own_folder import OwnFolder
from pinakes.ports import ActiveVectors, Store
from pinakes.records import DOCS, Filter, Hit, HitDetail, Query, Ref, Results
from pinakes.search import SearchOptions, Tools, search
from pinakes.store import open_sqlite
from pinakes.store.postgres.store import PostgresStore
from pinakes.vectors.file import VectorFile
from pinakes.vectors.postgres.index import PostgresVectors
from pinakes.words import open_words
from pinakes.words.index import TantivyWords
from pinakes.words.postgres.index import PostgresWords

FOLDER = Path(__file__).parents[2] / "docs"
NAMES = ("at", "check", "code", "history", "library", "migrate", "move", "publish", "read", "store", "sync", "watch")
PAGES = {f"guide/{name}.md": (FOLDER / f"{name}.md").read_text() for name in NAMES}
LATER = {
    "guide/tides.md": "# Tides\n\n## High water\n\nHigh water comes twice a day.\n\n## Table\n\n"
    "| place | height |\n|---|---|\n" + "".join(f"| harbour {n} | {n} metres at the quay wall |\n" for n in range(60)),
    "guide/copy.md": "# Copy\n\n## High water again\n\nHigh water comes twice a day.\n",
    "guide/bare.md": "# Only a heading\n\n## Below\n\nHere stands what the heading is about, the lighthouse keeper.\n",
    "guide/dated.md": "---\ntags: [sea, sea/tide]\ndate: 2024-05-06\n---\n# Dated\n\nThe lighthouse was built here.\n",
}
QUESTIONS: Mapping[str, Query] = {
    text: Query(text)
    for text in (
        "how is the index kept in a database",
        "which links are broken",
        '"advisory lock"',
        '"high water" -again',
        "PINAKES_STORE_URL",
        "lighthuose harbuor",
        "lighthouse",
        "harbour 17 metres",
        "path:guide/tides.md high water",
        "tag:sea lighthouse",
        "after:2024 before:2025 lighthouse",
        "lang:console migrate",
        "zebra quagga okapi almond croissants",
        "",
        "the of and",
    )
} | {
    "few": Query("index", limit=3),
    "far down": Query("files of the library", limit=40),
    "packed": Query("high water comes twice", pack=True, max_tokens=300),
    "addresses": Query("migrate", detail=HitDetail.IDS),
    "snippets": Query("migrate the tables", detail=HitDetail.SNIPPET, max_tokens=200),
    "diverse": Query("revision of git", diverse=True),
    "copies": Query("high water", duplicates=True),
    "one page after another": Query("sync", group=True),
    "words alone": Query("how are files read", profile="fast"),
    "typed so far": Query("lightho", typing=True),
    "a guess": Query("", hypothesis="water rises and falls with the moon"),
    "linked": Query("pinakes", Filter(linked_to=Ref(DOCS, "guide/library.md"))),
    "whatever it is": Query("almond croissants", abstain=False),
}
EMBEDDER = Bag()
OPENED: Mapping[str, Callable[[Path], Store]] = {
    "scratch": lambda folder: ScratchStore(),
    "sqlite": lambda folder: open_sqlite(OwnFolder(folder / "index").make(parents=True)),
    "postgres": lambda folder: postgres_store(str(folder)),
}


def answers(engine: str, folder: Path) -> dict[str, Results]:
    """What an engine answers after it was filled and then changed, so that words and vectors had to follow."""
    with closing(OPENED[engine](folder)) as store:
        words: PostgresWords | TantivyWords = open_words(OwnFolder(folder / "words"))
        vectors: PostgresVectors | VectorFile = VectorFile(OwnFolder(folder / "vectors"))
        if isinstance(store, PostgresStore):
            words = PostgresWords(migrated_database(), store.number)
            vectors = PostgresVectors(migrated_database(), store.number, EMBEDDER.name)
        for pages in (PAGES, LATER):
            put(store, pages)
            words.update(store)
            vectors.update(store, EMBEDDER)
        tools = Tools(store, words.now, ActiveVectors(vectors.now, EMBEDDER), speller=EMBEDDER)
        return {name: search(query, tools, SearchOptions()) for name, query in QUESTIONS.items()}


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    return answers("scratch", tmp_path_factory.mktemp("scratch"))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    return answers(request.param, tmp_path_factory.mktemp(request.param))


def test_the_questions_ask_for_all_there_is(wanted: dict[str, Results]) -> None:
    assert sum(bool(one.hits) for one in wanted.values()) >= len(QUESTIONS) - 5
    assert any(one.abstained for one in wanted.values())
    assert any(one.corrections for one in wanted.values())
    assert any(one.unknown for one in wanted.values())
    assert any(hit.also_in for one in wanted.values() for hit in one.hits)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_engine_gives_the_same_hits_with_the_same_scores(
    name: str, wanted: dict[str, Results], found: dict[str, Results]
) -> None:
    one, other = wanted[name], found[name]
    assert [hit.ref for hit in other.hits] == [hit.ref for hit in one.hits]
    assert [hit.score for hit in other.hits] == pytest.approx([hit.score for hit in one.hits], abs=2e-3)
    assert [_shown(hit) for hit in other.hits] == [_shown(hit) for hit in one.hits]


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_engine_refuses_and_doubts_the_same(
    name: str, wanted: dict[str, Results], found: dict[str, Results]
) -> None:
    one, other = wanted[name], found[name]
    assert _said(other) == _said(one)
    assert (other.evidence is None) == (one.evidence is None)
    if one.evidence is not None and other.evidence is not None:
        assert other.evidence.belief == pytest.approx(one.evidence.belief, abs=2e-3)


def _shown(hit: Hit) -> tuple[object, ...]:
    votes = [(vote.retriever, vote.rank) for vote in hit.votes]
    return hit.text, hit.lines, hit.matches, hit.also_in, hit.before, hit.trail, hit.modified, hit.tokens, votes


def _said(one: Results) -> tuple[object, ...]:
    return one.kind, one.abstained, one.nearest, one.missing, one.unknown, one.corrections, one.doubt
