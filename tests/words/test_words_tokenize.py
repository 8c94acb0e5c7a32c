"""Which terms a text gives, and that questions give the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.words.tokenize import BREAK, LONGEST, Terms, as_written, english


def line(text: str) -> list[str]:
    return Terms(english()).of(text)[0].split()


def besides(text: str) -> list[str]:
    return Terms(as_written).of(text)[1].split()


@pytest.mark.parametrize(
    ("written", "in_line", "in_besides"),
    [
        ("getUserById", ["getuserbyid"], ["get", "user", "by", "id"]),
        ("parse_json_data", ["parse_json_data"], ["parse", "json", "data"]),
        ("MAX_RETRIES", ["max_retries"], ["max", "retries"]),
        ("HTTPResponse", ["httprespons"], ["http", "response"]),
        ("XMLHttpRequest", ["xmlhttprequest"], ["xml", "http", "request"]),
        ("std::vector", ["std", "vector"], ["std::vector"]),
        ("C++", ["c++"], ["c"]),
        ("C#", ["c#"], ["c"]),
        (".NET", ["net"], [".net"]),
        ("--max-retries", ["max", "retri"], ["max-retries", "--max-retries"]),
        ("-v", ["v"], ["-v"]),
        ("v1.2.3", ["v1", "2", "3"], ["v1.2.3", "1.2.3"]),
        ("E0308", ["e0308"], []),
        ("a-b", ["a", "b"], ["a-b"]),
        ("user/name", ["user", "name"], ["user/name"]),
        ("foo.bar", ["foo", "bar"], ["foo.bar"]),
        ("@types/node", ["type", "node"], ["types/node", "@types/node"]),
        ("$HOME", ["home"], ["$home"]),
        ("__init__", ["init"], ["__init__"]),
        ("::before", ["befor"], ["::before"]),
        ("user@example.com", ["user", "exampl", "com"], ["user@example.com"]),
    ],
)
def test_a_name_gives_itself_and_its_words(written: str, in_line: list[str], in_besides: list[str]) -> None:
    assert (line(written), besides(written)) == (in_line, in_besides)


def test_markup_and_punctuation_are_no_part_of_a_word() -> None:
    assert line("**Bold**, `code`. (see: the “quote”) — end…") == ["bold", "code", "see", "the", "quot", "end"]
    assert besides("First. Second... third -- fourth; e-mail,") == ["e-mail"]


def test_english_words_meet_at_their_stem() -> None:
    assert line("connections connected connecting") == ["connect"] * 3
    assert line("The user's users’ USERS") == ["the", "user", "user", "user"]


def test_accents_and_letter_forms_fold() -> None:
    assert line("Café NAÏVE Øre straße e\u0301te\u0301 ＡＢＣ ﬁle") == [
        "cafe",
        "naiv",
        "ore",
        "strass",
        "ete",
        "abc",
        "file",
    ]


def test_scripts_without_spaces_become_pairs() -> None:
    assert line("東京都に行く") == ["東京", "京都", "都に", "に行", "行く"]
    assert line("水") == ["水"]
    assert line("한국어 검색") == ["한국", "국어", "검색"]
    assert line("Python3を使う") == ["python3", "を使", "使う"]
    assert line("ｶﾞｲﾄﾞ") == line("ガイド") == ["ガイ", "イド"]
    assert line("ไทย") == ["ไท", "ทย"]


def test_other_scripts_stay_whole() -> None:
    assert line("привет, мир") == ["привет", "мир"]
    assert line("हिन्दी में खोज") == ["हिन्दी", "में", "खोज"]
    assert line("שָׁלוֹם עולם") == ["שלום", "עולם"]
    assert line("مُحَمَّد مرحبا") == ["محمد", "مرحبا"]


def test_pictures_part_words_and_are_none() -> None:
    assert line("done🎉now 👍 → next") == ["done", "now", "next"]


def test_words_of_code_are_not_stemmed() -> None:
    assert Terms(as_written).of("running_tests = connections")[0].split() == ["running_tests", "connections"]


def test_endless_words_are_cut_alike_and_have_no_name() -> None:
    assert line("x" * 5000) == ["x" * LONGEST]
    assert besides("-".join(["ab"] * 100)) == []


@given(st.text())
def test_any_text_gives_terms_that_part_at_spaces_only(text: str) -> None:
    terms = Terms(english())
    first = terms.of(text)
    for row in first:
        for term in row.split():
            assert 0 < len(term) <= LONGEST
            assert term != BREAK
            assert term.strip() == term
    assert terms.of(text) == first


@given(st.lists(st.text(min_size=1), max_size=6))
def test_terms_of_a_text_are_those_of_its_lines(lines: list[str]) -> None:
    whole = Terms(english()).of("\n".join(lines))[0].split()
    assert whole == [term for text in lines for term in line(text)]


def test_a_question_in_another_case_asks_for_the_same_line() -> None:
    for written in ("TypeScript", "GitHub Actions", "FastAPI", "max_retries", "E0308"):
        assert line(written) == line(written.lower()) == line(written.upper())
