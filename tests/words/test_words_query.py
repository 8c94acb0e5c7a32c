"""The language of questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.records import Filter, Kind, ParsedQuestion
from pinakes.words import parse_question


def test_words_are_asked_for_once_and_empty_ones_left_out() -> None:
    asked = parse_question("How do I configure the proxy, the Proxy?")

    assert asked.text == "How do I configure the proxy, the Proxy?"
    assert asked.terms == ("configure", "proxy")
    assert asked.pairs == (("configure", "proxy"),)


def test_a_question_of_empty_words_keeps_them() -> None:
    assert parse_question("to be or not to be").terms == ("to", "be", "or", "not")


def test_names_are_asked_for_whole_and_in_parts() -> None:
    assert parse_question("getUserById").terms == ("getuserbyid", "get", "user", "id")
    assert parse_question("std::vector C++").terms == ("std", "vector", "c++", "std::vector", "c")
    assert parse_question("getUserById user std::vector C++").parts == ("get", "id", "c")


def test_phrases_and_exclusions_are_told_apart() -> None:
    asked = parse_question('deploy "blue green" -kubernetes -"docker swarm" “rolling update”')

    assert asked.phrases == (("blue", "green"), ("rolling", "update"))
    assert asked.excluded == (("kubernetes",), ("docker", "swarm"))
    assert asked.text == "deploy blue green rolling update"
    assert asked.terms == ("deploy", "blue", "green", "rolling", "update")


def test_a_sentence_quotes_as_prose_does() -> None:
    asked = parse_question(
        'Which page tells what to do when a build says "type correct" and then nothing happens at all?'
    )

    assert asked.phrases == ()
    assert "correct" in asked.terms


def test_a_dash_inside_a_sentence_is_a_dash_and_at_its_end_excludes() -> None:
    sentence = "what methods -dash exact or approximate -dash are presently available for predicting pressures"

    assert parse_question(sentence).excluded == ()
    assert "dash" in parse_question(sentence).terms
    assert parse_question(f"{sentence} -beta").excluded == (("beta",),)


@pytest.mark.parametrize("text", ["rm -rf", "git log -p", "uv run --no-sync", "x -1", "a - b", "tar -x"])
def test_options_of_commands_are_no_exclusions(text: str) -> None:
    assert parse_question(text).excluded == ()
    assert parse_question(text).text == text


def test_exclusions_alone_are_text() -> None:
    asked = parse_question('-verbose -"dry run"')

    assert (asked.terms, asked.excluded) == (("verbose", "dry", "run"), ())


def test_filters_narrow() -> None:
    text = 'tokens path:docs/api path:"my notes" tag:#auth,web kind:spec,guide lang:Python after:2024 before:2025-03'

    assert parse_question(text) == ParsedQuestion(
        text="tokens",
        terms=("tokens",),
        parts=(),
        phrases=(),
        excluded=(),
        where=Filter(
            paths=("docs/api", "my notes"),
            tags=("auth", "web"),
            kinds=(Kind.SPEC, Kind.GUIDE),
            languages=("python",),
            after="2024-01-01",
            before="2025-03-01",
        ),
    )


@pytest.mark.parametrize(
    "text", ["kind:banana", "before:yesterday", "after:2024-13-01", "path:", "a:b", "tag :x", "http://a.b/c", "xpath:a"]
)
def test_what_is_no_filter_is_text(text: str) -> None:
    assert parse_question(text).where == Filter()
    assert parse_question(text).text == text


@pytest.mark.parametrize("text", ["", "   ", '"', '""', '-""', "-", "--", "()", "🎉", '"🎉"', "-🎉", "\x00\ud800"])
def test_what_says_nothing_asks_for_nothing(text: str) -> None:
    asked = parse_question(text)

    assert (asked.terms, asked.phrases, asked.excluded) == ((), (), ())


def test_unbalanced_quotation_marks_are_no_marks() -> None:
    assert parse_question('say "hello world').terms == ("say", "hello", "world")
    assert parse_question('a 5" disk').phrases == ()


def test_whole_files_are_cut() -> None:
    asked = parse_question(" ".join(f"word{number}" for number in range(100_000)))

    assert len(asked.terms) == 200


@given(st.text(alphabet=st.characters(), max_size=200) | st.text(alphabet='ab" -:,#+pathgkind2024', max_size=60))
def test_no_text_is_an_error(text: str) -> None:
    asked = parse_question(text)

    assert asked == parse_question(text)
    assert len(set(asked.terms)) == len(asked.terms)
    assert all(asked.phrases)
    assert all(asked.excluded)
    assert asked.terms or not asked.excluded
