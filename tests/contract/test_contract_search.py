"""What every store promises to search: what changed, documents by number, filters worked out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kits.store import ENGINES, FULL, at, edge, entry, put, stamp
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    Chunk,
    ChunkId,
    CodeBlock,
    Edge,
    Entry,
    Failure,
    Feed,
    Filter,
    Kind,
    Link,
    LinkForm,
    Metadata,
    Numbered,
    Outcome,
    Ref,
    Scope,
    Slice,
    Span,
    formats,
)


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = ENGINES[request.param](tmp_path / "index")
    yield store
    store.close()


def numbers(store: Store) -> dict[str, int]:
    """By path; those outside the documents' own corpus with its name before them."""
    everything = store.numbered(store.feed(0).changed)
    return {_name(found.document.ref): found.number for found in everything}


def _name(ref: Ref) -> str:
    return ref.path if ref.corpus == DOCS else f"{ref.corpus}:{ref.path}"


def changed(store: Store, since: int) -> list[str]:
    """Paths of what the feed says must be made again."""
    return [found.document.ref.path for found in store.numbered(store.feed(since).changed)]


def called(store: Store, path: str) -> tuple[str, ...]:
    return next(iter(store.numbered([numbers(store)[path]]))).called


def saying(item: Entry, *texts: str) -> Entry:
    """The same document with other words for its links."""
    links = tuple(replace(link, text=text) for link, text in zip(item.document.links, texts, strict=True))
    return replace(item, document=replace(item.document, links=links, digest=f"{item.document.digest} {texts}"))


TARGET = entry("b.md", ("top", "other"))
USER = saying(entry("a.md", ("one",), ("b.md#top", "b.md")), "the top", "all of it")
SETTLED = (edge(USER, 0, at("b.md", "top")), edge(USER, 1, at("b.md")))


def settled(store: Store) -> int:
    """A store in which a.md links to b.md; the generation it is at."""
    store.write(put(USER, TARGET))
    store.write(Change(edges=SETTLED))
    return store.generation


# Feed


def test_at_first_everything_is_new_and_nothing_gone(store: Store) -> None:
    assert store.feed(0).changed == ()
    store.write(Change(put=(TARGET, USER), assets=(stamp("p.png", media=formats.ASSET),)))
    store.write(Change(put=(FULL,), drop=(at("b.md"),)))
    feed = store.feed(0)

    assert feed.is_whole
    assert feed.generation == store.generation
    assert feed.gone == ()
    assert list(feed.changed) == sorted(feed.changed)
    assert sorted(numbers(store)) == ["a.md", "guide/auth.md"]


def test_nothing_changed_is_an_empty_feed(store: Store) -> None:
    now = settled(store)

    assert store.feed(now) == Feed(now, (), (), is_whole=False, history=store.feed(0).history)


def test_a_feed_names_what_was_put_since(store: Store) -> None:
    store.write(put(TARGET))
    first = store.generation
    store.write(put(FULL))
    second = store.generation
    store.write(put(entry("c.md")))

    assert changed(store, first) == ["guide/auth.md", "c.md"]
    assert changed(store, second) == ["c.md"]
    assert not store.feed(first).is_whole


def test_a_document_put_again_keeps_its_number(store: Store) -> None:
    store.write(put(TARGET, FULL))
    before = numbers(store)
    now = store.generation
    store.write(put(entry("b.md", ("new",), version="2")))
    store.write(Change(drop=(at("b.md"),), put=(entry("b.md", ("newer",), version="3"),)))

    assert numbers(store) == before
    assert store.feed(now).changed == (before["b.md"],)
    assert store.feed(now).gone == ()


def test_a_dropped_document_is_gone_and_its_number_with_it(store: Store) -> None:
    store.write(put(TARGET, FULL))
    before = numbers(store)
    now = store.generation
    store.write(Change(drop=(at("b.md"), at("guide/auth.md"))))
    assert store.feed(now).changed == ()
    assert store.feed(now).gone == tuple(sorted(before.values()))
    store.write(put(TARGET, FULL))

    assert store.feed(now).gone == tuple(sorted(before.values()))
    assert not set(numbers(store).values()) & set(before.values())
    assert set(store.feed(now).changed) == set(numbers(store).values())
    assert list(store.numbered(sorted(before.values()))) == []


def test_a_document_that_becomes_an_asset_is_gone(store: Store) -> None:
    store.write(put(TARGET))
    number = numbers(store)["b.md"]
    now = store.generation
    plain = stamp("b.md", "2", formats.ASSET)
    store.write(Change(assets=(plain,)))
    assert store.feed(now).gone == (number,)
    assert store.feed(0).changed == ()
    store.write(Change(assets=(plain,)))
    store.write(put(TARGET))

    assert store.feed(now).gone == (number,)
    assert numbers(store)["b.md"] != number
    assert store.feed(now).changed == (numbers(store)["b.md"],)


