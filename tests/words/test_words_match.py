"""Which sections hold a question's words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.scratch import ScratchStore
from kits.vectors import filled
from kits.words import WORD_ENGINES, WordEngine
from pinakes.records import ChunkId, Scope
from pinakes.words import held_terms, parse_question


@pytest.fixture(scope="module", params=WORD_ENGINES, autouse=True)
def engine(request: pytest.FixtureRequest) -> None:
    Shelf.engine = WORD_ENGINES[request.param]


class Shelf:
    """A store and its word index, asked by words and answering by headings."""

    engine: WordEngine

    def __init__(self, folder: Path, texts: Mapping[str, str]) -> None:
        self.store: ScratchStore = filled(texts)
        self.words = type(self).engine(folder)
        self.words.update(self.store)
        self.numbered = {one.number: one for one in self.store.documents_by_number(self.store.feed(0).changed)}

    def number(self, path: str) -> int:
        return next(number for number, one in self.numbered.items() if one.document.ref.path == path)

    def name(self, chunk: ChunkId) -> str:
        one = self.numbered[chunk.document]
        section = one.document.sections[one.chunks[chunk.ordinal].section]
        return section.title or one.document.ref.path

    def ask(self, text: str, scope: Scope | None = None, limit: int = 10) -> list[str]:
        return [self.name(found.chunk) for found in self.words.now.match(parse_question(text), scope, limit)]


GUIDE = """# Manual
## Proxy

Requests go through a proxy when HTTP_PROXY is set.

## Retries

The option `--max-retries` and the setting `maxRetries` say how often. See std::vector and C++ too.

## Error E0308

Mismatched types, since v1.2.3 of the compiler.

## Listing

```python
users = parse_json_data(load("npm run build"))
```

