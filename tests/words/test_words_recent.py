"""The documents that changed last, which are held in memory before they are in the files."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from kits.scratch import ScratchStore
from kits.vectors import put
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change, NumberedDocument, Ref, Scope
from pinakes.words import open_words, parse_question
from pinakes.words.index import TantivyWords

WORDS = "tide harbour moon ship anchor rope light house keeper storm sail wind star chart map north"


def page(seed: int) -> str:
    """Words with a falling frequency, so that some of them are rare, under two headings."""
    chance, known = random.Random(seed), WORDS.split()
    lines = [" ".join(chance.choices(known, range(len(known), 0, -1), k=chance.randint(3, 60))) for _ in range(2)]
    return f"# {chance.choice(known)} {seed}\n\n{lines[0]}.\n\n## {chance.choice(known)}\n\n{lines[1]}.\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words") / "made"
    open_words(OwnFolder(folder, 2)).update(library())
    return folder


def library() -> ScratchStore:
    store = ScratchStore()
    put(store, {f"{seed:03}.md": page(seed) for seed in range(600)})
    return store


@pytest.fixture
def words(made: Path, tmp_path: Path) -> TantivyWords:
    shutil.copytree(made, tmp_path / "words")
    return open_words(OwnFolder(tmp_path / "words", 2))


@pytest.fixture
def store(words: TantivyWords, tmp_path: Path) -> ScratchStore:
    store = library()
    words.update(store)
    return store


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def numbers(store: ScratchStore) -> dict[str, int]:
    return {one.document.ref.path: one.number for one in store.documents_by_number(store.feed(0).changed)}


def change_some(store: ScratchStore) -> None:
    put(store, {f"{seed:03}.md": page(seed + 5000) for seed in range(100, 106)})
    put(store, {"new.md": "# Lighthouse\n\nThe keeper of the light house: a zebrafish.\n\n```\nrope(ship)\n```\n"})
    store.write(Change(drop=(Ref(DOCS, "300.md"), Ref(DOCS, "301.md"))))


def check_alike(words: TantivyWords, whole: TantivyWords, question: str, scope: Scope | None) -> None:
    """The same chunks, with nearly the same scores: how rare a word is is judged from before the change."""
    one, other = (
        words.now.match(parse_question(question), scope, 2000),
        whole.now.match(parse_question(question), scope, 2000),
    )
    scores = {found.chunk: found.score for found in other}
    assert {found.chunk: found.score for found in one} == pytest.approx(scores, rel=0.15, abs=0.1)
    assert words.now.match(parse_question(question), scope, 5) == one[:5]
    assert [found.score for found in one] == sorted((found.score for found in one), reverse=True)


QUESTIONS = ["tide", "north map", "harbour moon anchor", "storm 102", "zebrafish", "light keeper", "lighthouse", "104"]


PHRASES = ['"light house"', "tide -moon", '"rope ship"', 'keeper -"light house"']


@pytest.mark.parametrize("question", [*QUESTIONS, *PHRASES])
def test_a_document_held_in_memory_has_the_score_it_had_in_the_files(
    words: TantivyWords, store: ScratchStore, question: str
) -> None:
    before = words.now.match(parse_question(question), None, 2000)
    finer = words.now.scores(parse_question(question), [one.chunk for one in before])
    put(store, {f"{seed:03}.md": page(seed) for seed in range(98, 106)})
    words.update(store)

    after = words.now.match(parse_question(question), None, 2000)
    assert words.generation == store.generation
    assert words.now.scores(parse_question(question), [one.chunk for one in before]) == pytest.approx(finer, abs=3e-4)
    assert {one.chunk: one.score for one in after} == pytest.approx({one.chunk: one.score for one in before}, abs=2e-4)


@pytest.mark.parametrize("question", [*QUESTIONS, *PHRASES])
def test_what_changed_last_is_found_as_if_it_were_in_the_files(
    words: TantivyWords, store: ScratchStore, tmp_path: Path, question: str
) -> None:
    before = files(tmp_path / "words")
    change_some(store)
    words.update(store)
    whole = open_words(OwnFolder(tmp_path / "whole", 2))
    whole.update(store)

    assert files(tmp_path / "words") == before
    assert words.generation == whole.generation == store.generation
    check_alike(words, whole, question, None)
    assert words.now.terms(parse_question(question)) == pytest.approx(
        whole.now.terms(parse_question(question)), rel=0.05
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_scopes_hold_for_what_changed_last(
    words: TantivyWords, store: ScratchStore, tmp_path: Path, question: str
) -> None:
    change_some(store)
    words.update(store)
    whole = open_words(OwnFolder(tmp_path / "whole", 2))
    whole.update(store)
    known = numbers(store)
    some = frozenset(number for path, number in known.items() if path.startswith("10") or path == "new.md")
    check_alike(words, whole, question, Scope(some))
    check_alike(words, whole, question, Scope(frozenset(known.values())))
    check_alike(words, whole, question, Scope(some, frozenset((number, 2) for number in some)))
    assert words.now.match(parse_question(question), Scope(frozenset()), 10) == []


def test_a_document_can_change_come_and_go_again_and_again(
    words: TantivyWords, store: ScratchStore, tmp_path: Path
) -> None:
    for turn in range(5):
        put(store, {"100.md": f"# Zebrafish{turn}\n\nOnly now.\n", "other.md": f"# Other{turn}\n"})
        words.update(store)
        assert words.now.terms(parse_question(f"zebrafish{turn} other{turn}")) == {
            f"zebrafish{turn}": 1,
            f"other{turn}": 1,
        }
        assert len(words.now.match(parse_question(f"zebrafish{turn}"), None, 10)) == 1
        assert not turn or words.now.match(parse_question(f"zebrafish{turn - 1} other{turn - 1}"), None, 10) == []
        store.write(Change(drop=(Ref(DOCS, "other.md"),)))
        words.update(store)
        assert words.now.match(parse_question(f"other{turn}"), None, 10) == []


class Noticing:
    """A store's reader that writes down which documents it was asked for."""

    def __init__(self, store: ScratchStore) -> None:
        self._store = store
        self.asked: list[int] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def documents_by_number(self, numbers: Sequence[int]) -> list[NumberedDocument]:
        self.asked += numbers
        return list(self._store.documents_by_number(numbers))