def test_a_generation_that_never_was_means_everything(store: Store) -> None:
    now = settled(store)
    feed = store.feed(now + 1)

    assert feed.is_whole
    assert feed == store.feed(0)


def test_every_store_has_a_history_of_its_own(store: Store, tmp_path: Path) -> None:
    others = [make(tmp_path / f"other {name}") for name, make in ENGINES.items()]
    first = store.feed(0).history
    settled(store)

    assert store.feed(0).history == first != ""
    assert len({first, *(other.feed(0).history for other in others)}) == len(others) + 1
    for other in others:
        other.close()


def test_versions_failures_keywords_and_settings_are_no_change_of_a_document(store: Store) -> None:
    store.write(Change(put=(FULL,), settings={"keywords": "f"}))
    now = store.generation
    before = list(store.numbered(store.feed(0).changed))
    store.write(Change(failures=(Failure(at("guide/auth.md"), "2", "no"),), settings={"x": "y"}))
    store.write(Change(keywords={"d1": ((), ("made",), ("later",))}))

    assert store.feed(now).changed == ()
    assert list(store.numbered(store.feed(0).changed)) == before
    store.write(Change(touch=(replace(FULL.document.stamp, version="3"),)))
    assert store.feed(now).changed == ()


def test_an_undone_transaction_leaves_nothing_in_the_feed(store: Store) -> None:
    now = settled(store)
    before = store.feed(0), numbers(store)
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.write(put(entry("c.md")))
        store.write(Change(drop=(at("a.md"),)))
        assert store.feed(now).gone == (before[1]["a.md"],)
        assert store.scope(Filter(paths=("c.md",))) == Scope(frozenset({numbers(store)["c.md"]}))
        raise ZeroDivisionError
    assert (store.feed(0), numbers(store)) == before
    store.write(put(entry("d.md")))
    store.write(put(entry("e.md")))

    assert store.feed(now).gone == ()
    assert changed(store, now) == ["d.md", "e.md"]
    assert store.scope(Filter(paths=("c.md",))) == Scope(frozenset())


# What documents are called


def test_what_links_call_a_document_comes_with_it(store: Store) -> None:
    user = saying(entry("c/d.md", ("x",), ("b.md#top", "b.md#top", "b.md")), "  a\n wide\ttext ", "the top", " ")
    store.write(put(user))
    settled(store)
    store.write(
        Change(edges=(*SETTLED, *(edge(user, i, at("b.md", "top")) for i in (0, 1)), edge(user, 2, at("b.md"))))
    )

    assert called(store, "b.md") == ("all of it", "a wide text\nthe top", "")
    assert called(store, "a.md") == ("", "")


def test_links_that_lead_nowhere_or_to_an_asset_call_nothing(store: Store) -> None:
    picture = stamp("p.png", media=formats.ASSET)
    user = entry("a.md", ("one",), ("gone.md", "p.png", "folder", "word", "b.md#no"))
    store.write(Change(put=(user, TARGET, entry("folder/x.md")), assets=(picture,)))
    outcomes = (
        edge(user, 0, None, Outcome.MISSING),
        edge(user, 1, at("p.png")),
        edge(user, 2, at("folder")),
        edge(user, 3, None, Outcome.NO_FILE),
        edge(user, 4, at("b.md"), Outcome.BROKEN_ANCHOR),
    )
    store.write(Change(edges=outcomes))

    assert called(store, "b.md") == ("to b.md#no", "", "")
    assert called(store, "folder/x.md") == ("", "")


def test_what_a_document_calls_itself_does_not_count(store: Store) -> None:
    item = entry("a.md", ("one",), ("#one", "a.md"))
    store.write(put(item))
    now = store.generation
    store.write(Change(edges=(edge(item, 0, at("a.md", "one")), edge(item, 1, at("a.md")))))

    assert called(store, "a.md") == ("", "")
    assert store.feed(now).changed == ()


def test_links_from_another_corpus_count(store: Store) -> None:
    note = entry("note.md", links=("b.md",), corpus="memories")
    store.write(put(TARGET, note))
    now = store.generation
    store.write(Change(edges=(edge(note, 0, at("b.md")),)))

    assert changed(store, now) == ["b.md"]
    assert called(store, "b.md") == ("to b.md", "", "")


def test_a_new_link_changes_the_document_it_leads_to(store: Store) -> None:
    store.write(put(USER, TARGET, FULL))
    now = store.generation
    store.write(Change(edges=SETTLED[:1]))
    assert changed(store, now) == ["b.md"]
    assert called(store, "b.md") == ("", "the top", "")
    now = store.generation
    store.write(Change(edges=SETTLED))

    assert changed(store, now) == ["b.md"]
    assert called(store, "b.md") == ("all of it", "the top", "")