## Empty
"""


@pytest.fixture(scope="module")
def shelf(engine: None, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(
        tmp_path_factory.mktemp("shelf") / "words",
        {"guide.md": GUIDE, "東京.md": "# 東京都\n\n検索の使い方。\n", "c.md": "# C\n\nC only.\n"},
    )


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("proxies", "Proxy"),
        ("http proxy", "Proxy"),
        ("HTTP_PROXY", "Proxy"),
        ("--max-retries", "Retries"),
        ("max retries", "Retries"),
        ("maxRetries", "Retries"),
        ("max_retries", "Retries"),
        ("maxretries", "Retries"),
        ("std::vector", "Retries"),
        ("vector", "Retries"),
        ("c++", "Retries"),
        ("E0308", "Error E0308"),
        ("v1.2.3", "Error E0308"),
        ("1.2.3", "Error E0308"),
        ("parse_json_data", "Listing"),
        ("json", "Listing"),
        ("user", "Listing"),
        ("空 使い方", "東京都"),
        ("東京", "東京都"),
    ],
)
def test_a_section_is_found_by_names_and_their_words(shelf: Shelf, question: str, heading: str) -> None:
    assert shelf.ask(question)[0] == heading


def test_nothing_is_found_by_words_that_are_nowhere(shelf: Shelf) -> None:
    assert shelf.ask("quetzalcoatl") == []
    assert shelf.ask("") == []
    assert shelf.ask("🎉") == []
    assert shelf.ask("proxy", limit=0) == []


def test_a_phrase_must_be_there(shelf: Shelf) -> None:
    assert shelf.ask('"go through a proxy"') == ["Proxy"]
    assert shelf.ask('"proxy through"') == []
    assert shelf.ask('retries "go through"') == ["Proxy"]
    assert shelf.ask('"npm run build"') == ["Listing"]
    assert shelf.ask('"max retries and"') == ["Retries"]
    assert shelf.ask('"Proxy"') == ["Proxy"]


def test_no_phrase_reaches_over_the_borders_of_texts(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, {"a.md": "# Alpha\n\n## Beta\n\nGamma `delta epsilon`.\n\n```\nzeta eta\n```\n"})

    assert shelf.ask('"alpha beta"') == []
    assert shelf.ask('"zeta eta"') == ["Beta"]
    assert shelf.ask('"epsilon zeta"') == []


def test_what_is_excluded_is_not_found(shelf: Shelf) -> None:
    assert "Retries" in shelf.ask("option types")
    assert "Retries" not in shelf.ask("option types -vector")
    assert "Listing" not in shelf.ask('users proxy -"npm run"')
    assert shelf.ask("proxy -proxy") == []


def test_a_heading_weighs_more_than_a_mention(tmp_path: Path) -> None:
    texts = {
        "a.md": "# Caching\n\nHow answers are kept for later use.\n",
        "b.md": "# Other\n\nThis has nothing on caching at all here.\n",
    }

    assert Shelf(tmp_path, texts).ask("caching") == ["Caching", "Other"]


def test_only_the_scope_is_searched_however_narrow(tmp_path: Path) -> None:
    texts = {f"{number:03}.md": f"# N{number}\n\ntide tide tide\n" for number in range(120)}
    texts["last.md"] = "# Last\n\n" + "many other words " * 30 + "tide\n\n# Next\n\nalso the tide\n"
    shelf = Shelf(tmp_path, texts)
    number = shelf.number("last.md")

    assert set(shelf.ask("tide", Scope(frozenset([number])), 5)) == {"Last", "Next"}
    assert shelf.ask("tide", Scope(frozenset([number]), frozenset([(number, 2)])), 5) == ["Next"]
    assert shelf.ask("tide", Scope(frozenset()), 5) == []
    assert shelf.ask("tide", Scope(frozenset([number]), frozenset()), 5) == []
    assert shelf.ask("tide", Scope(frozenset([999_999])), 5) == []


def test_a_scope_of_thousands_finds_what_a_filter_would(tmp_path: Path) -> None:
    texts = {f"{number:04}.md": "tide " * (1 + number % 7) + "moon " * (number % 5) for number in range(2600)}
    shelf = Shelf(tmp_path, texts)
    allowed = frozenset(number for number in shelf.numbered if number % 2)
    everything = [
        found
        for found in shelf.words.now.match(parse_question("tide moon"), None, 5000)
        if found.chunk.document in allowed
    ]

    for limit in (1, 10, 400, 2000):
        assert shelf.words.now.match(parse_question("tide moon"), Scope(allowed), limit) == everything[:limit]


def test_equal_chunks_are_in_the_order_of_their_numbers_at_every_limit(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, {f"{number}.md": "the same words\n" for number in range(300)})
    found = shelf.words.now.match(parse_question("same words"), None, 300)

    assert [one.chunk for one in found] == sorted(one.chunk for one in found)
    for limit in (1, 7, 50):
        assert shelf.words.now.match(parse_question("same words"), None, limit) == found[:limit]


def test_terms_say_how_common_they_are(shelf: Shelf) -> None:
    assert shelf.words.now.terms(parse_question("How common are proxies, retries and unicorns?")) == {
        "common": 0,
        "proxies": 1,
        "retries": 1,
        "unicorns": 0,
    }
    assert shelf.words.now.terms(parse_question("retry retries")) == {"retry": 1}


def test_a_text_says_which_terms_it_holds() -> None:
    text = "## Retries\n\nThe option `max-retries` of std::vector and C++.\n"
    asked = parse_question("unicorn option retry max-retries c++ std::vector proxy")

    assert held_terms(text, asked) == set(asked.terms) - {"unicorn", "proxy"}
    assert held_terms("", asked) == frozenset()


def test_many_files_names_are_words_too(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, {"guide/cafe\u0301-münchen.md": "Hello.\n"})

    assert shelf.ask("münchen") == ["guide/cafe\u0301-münchen.md"]
    assert shelf.ask("guide/cafe-munchen") == ["guide/cafe\u0301-münchen.md"]


@settings(deadline=None)
@given(st.text(max_size=80) | st.text(alphabet='proxy retis"- :+#[](){}^~*?\\/ANDORNOT', max_size=40))
def test_any_text_can_be_asked(shelf: Shelf, text: str) -> None:
    found = shelf.words.now.match(parse_question(text), None, 3)

    assert len(found) <= 3
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found == shelf.words.now.match(parse_question(text), None, 10)[:3]
    assert found == shelf.words.now.match(parse_question(text), Scope(frozenset(shelf.numbered)), 3)
