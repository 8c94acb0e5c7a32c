"""Search in several languages: stems, filters and what is called unknown."""

from __future__ import annotations

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.records import Filter, Query

TREE = {
    "docs/de/rate.md": "# Ratenbegrenzung\n\nDie Anfragen eines Benutzers werden begrenzt, und das ist nicht gut.\n\n"
    "## Häuser\n\nEin Haus mit vielen Änderungen ist nicht für jeden gemacht.\n",
    "docs/en/rate.md": "# Rate limiting\n\nThe requests of a user are limited, and this is for the good of all.\n",
    "docs/zh/rate.md": "# 限制速率\n\n每个用户的请求速率受到限制。如果请求太多，服务器会关闭连接。\n",
    "docs/en/house.md": "# Houses\n\nA house with a garden is for you and your family, if you can pay for it.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> pinakes.Library:
    opened = pinakes.open(write_tree(tmp_path_factory.mktemp("languages"), TREE))
    opened.sync()
    return opened


def paths(library: pinakes.Library, query: str | Query) -> list[str]:
    return [hit.ref.path for hit in library.search(query).hits]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Anfrage", "docs/de/rate.md"),
        ("Änderung", "docs/de/rate.md"),
        ("Wie ist das für einen Benutzer mit einer Anfrage?", "docs/de/rate.md"),
        ("Begrenzung der Anfrage", "docs/de/rate.md"),
        ("request limit", "docs/en/rate.md"),
        ("请求速率", "docs/zh/rate.md"),
    ],
)
def test_words_are_found_by_their_stems_in_the_language_of_the_document(
    library: pinakes.Library, question: str, best: str
) -> None:
    found = library.search(question)
    assert found.hits[0].ref.path == best
    assert found.hits[0].matches


def test_a_language_can_be_asked_for(library: pinakes.Library) -> None:
    assert {*paths(library, Query("Benutzer user 用户", Filter(written_in=("de",)), abstain=False))} == {
        "docs/de/rate.md"
    }
    assert {*paths(library, Query("Benutzer user 用户 language:zh", abstain=False))} == {"docs/zh/rate.md"}
    assert paths(library, Query("user language:fr", abstain=False)) == []


def test_words_of_scripts_without_spaces_are_named_and_marked_whole(library: pinakes.Library) -> None:
    found = library.search(Query("请求速率 流量", abstain=False))
    assert found.unknown == ("流量",)
    (hit, *_) = found.hits
    source = (library.root / hit.ref.path).read_bytes()
    assert "请求速率" in [source[start:end].decode() for start, end in hit.matches]
    # “率受” would be a pair over a border of words; no part of the question is.
    assert library.search(Query("用户请求", abstain=False)).unknown == ()


def test_a_changed_document_is_found_in_its_language_at_once(library: pinakes.Library) -> None:
    path = library.root / "docs/de/neu.md"
    path.write_text("# Neues\n\nDie Schlüsselverwaltungen sind für alle da, und das ist nicht neu.\n", encoding="utf-8")
    library.sync()
    assert paths(library, "Schlüsselverwaltung")[0] == "docs/de/neu.md"


def test_translations_of_a_page_are_one_hit_in_the_language_of_the_question(library: pinakes.Library) -> None:
    (hit, *others) = library.search(Query("Wie ist das mit requests und Anfragen für den Benutzer", abstain=False)).hits
    assert hit.ref.path == "docs/de/rate.md"
    assert "docs/en/rate.md" in {ref.path for ref in hit.also_in}
    assert "docs/en/rate.md" not in {one.ref.path for one in others}
    (hit, *others) = library.search(Query("how is it with the requests of a user for 请求", abstain=False)).hits
    assert hit.ref.path == "docs/en/rate.md"
    assert "docs/zh/rate.md" not in {one.ref.path for one in others}


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> pinakes.Library:
    pages = {
        f"{name}.md": f"# {name.title()}\n\nHow {name} is set up.\n\n## Limits of {name}\n\nIt has a limit.\n"
        for name in ("billing", "caching", "logging", "routing", "sessions", "storage", "tracing", "uploads")
    }
    pages |= {
        f"more/{at}.md": f"# Part {at}\n\n" + f"Section {at} on words.\n\n## More {at}\n\nText.\n" * 20
        for at in range(9)
    }
    pages["https.md"] = "# HTTPS\n\nHTTP is redirected to HTTPS by itself.\n"
    opened = pinakes.open(write_tree(tmp_path_factory.mktemp("english"), pages))
    opened.sync()
    return opened


def test_a_question_in_another_language_shows_what_shares_a_word_with_it_and_says_so(english: pinakes.Library) -> None:
    found = english.search("Wie leite ich HTTP auf HTTPS um?")

    assert found.hits[0].ref.path == "https.md"
    assert found.doubt.startswith("Weak. The question is in German, and the documents are not; the best hits hold ")
    assert found.unknown == ("leite",)


def test_a_question_that_shares_no_word_with_documents_in_other_languages_is_told_why(english: pinakes.Library) -> None:
    found = english.search("怎么把流量暴露到集群外部")

    assert not found.hits
    assert found.abstained.startswith(
        "The question is in Chinese, and the documents are not; only a multilingual model "
    )


@pytest.mark.parametrize("question", ["how do I use die() in php", "do i need sudo to run on port 80", "run a per se"])
def test_an_english_question_is_not_taken_for_another_language(english: pinakes.Library, question: str) -> None:
    found = english.search(Query(question, abstain=False))

    assert "The question is in" not in found.doubt


def test_a_language_that_documents_have_is_not_foreign(library: pinakes.Library) -> None:
    for question in ("Wie ist das mit Zügen?", "请求怎么办"):
        found = library.search(Query(question, abstain=True))
        assert "The question is in" not in found.doubt + found.abstained