def test_the_same_links_put_again_change_nothing_elsewhere(store: Store) -> None:
    now = settled(store)
    again = replace(USER, document=replace(USER.document, digest="2", source=b"new words"))
    store.write(put(again))

    assert changed(store, now) == ["a.md"]
    assert called(store, "b.md") == ("all of it", "the top", "")
    store.write(Change(edges=SETTLED[1:]))
    assert called(store, "b.md") == ("all of it", "the top", "")
    store.write(Change(edges=SETTLED[:1]))
    assert changed(store, now) == ["a.md"]
    assert called(store, "b.md") == ("all of it", "the top", "")


def test_links_looked_up_again_with_the_same_result_change_nothing(store: Store) -> None:
    settled(store)
    store.write(put(entry("x/b.md")))
    assert (at("a.md"), USER.document.links[0]) in store.pending_links(DOCS, 9)
    now = store.generation
    store.write(Change(edges=SETTLED))

    assert store.feed(now).changed == ()
    assert called(store, "b.md") == ("all of it", "the top", "")


def test_a_link_that_turns_elsewhere_changes_both_ends(store: Store) -> None:
    settled(store)
    store.write(put(entry("x/b.md")))
    now = store.generation
    store.write(Change(edges=(SETTLED[0], edge(USER, 1, at("x/b.md")))))

    assert sorted(changed(store, now)) == ["b.md", "x/b.md"]
    assert called(store, "b.md") == ("", "the top", "")
    assert called(store, "x/b.md") == ("all of it", "")


def test_other_words_for_a_link_change_the_document_it_leads_to(store: Store) -> None:
    now = settled(store)
    again = saying(USER, "the top", "everything")
    store.write(put(again))
    assert changed(store, now) == ["a.md"]
    store.write(Change(edges=(edge(again, 0, at("b.md", "top")), edge(again, 1, at("b.md")))))

    assert changed(store, now) == ["a.md", "b.md"]
    assert called(store, "b.md") == ("everything", "the top", "")


@pytest.mark.parametrize(
    "change",
    [
        Change(drop=(at("a.md"),)),
        Change(assets=(stamp("a.md", "2", formats.ASSET),)),
        put(entry("a.md", ("one",), version="2")),
    ],
    ids=["dropped", "an asset", "without links"],
)
def test_links_that_went_are_forgotten_at_once(store: Store, change: Change) -> None:
    now = settled(store)
    store.write(change)

    assert "b.md" in changed(store, now)
    assert called(store, "b.md") == ("", "", "")


def test_a_target_that_comes_back_is_called_what_links_say_then(store: Store) -> None:
    settled(store)
    store.write(Change(drop=(at("b.md"),)))
    store.write(put(TARGET))
    now = store.generation
    store.write(Change(edges=SETTLED))

    assert called(store, "b.md") == ("all of it", "the top", "")
    assert changed(store, now) in ([], ["b.md"])


# Documents by number


def test_documents_come_whole_in_the_order_asked_for(store: Store) -> None:
    store.write(put(FULL, TARGET))
    found = numbers(store)
    first, second = found["guide/auth.md"], found["b.md"]

    assert list(store.numbered([second, 999, first])) == [
        Numbered(second, TARGET.document, (), ("", "", "")),
        Numbered(first, FULL.document, FULL.chunks, ("", "", "")),
    ]
    assert list(store.numbered([])) == []


def test_many_documents_come_in_order(store: Store) -> None:
    store.write(Change(put=tuple(entry(f"{number:03}.md", links=("x", "y")) for number in range(501))))
    backwards = store.feed(0).changed[::-1]
    found = list(store.numbered(backwards))

    assert [one.number for one in found] == list(backwards)
    assert [one.document for one in found] == [store.document(one.document.ref) for one in found]


def test_numbered_text_that_is_not_utf8_comes_back_as_it_was(store: Store) -> None:
    odd = entry("caf\udce9.md", ("caf\udce9",))
    user = saying(entry("a.md", links=("x",)), "say \udce9")
    store.write(put(odd, user))
    store.write(Change(edges=(edge(user, 0, at("caf\udce9.md", "caf\udce9")),)))

    assert called(store, "caf\udce9.md") == ("", "say \udce9")
    assert store.scope(Filter(paths=("caf\udce9.md",))) == Scope(frozenset({numbers(store)["caf\udce9.md"]}))
    assert store.scope(Filter(linked_to=at("caf\udce9.md", "caf\udce9"))) == Scope(
        frozenset({numbers(store)["a.md"]}), frozenset({(numbers(store)["a.md"], 1)})
    )


