"""What documents answer to, and the key each link is looked up under."""

from __future__ import annotations

import pytest

from kits.linked import link, mention, page, wiki
from pinakes.graph.names import is_index, key_of, keys_of, names_of
from pinakes.records import DOCS, Link, Name, NameForm, Ref

HERE = Ref(DOCS, "guide/start.md")


def test_a_readme_answers_to_its_folder() -> None:
    assert names_of(page("a/Guide/README.md", title="Guide for all")) == (
        Name("guide", NameForm.INDEX, "a/Guide", "a/Guide/README.md"),
        Name("guide for all", NameForm.TITLE, "Guide for all", "a/Guide/README.md"),
    )


def test_the_readme_of_the_root_answers_to_the_root() -> None:
    assert names_of(page("README.md", title="README")) == (Name("/", NameForm.INDEX, "", "README.md"),)


def test_aliases_and_titles_are_names_on_one_line() -> None:
    assert names_of(page("auth.md", title="Signing  in", aliases=("Login", " ", "sign\nin"))) == (
        Name("login", NameForm.ALIAS, "Login", "auth.md"),
        Name("sign in", NameForm.ALIAS, "sign in", "auth.md"),
        Name("signing in", NameForm.TITLE, "Signing in", "auth.md"),
    )


def test_a_title_that_is_only_the_files_name_is_no_further_name() -> None:
    assert names_of(page("guide/auth.md", title="auth")) == ()


def test_drawings_and_plain_text_are_not_called_by_their_title() -> None:
    assert names_of(page("flow.svg", title="The flow")) == ()
    assert names_of(page("notes.txt", title="First line")) == ()


@pytest.mark.parametrize(
    ("written", "key"),
    [
        (link("auth.md"), "auth"),
        (link("../Guide/AUTH.md?plain=1#tokens"), "auth"),
        (link("auth.html"), "auth"),
        (link("My%20Notes.md"), "my notes"),
        (link("/api/"), "api"),
        (link("."), "guide"),
        (link("./"), "guide"),
        (link(".."), "/"),
        (link("/"), "/"),
        (link("img/flow.png"), "flow.png"),
        (wiki("Auth#Tokens"), "auth"),
        (wiki("100% sure?"), "100% sure?"),
        (wiki("auth^block1"), "auth"),
        (mention("src/auth.py"), "auth.py"),
        (link("#tokens"), ""),
        (link("?tab=2#tokens"), ""),
        (link("https://example.org/auth.md"), ""),
        (link("//example.org/auth.md"), ""),
        (link("mailto:a@example.org"), ""),
        (link("../../auth.md"), ""),
        (wiki("#Tokens"), ""),
    ],
)
def test_a_link_has_the_key_of_all_that_it_could_mean(written: Link, key: str) -> None:
    assert key_of(written, HERE) == key


def test_every_link_of_a_document_gets_a_key() -> None:
    assert keys_of(page("a.md", ["b.md", "#x", wiki("C d")])) == ("b", "", "c d")


def test_indexes_are_known_by_their_name() -> None:
    assert [path for path in ("README", "a/Index.md", "a/_index.md", "a/indexes.md") if is_index(path)] == [
        "README",
        "a/Index.md",
        "a/_index.md",
    ]
