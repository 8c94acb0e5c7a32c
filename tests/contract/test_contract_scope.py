"""What every store promises to search: filters worked out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from kits.store import TARGET, at, entry, name_of, numbers, put, stamp
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    CodeBlock,
    Edge,
    Entry,
    Filter,
    Kind,
    Link,
    LinkForm,
    Metadata,
    Outcome,
    Scope,
    Span,
    formats,
)


def about(path: str, known: Metadata | None = None, kind: Kind = Kind.GUIDE, tags: Sequence[str] = ()) -> Entry:
    item = entry(path, ("one", "two"))
    document = replace(item.document, kind=kind, tags=tuple(tags), metadata=known or Metadata())
    return replace(item, document=document)


def coded(item: Entry, *languages: tuple[int, str]) -> Entry:
    code = tuple(CodeBlock(section, language, Span(0, 1)) for section, language in languages)
    return replace(item, document=replace(item.document, code=code))


ADA = Metadata(author="Ada Lovelace", category="core", modified="2024-05-01")
BOB = Metadata(author="Bob, ada", created="2023-12-31T23:59:59")
NOTE = about("note.md", Metadata(author="Zoë", created="2024-01-01"), Kind.NOTES, ("auth",))
SHELF = (
    about("README.md", None, Kind.README, ("start/here",)),
    about("docs/api/auth.md", ADA, Kind.SPEC, ("api", "auth")),
    about("docs/api/v1/users.md", BOB, Kind.SPEC, ("api",)),
    coded(
        about("docs/api.md", Metadata(category="Core", created="2024"), tags=("api",)),
        (1, "python"),
        (2, "js"),
        (2, ""),
    ),
    coded(about("docs/Guide/über [1].md", Metadata(modified="soon", created="2022-02-02")), (0, "js"), (1, "c++")),
    about("docs/apis/x.md", Metadata(modified="someday")),
    replace(NOTE, document=replace(NOTE.document, stamp=stamp("note.md", corpus="memories"))),
)
EVERYTHING = [name_of(item.document.ref) for item in SHELF]


def passing(store: Store, where: Filter) -> list[str]:
    scope = store.scope(where)
    assert scope is not None
    names = {number: name for name, number in numbers(store).items()}
    return sorted(names[number] for number in scope.documents)


@pytest.fixture
def shelf(store: Store) -> Store:
    store.write(Change(put=SHELF, assets=(stamp("docs/api/p.png", media=formats.ASSET),)))
    return store


def test_an_empty_filter_lets_everything_through(shelf: Store) -> None:
    assert shelf.scope(Filter()) is None


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(corpora=(DOCS,)), [path for path in EVERYTHING if ":" not in path]),
        (Filter(corpora=("memories", "history")), ["memories:note.md"]),
        (Filter(corpora=("nothing",)), []),
        (Filter(kinds=(Kind.SPEC, Kind.README)), ["README.md", "docs/api/auth.md", "docs/api/v1/users.md"]),
        (Filter(kinds=(Kind.UNKNOWN,)), []),
        (Filter(tags=("api",)), ["docs/api.md", "docs/api/auth.md", "docs/api/v1/users.md"]),
        (Filter(tags=("auth", "api")), ["docs/api/auth.md"]),
        (Filter(tags=("ap",)), []),
        (Filter(tags=("start",)), ["README.md"]),
        (Filter(tags=("start/here",)), ["README.md"]),
        (Filter(tags=("start/her",)), []),
        (Filter(categories=("core", "other")), ["docs/api/auth.md"]),
        (Filter(author="ADA"), ["docs/api/auth.md", "docs/api/v1/users.md"]),
        (Filter(author="zoË"), ["memories:note.md"]),
        (Filter(after="2024"), ["docs/api.md", "docs/api/auth.md", "memories:note.md"]),
        (Filter(after="2024-01-02"), ["docs/api/auth.md"]),
        (Filter(before="2024"), ["docs/Guide/über [1].md", "docs/api/v1/users.md"]),
        (Filter(after="2023-12-31", before="2024-01-01"), ["docs/api.md", "docs/api/v1/users.md"]),
        (Filter(after="2024-05-01", before="2024-05-02"), ["docs/api/auth.md"]),
        (Filter(before="2024-05-01", after="2024-04"), []),
        (Filter(tags=("api",), author="ada", before="2024"), ["docs/api/v1/users.md"]),
        (Filter(paths=("docs",), kinds=(Kind.SPEC,), corpora=(DOCS,), tags=("auth",)), ["docs/api/auth.md"]),
    ],
)
def test_a_filter_lets_through_what_has_all_it_asks_for(shelf: Store, where: Filter, expected: list[str]) -> None:
    assert passing(shelf, where) == sorted(expected)
    assert passing(shelf, where) == sorted(expected)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("README.md", ["README.md"]),
        ("readme.md", []),
        ("docs/api", ["docs/api/auth.md", "docs/api/v1/users.md"]),
        ("docs/api/", ["docs/api/auth.md", "docs/api/v1/users.md"]),
        ("/docs//api", ["docs/api/auth.md", "docs/api/v1/users.md"]),
        ("./docs/api.md", ["docs/api.md"]),
        ("docs/api.md/", []),
        ("api", []),
        ("docs/api/**", ["docs/api/auth.md", "docs/api/v1/users.md"]),
        ("docs/api/*", ["docs/api/auth.md"]),
        ("docs/a*/", ["docs/api/auth.md", "docs/api/v1/users.md", "docs/apis/x.md"]),
        ("docs/*", ["docs/api.md"]),
        ("*.md", ["README.md", "memories:note.md"]),
        ("**/*.md", EVERYTHING),
        ("**", EVERYTHING),
        ("*", ["README.md", "memories:note.md"]),
        ("", EVERYTHING),
        (".", EVERYTHING),
        ("**/users.md", ["docs/api/v1/users.md"]),
        ("**/api/**/users.md", ["docs/api/v1/users.md"]),
        ("docs/**/auth.md", ["docs/api/auth.md"]),
        ("docs/**/api/auth.md", ["docs/api/auth.md"]),
        ("**/docs/**/**/v1/**", ["docs/api/v1/users.md"]),
        ("docs/api/v?/*", ["docs/api/v1/users.md"]),
        ("docs/api/v[0-3]/users.md", ["docs/api/v1/users.md"]),
        ("docs/api/v[!0-3]/users.md", []),
        ("docs/api/v[^2]/users.md", ["docs/api/v1/users.md"]),
        ("docs?api.md", []),
        ("docs[!x]api.md", []),
        ("docs/[Gg]uide/*", ["docs/Guide/über [1].md"]),
        ("docs/Guide/*[[]1[]].md", ["docs/Guide/über [1].md"]),
        ("docs/Guide/?ber*", ["docs/Guide/über [1].md"]),
        ("docs/Guide/über [1.*", []),
        ("docs/[z-a]pi.md", []),
        ("docs/[a--]pi.md", []),
        ("docs/a*i*.m*d", ["docs/api.md"]),
        ("d**s/api.md", ["docs/api.md"]),
        ("docs/(api|apis).md", []),
    ],
)
def test_paths_are_globs_or_folders_from_the_root(shelf: Store, pattern: str, expected: list[str]) -> None:
    assert passing(shelf, Filter(paths=(pattern,))) == sorted(expected)
    assert passing(shelf, Filter(paths=("nothing", pattern, "note.md"))) == sorted({*expected, "memories:note.md"})


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "**/a*/" * 40 + "b", "[" * 60, "*" * 99 + "/" + "?*" * 60 + "b"])
def test_no_glob_takes_for_ever(store: Store, pattern: str) -> None:
    store.write(put(entry("a" * 200), entry("/".join(["aa"] * 80)), entry("b")))

    assert passing(store, Filter(paths=(pattern,))) == []


def test_languages_ask_for_sections(shelf: Store) -> None:
    found = numbers(shelf)
    api, guide = found["docs/api.md"], found["docs/Guide/über [1].md"]

    assert shelf.scope(Filter(languages=("JS",))) == Scope(frozenset({api, guide}), frozenset({(api, 2), (guide, 0)}))
    assert shelf.scope(Filter(languages=("python", "c++"))) == Scope(
        frozenset({api, guide}), frozenset({(api, 1), (guide, 1)})
    )
    assert shelf.scope(Filter(languages=("js",), tags=("api",))) == Scope(frozenset({api}), frozenset({(api, 2)}))
    assert shelf.scope(Filter(languages=("c",))) == Scope(frozenset(), frozenset())


def test_linked_to_asks_for_sections_that_link_there(store: Store) -> None:
    links = (
        Link(0, 0, Span(0, 1), 0, LinkForm.LINK, "b.md", "x"),
        Link(1, 1, Span(1, 2), 0, LinkForm.LINK, "b.md#top", "y"),
        Link(2, 1, Span(2, 3), 0, LinkForm.PATH, "b.md", "z"),
    )
    base = coded(entry("a.md"), (1, "js"))
    item = replace(base, document=replace(base.document, links=links), keys=("b", "b", "b"))
    store.write(put(item, TARGET))
    store.write(
        Change(
            edges=(
                Edge(at("a.md"), links[0], at("b.md"), Outcome.FOUND),
                Edge(at("a.md"), links[1], at("b.md", "top"), Outcome.FOUND),
                Edge(at("a.md"), links[2], None, Outcome.NO_FILE),
            )
        )
    )
    number = numbers(store)["a.md"]
    here = frozenset({number})

    assert store.scope(Filter(linked_to=at("b.md"))) == Scope(here, frozenset({(number, 0), (number, 1)}))
    assert store.scope(Filter(linked_to=at("b.md", "top"))) == Scope(here, frozenset({(number, 1)}))
    assert store.scope(Filter(linked_to=at("b.md"), languages=("js",))) == Scope(here, frozenset({(number, 1)}))
    assert store.scope(Filter(linked_to=at("b.md"), paths=("b.md",))) == Scope(frozenset(), frozenset())
    assert store.scope(Filter(linked_to=at("a.md"))) == Scope(frozenset(), frozenset())


def test_a_filter_sees_what_was_written_last(shelf: Store) -> None:
    where = Filter(tags=("api",), paths=("docs/**",), languages=("python",))
    assert passing(shelf, where) == ["docs/api.md"]
    shelf.write(Change(drop=(at("docs/api.md"),), put=(coded(about("docs/new.md", tags=("api",)), (1, "python")),)))

    assert passing(shelf, where) == ["docs/new.md"]
    shelf.write(Change(assets=(stamp("docs/new.md", "2", formats.ASSET),)))
    assert passing(shelf, where) == []