def test_only_what_changed_is_read_again(words: TantivyWords, store: ScratchStore) -> None:
    put(store, {"100.md": "# One\n", "101.md": "# Two\n"})
    words.update(store)
    put(store, {"101.md": "# Three\n"})
    reader = Noticing(store)
    words.update(reader)  # type: ignore[arg-type]
    words.update(reader)  # type: ignore[arg-type]

    assert reader.asked == [numbers(store)["101.md"]]
    assert [words.now.terms(parse_question(name))[name] for name in ("one", "two", "three")] == [1, 0, 1]


def test_many_changes_go_into_the_files(words: TantivyWords, store: ScratchStore, tmp_path: Path) -> None:
    put(store, {"100.md": "# Zebrafish\n"})
    words.update(store)
    before = files(tmp_path / "words")
    put(store, {f"{seed:03}.md": page(seed + 7000) for seed in range(200, 220)})
    words.update(store)

    assert files(tmp_path / "words") != before
    assert open_words(OwnFolder(tmp_path / "words", 2)).generation == words.generation == store.generation
    assert (
        len(words.now.match(parse_question("zebrafish"), None, 10))
        == len(open_words(OwnFolder(tmp_path / "words", 2)).now.match(parse_question("zebrafish"), None, 10))
        == 1
    )


def test_a_large_document_goes_into_the_files(words: TantivyWords, store: ScratchStore, tmp_path: Path) -> None:
    put(store, {"100.md": "".join(f"# Part {number}\n\nzebrafish\n\n" for number in range(500))})
    words.update(store)

    assert len(open_words(OwnFolder(tmp_path / "words", 2)).now.match(parse_question("zebrafish"), None, 1000)) == 500


def test_each_reader_of_the_same_files_follows_for_itself(
    words: TantivyWords, store: ScratchStore, tmp_path: Path
) -> None:
    other = open_words(OwnFolder(tmp_path / "words", 2))
    put(store, {"100.md": "# Zebrafish\n"})
    words.update(store)
    assert other.now.match(parse_question("zebrafish"), None, 10) == []
    other.update(store)
    assert (
        other.now.match(parse_question("zebrafish"), None, 10)
        == words.now.match(parse_question("zebrafish"), None, 10)
        != []
    )

    put(store, {f"{seed:03}.md": "# Sardine\n" for seed in range(200, 220)})
    other.update(store)

    # What the other wrote is newer than what is held here.
    assert words.now.terms(parse_question("zebrafish sardine")) == {"zebrafish": 1, "sardine": 20}
    assert words.generation == store.generation


def test_files_damaged_under_the_newest_are_made_anew(words: TantivyWords, store: ScratchStore, tmp_path: Path) -> None:
    put(store, {"100.md": "# Zebrafish\n"})
    words.update(store)
    for path in (tmp_path / "words").glob("index-*/*.idx"):
        data = path.read_bytes()
        path.unlink()  # the engine may be reading: a file that shrinks under it ends the process
        path.write_bytes(data[:-9])
    put(store, {"101.md": "# Zebrafish\n"})
    words.update(store)

    assert len(words.now.match(parse_question("zebrafish"), None, 10)) == 2
    assert len(words.now.match(parse_question("tide"), None, 2000)) > 500


def test_another_store_in_the_same_place_forgets_the_newest(words: TantivyWords, store: ScratchStore) -> None:
    put(store, {"100.md": "# Zebrafish\n"})
    words.update(store)
    other = library()
    words.update(other)

    assert words.now.match(parse_question("zebrafish"), None, 10) == []
    assert words.generation == other.generation
