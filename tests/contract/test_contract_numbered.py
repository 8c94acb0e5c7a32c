"""What every store promises to derived parts: documents by number, and what links call them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kits.store import (
    FULL,
    SETTLED,
    TARGET,
    USER,
    at,
    called,
    changed,
    edge,
    entry,
    numbers,
    put,
    saying,
    settled,
    stamp,
)
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    Filter,
    NumberedDocument,
    Outcome,
    Scope,
    formats,
)


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


def test_documents_come_whole_in_the_order_asked_for(store: Store) -> None:
    store.write(put(FULL, TARGET))
    found = numbers(store)
    first, second = found["guide/auth.md"], found["b.md"]

    assert list(store.documents_by_number([second, 999, first])) == [
        NumberedDocument(second, TARGET.document, (), ("", "", "")),
        NumberedDocument(first, FULL.document, FULL.chunks, ("", "", "")),
    ]
    assert list(store.documents_by_number([])) == []


def test_many_documents_come_in_order(store: Store) -> None:
    store.write(Change(put=tuple(entry(f"{number:03}.md", links=("x", "y")) for number in range(501))))
    backwards = store.feed(0).changed[::-1]
    found = list(store.documents_by_number(backwards))

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
