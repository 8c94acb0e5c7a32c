"""Words in PostgreSQL beside those in Tantivy's files: the same chunks, the same scores, after any changes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kits.scratch import ScratchStore
from kits.vectors import filled, put
from kits.words import postgres_words
from pinakes.errors import StoreBusy
from pinakes.own_folder import OwnFolder
from pinakes.postgres.held import Held
from pinakes.records import DOCS, Change, Ref, Scope
from pinakes.words import open_words, parse_question
from pinakes.words.index import TantivyWords
from pinakes.words.postgres import lists, writing
from pinakes.words.postgres.index import PostgresWords

PAGES = {path.name: path.read_text() for path in sorted((Path(__file__).parents[2] / "docs").glob("*.md"))}
QUESTIONS = (
    "how is the index kept",
    "search a phrase in the documents of a library",
    "postgresql",
    "the of and",
    "`--store` URL",
    '"word index"',
    '"pinakes sync" -rebuild',
    'vectors "of the"',
    "PINAKES_STORE_URL json_each C++",
    "a file that changed while pinakes watch was not running is read again at the next question",
)


@pytest.fixture(scope="module")
def store() -> ScratchStore:
    return filled(PAGES)


@pytest.fixture(scope="module")
def pair(store: ScratchStore, tmp_path_factory: pytest.TempPathFactory) -> tuple[TantivyWords, PostgresWords]:
    words = open_words(OwnFolder(tmp_path_factory.mktemp("words"), 2)), postgres_words()
    for one in words:
        one.update(store)
    return words


def same(pair: tuple[TantivyWords, PostgresWords], question: str, scope: Scope | None = None) -> None:
    asked = parse_question(question)
    wanted, found = (one.now.match(asked, scope, 40) for one in pair)
    assert [one.score for one in found] == pytest.approx([one.score for one in wanted], abs=2e-3)
    near = {one.chunk: one.score for one in wanted}
    assert len([one for one in found if one.chunk in near]) >= 0.95 * len(wanted)
    assert all(one.score == pytest.approx(near[one.chunk], abs=2e-3) for one in found if one.chunk in near)
    chunks = [one.chunk for one in wanted]
    finer, exact = (one.now.scores(asked, chunks) for one in pair)
    assert exact.keys() == finer.keys()
    assert list(exact.values()) == pytest.approx(list(finer.values()), abs=2e-3)
    assert pair[1].now.terms(asked) == pair[0].now.terms(asked)


@pytest.mark.parametrize("question", QUESTIONS)
def test_both_give_the_same_chunks_the_same_scores(pair: tuple[TantivyWords, PostgresWords], question: str) -> None:
    same(pair, question)
    some = frozenset(random.Random(question).sample(range(1, len(PAGES)), 12))
    same(pair, question, Scope(some))
    same(pair, question, Scope(some, frozenset((number, 1) for number in some)))


def test_both_know_the_same_words(pair: tuple[TantivyWords, PostgresWords]) -> None:
    tantivy, postgres = (one.now for one in pair)
    assert postgres.corrections(["serach", "pinaks", "xyzzyx"]) == tantivy.corrections(["serach", "pinaks", "xyzzyx"])
    assert postgres.completions("conf", 5) == tantivy.completions("conf", 5)
    assert postgres.longer("conf", 3) == tantivy.longer("conf", 3)
    for word in ("token", "walrus", "quetzal", "lock"):
        for besides in (True, False):
            assert postgres.holders(word, None, 60, besides=besides) == tantivy.holders(word, None, 60, besides=besides)
    assert (postgres.size, postgres.languages) == (tantivy.size, tantivy.languages)


def test_changes_leave_what_a_fresh_index_would_hold(pair: tuple[TantivyWords, PostgresWords]) -> None:
    store = filled(PAGES)
    kept, chance = postgres_words(), random.Random(7)
    kept.update(store)
    for step in range(4):
        names = chance.sample(sorted(PAGES), 6)
        put(store, {name: f"{PAGES[name]}\n\n## Step {step}\n\nzebra {name} harbour\n" for name in names[:4]})
        store.write(Change(drop=tuple(Ref(DOCS, name) for name in names[4:])))
        put(store, {f"new-{step}.md": "# New\n\nAn aardvark.\n"})
        kept.update(store)
    fresh = postgres_words()
    fresh.update(store)
    assert kept.generation == store.generation
    for question in (*QUESTIONS, "zebra harbour", "aardvark", "new"):
        asked = parse_question(question)
        found, wanted = (one.now.match(asked, None, 1000) for one in (kept, fresh))
        assert {one.chunk for one in found} == {one.chunk for one in wanted}
        assert [one.score for one in found] == pytest.approx([one.score for one in wanted], abs=2e-4)
        assert kept.now.terms(asked) == fresh.now.terms(asked)
    assert kept.now.completions("a", 100) == fresh.now.completions("a", 100)


def test_many_small_changes_leave_few_parts() -> None:
    store, kept = filled(PAGES), postgres_words()
    kept.update(store)
    for step in range(12):
        put(store, {"edited.md": f"# Edited\n\nA pelican, turn qq{step}.\n"})
        kept.update(store)
    made = kept.now.made
    assert made is not None
    assert len(made.parts) <= 5
    assert [one.chunk.ordinal for one in kept.now.match(parse_question("pelican"), None, 10)] == [0]
    assert kept.now.terms(parse_question("pelican qq11 qq10")) == {"pelican": 1, "qq11": 1, "qq10": 0}
    assert len(kept.now.holders("pelican", None, 10, besides=False) or ()) == 1


def test_a_document_with_more_chunks_than_a_part_has_room_for_is_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST_CHUNKS", 50)
    page = "".join(f"# Lamp {number}\n\nIt is lit by keeper{number}.\n\n" for number in range(120))
    store, kept = filled({"a.md": page}), postgres_words()
    kept.update(store)
    made = kept.now.made
    assert made is not None
    assert len(made.parts) > 1
    assert all(part.chunks <= 50 for part in made.parts)
    for number in (0, 49, 50, 99, 100, 119):
        assert len(kept.now.match(parse_question(f"keeper{number}"), None, 5)) == 1


def test_a_state_whose_parts_have_become_one_is_not_answered_from_in_part() -> None:
    store, kept = filled({"one.md": "# One\n\nA pelican.\n"}), postgres_words()
    kept.update(store)
    before = kept.now
    for number in range(4):
        put(store, {f"new-{number}.md": "# New\n\nAnother pelican.\n"})
        kept.update(store)
    with pytest.raises(StoreBusy, match="changed while they were asked"):
        before.match(parse_question("pelican"), None, 10)
    assert len(kept.now.match(parse_question("pelican"), None, 10)) == 5


def test_questions_are_answered_where_nothing_can_be_held(
    pair: tuple[TantivyWords, PostgresWords], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_PARTS", "_DEAD", "_LISTS", "_WEIGHED", "_SPELLED"):
        monkeypatch.setattr(lists, name, Held(1))
    for question in QUESTIONS[:6]:
        same(pair, question)
