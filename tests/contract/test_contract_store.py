"""What every store promises of keywords, settings, counts and transactions, asked of every engine."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kits.store import FULL, at, edge, entry, put, stamp
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    Counts,
    Failure,
    Name,
    NameForm,
    Outcome,
    formats,
    name_key,
)

ODD = "notes/caf\udce9.md"
"""A path whose bytes are not UTF-8."""


def test_keywords_stand_beside_the_document(store: Store) -> None:
    words = ((), ("sign in", "token"), ())
    store.write(Change(put=(FULL,), settings={"keywords": "f1"}))
    assert store.pending_keywords(DOCS, 9) == [at("guide/auth.md")]
    store.write(Change(keywords={"d1": words, "unknown": (("x",),)}))

    found = store.document(at("guide/auth.md"))
    assert found is not None
    assert [section.keywords for section in found.sections] == [(), ("sign in", "token"), ("box", "arrow")]
    assert next(store.outlines(DOCS)).sections == found.sections
    assert store.pending_keywords(DOCS, 9) == []
    assert store.counts(DOCS).pending_keywords == 0


def test_keywords_follow_a_moved_document_and_go_with_the_last_copy(store: Store) -> None:
    words = ((), ("moved",), ("along",))
    moved = replace(FULL, document=replace(FULL.document, stamp=stamp("new.md")), names=())
    store.write(Change(put=(FULL,), settings={"keywords": "f1"}, keywords={"d1": words}))
    store.write(Change(put=(moved,), drop=(at("guide/auth.md"),)))

    found = store.document(at("new.md"))
    assert found is not None
    assert tuple(section.keywords for section in found.sections) == words
    store.write(Change(drop=(at("new.md"),)))
    store.write(put(moved))
    assert store.pending_keywords(DOCS, 9) == [at("new.md")]
    assert store.document(at("new.md")) == moved.document


def test_a_new_fingerprint_makes_keywords_pending_but_keeps_them(store: Store) -> None:
    store.write(Change(put=(FULL,), settings={"keywords": "f1"}, keywords={"d1": ((), ("a",), ("b",))}))
    store.write(Change(settings={"keywords": "f2"}))

    found = store.document(at("guide/auth.md"))
    assert found is not None
    assert found.sections[1].keywords == ("a",)
    assert store.pending_keywords(DOCS, 9) == [at("guide/auth.md")]
    store.write(Change(settings={"keywords": ""}))
    assert store.pending_keywords(DOCS, 9) == []
    assert store.document(at("guide/auth.md")) == FULL.document


def test_keywords_made_for_other_sections_are_not_shown(store: Store) -> None:
    store.write(Change(put=(FULL,), settings={"keywords": "f1"}, keywords={"d1": (("too",), ("few",))}))

    assert store.document(at("guide/auth.md")) == FULL.document


def test_settings_are_remembered_until_emptied(store: Store) -> None:
    assert store.setting("reading") == ""
    store.write(Change(settings={"reading": "1", "other": "x"}))
    store.write(Change(settings={"reading": "2", "other": ""}))

    assert (store.setting("reading"), store.setting("other")) == ("2", "")


def test_every_write_is_a_generation(store: Store) -> None:
    before = store.generation
    store.write(Change())
    store.write(put(FULL))

    assert store.generation == before + 2


def test_derived_parts_belong_to_their_generation(store: Store) -> None:
    store.write(put(FULL))
    generation = store.generation
    assert store.derived("map") is None
    assert store.last_derived("map") is None
    store.keep_derived("map", b"\x00made")

    assert store.derived("map") == b"\x00made"
    assert store.generation == generation
    store.write(Change())
    assert store.derived("map") is None
    assert store.last_derived("map") == (generation, b"\x00made")
    store.keep_derived("map", b"again")
    assert store.derived("map") == b"again"


def test_a_part_made_before_a_write_is_not_taken_for_a_later_one(store: Store) -> None:
    assert store.derived("map") is None
    store.write(put(FULL))
    store.keep_derived("map", b"made from nothing")

    assert store.derived("map") is None


def test_counts_add_up(store: Store) -> None:
    item = entry("a.md", ("one", "two"), ("x", "y", "z"))
    store.write(
        Change(
            put=(item, FULL),
            assets=(stamp("p.png", media=formats.ASSET),),
            failures=(Failure(at("bad.md"), "1", "no"),),
            settings={"keywords": "f"},
        )
    )
    store.write(Change(edges=(edge(item, 0, None, Outcome.NO_FILE), edge(item, 1, None, Outcome.MISSING))))

    assert store.counts(DOCS) == Counts(
        documents=2,
        sections=6,
        links=4,
        assets=1,
        failures=1,
        pending_links=3,
        pending_keywords=2,
        source_bytes=len(item.document.source) + len(FULL.document.source),
    )
    assert store.counts("memories") == Counts(0, 0, 0, 0, 0, 0, 0, 0)


def test_text_that_is_not_utf8_comes_back_as_it_was(store: Store) -> None:
    odd = entry(ODD, ("caf\udce9",), ("x\udcff.md",), names=(Name("\udce9", NameForm.ALIAS, "\udce9", ODD),))
    user = entry("user.md", links=(ODD,))
    store.write(Change(put=(odd, user, entry("z\U0001f600.md"), entry("z\uffee.md"), entry("z\udcff.md"))))
    seen = (edge(odd, 0, None, Outcome.MISSING), edge(user, 0, at(ODD, "caf\udce9")))
    store.write(
        Change(
            edges=(replace(seen[0], candidates=("\udcff",)), seen[1]),
            failures=(Failure(at("bad\udcff"), "1", "bad\udcff"),),
            settings={"odd": "\ud800"},
        )
    )

    assert store.document(at(ODD)) == odd.document
    assert list(store.files(DOCS)) == [ODD, "user.md", "z\udcff.md", "z\uffee.md", "z\U0001f600.md"]
    assert list(store.edges(DOCS)) == [replace(seen[0], candidates=("\udcff",)), seen[1]]
    assert [outline.cited_sections for outline in store.outlines(DOCS, "notes")] == [(0, 1)]
    assert [name.path for name in store.names(DOCS, [name_key(ODD), "\udce9"])] == [ODD, ODD]
    assert store.failures(DOCS) == [Failure(at("bad\udcff"), "1", "bad\udcff")]
    assert store.setting("odd") == "\ud800"
    store.write(Change(drop=(at(ODD),)))
    assert store.pending_links(DOCS, 1)[0] in [(at("user.md"), user.document.links[0])]


def test_a_transaction_becomes_visible_whole_and_reads_itself(store: Store) -> None:
    item = entry("a.md", links=("b.md",))
    with store.transaction():
        store.write(put(item))
        assert store.pending_links(DOCS, 9) == [(at("a.md"), item.document.links[0])]
        store.write(Change(edges=(edge(item, 0, None, Outcome.MISSING),)))

    assert list(store.edges(DOCS)) == [edge(item, 0, None, Outcome.MISSING)]


def test_an_error_inside_a_transaction_undoes_all_of_it(store: Store) -> None:
    store.write(put(FULL))
    generation = store.generation
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.write(put(entry("a.md")))
        store.write(Change(drop=(at("guide/auth.md"),)))
        raise ZeroDivisionError

    assert store.generation == generation
    assert list(store.files(DOCS)) == ["guide/auth.md"]
    assert store.document(at("guide/auth.md")) == FULL.document


def test_a_change_that_cannot_be_applied_leaves_no_trace(store: Store) -> None:
    store.write(put(FULL))
    unkeyed = replace(entry("a.md", links=("x", "y")), keys=("x",))
    with pytest.raises(ValueError, match="key"):
        store.write(Change(drop=(at("guide/auth.md"),), put=(unkeyed,)))

    assert store.document(at("guide/auth.md")) == FULL.document
    assert store.counts(DOCS).documents == 1
    with store.transaction():
        store.write(put(entry("b.md")))
        with pytest.raises(ValueError, match="key"):
            store.write(put(unkeyed))
    assert list(store.files(DOCS)) == ["b.md", "guide/auth.md"]


def test_writing_may_be_held_around_several_writes(store: Store) -> None:
    with store.writing(), store.writing(wait_s=0):
        store.write(put(entry("a.md")))
        store.write(put(entry("b.md")))

    assert list(store.files(DOCS)) == ["a.md", "b.md"]
    assert not store.is_read_only
