"""What every store promises to derived parts: what changed since a generation."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from kits.store import (
    ENGINES,
    FULL,
    TARGET,
    USER,
    at,
    changed,
    entry,
    numbers,
    put,
    settled,
    stamp,
)
from pinakes.ports import Store
from pinakes.records import (
    Change,
    Failure,
    Feed,
    Filter,
    Scope,
    formats,
)


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
    assert list(store.documents_by_number(sorted(before.values()))) == []


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
    before = list(store.documents_by_number(store.feed(0).changed))
    store.write(Change(failures=(Failure(at("guide/auth.md"), "2", "no"),), settings={"x": "y"}))
    store.write(Change(keywords={"d1": ((), ("made",), ("later",))}))

    assert store.feed(now).changed == ()
    assert list(store.documents_by_number(store.feed(0).changed)) == before
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