# Filters


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
    about("README.md", None, Kind.README, ("start",)),
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
EVERYTHING = [_name(item.document.ref) for item in SHELF]


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


# Slices


def cut(item: Entry, *chunks: Chunk) -> Entry:
    return replace(item, chunks=chunks)


def test_a_slice_has_all_that_a_citation_needs(store: Store) -> None:
    store.write(put(FULL))
    number = numbers(store)["guide/auth.md"]

    whole, passage = ChunkId(number, 0), ChunkId(number, 1)
    assert store.slices([whole, passage]) == {
        whole: Slice(
            chunk=whole,
            section=1,
            ref=at("guide/auth.md", "signing-in"),
            title="Signing in",
            trail=("Signing in",),
            kind=Kind.SPEC,
            span=Span(0, 26),
            lines=Span(0, 3),
            text="# Signing in\n\nÜber alles\n",
            passages=(Span(14, 26),),
            digest="d1",
            modified="2024-02-02",
        ),
        passage: Slice(
            chunk=passage,
            section=2,
            ref=at("guide/auth.md", "drawn"),
            title="Signing in",
            trail=("Signing in", "Drawn"),
            kind=Kind.SPEC,
            span=Span(14, 26),
            lines=Span(2, 3),
            text="Über alles\n",
            passages=(),
            digest="d1",
            modified="2024-02-02",
        ),
    }


def test_slices_that_are_not_there_are_left_out(store: Store) -> None:
    store.write(put(FULL, TARGET))
    known = numbers(store)
    found = ChunkId(known["guide/auth.md"], 1)
    asked = [ChunkId(99, 0), ChunkId(found.document, 2), ChunkId(found.document, -1), ChunkId(known["b.md"], 0), found]

    assert list(store.slices(asked)) == [found]
    assert store.slices([]) == {}
    store.write(Change(drop=(at("guide/auth.md"),)))
    assert store.slices(asked) == {}


def test_a_slice_names_the_root_by_the_document_and_files_whose_names_are_not_utf_8(store: Store) -> None:
    odd = "caf\udce9.md"
    store.write(put(cut(entry(odd), Chunk(0, 0, 0, Span(0, 3), Span(0, 1), 0.0))))
    chunk = ChunkId(numbers(store)[odd], 0)

    found = store.slices([chunk])[chunk]
    assert found.ref == at(odd)
    assert found.text == "caf"
    assert found.trail == ()


def test_a_slice_is_dated_by_what_its_document_says(store: Store) -> None:
    dated = {"both.md": Metadata(created="2020-01-01", modified="2021-01-01"), "one.md": Metadata(created="2020-01-01")}
    items = [
        replace(item, document=replace(item.document, metadata=dated.get(item.document.ref.path, Metadata())))
        for item in (cut(entry(path), Chunk(0, 0, 0, Span(0, 3), Span(0, 1), 0.0)) for path in (*dated, "none.md"))
    ]
    store.write(put(*items))
    found = store.slices([ChunkId(number, 0) for number in numbers(store).values()])

    days = {piece.ref.path: piece.modified for piece in found.values()}
    assert days == {"both.md": "2021-01-01", "one.md": "2020-01-01", "none.md": ""}


def test_a_slice_cuts_bytes_and_not_characters(store: Store) -> None:
    store.write(put(cut(FULL, Chunk(0, 1, 0, Span(15, 26), Span(2, 3), 0.0))))
    chunk = ChunkId(numbers(store)["guide/auth.md"], 0)

    assert store.slices([chunk])[chunk].text == "\N{REPLACEMENT CHARACTER}ber alles\n"


def test_a_section_cut_in_many_has_the_passages_of_its_own_chunk_only(store: Store) -> None:
    rows = ((0, 0), (1, 0), (2, 0), (3, 3), (4, 3), (5, 5))
    chunks = [Chunk(at, 1, parent, Span(at, at + 2), Span(0, 1), 0.0) for at, parent in rows]
    store.write(put(cut(FULL, *chunks)))
    number = numbers(store)["guide/auth.md"]

    found = store.slices([ChunkId(number, ordinal) for ordinal in range(6)])
    assert [piece.passages for piece in found.values()] == [
        (Span(1, 3), Span(2, 4)), (), (), (Span(4, 6),), (), (),
    ]  # fmt: skip


def test_slices_of_many_documents_come_in_the_order_asked(store: Store) -> None:
    chunk = Chunk(0, 0, 0, Span(0, 3), Span(0, 1), 0.0)
    store.write(put(*(cut(entry(f"{name:03}.md"), chunk) for name in range(450))))
    asked = [ChunkId(number, 0) for number in reversed(numbers(store).values())]

    found = store.slices(asked)
    assert list(found) == asked
    assert [piece.ref.path for piece in found.values()] == [f"{name:03}.md" for name in reversed(range(450))]
