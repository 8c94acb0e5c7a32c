"""What every store promises of documents, files and failures, asked of every engine."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kits.store import FULL, at, edge, entry, put, stamp
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    CodeBlock,
    Failure,
    FilterValues,
    Metadata,
    Name,
    NameForm,
    Outcome,
    Section,
    Span,
    StoredFile,
    formats,
)


def test_a_document_comes_back_whole(store: Store) -> None:
    store.write(put(FULL))

    assert store.document(at("guide/auth.md")) == FULL.document
    assert store.document(at("guide/auth.md", "drawn")) == FULL.document
    assert store.chunks(at("guide/auth.md")) == FULL.chunks
    assert store.warnings(DOCS) == [
        (at("guide/auth.md"), "2 bytes were replaced"),
        (at("guide/auth.md"), "odd frontmatter"),
    ]


def test_tags_are_counted_by_the_documents_that_have_them(store: Store) -> None:
    other = entry("b.md")
    store.write(put(FULL, replace(other, document=replace(other.document, tags=("a", "b")))))

    assert list(store.tags(DOCS).items()) == [("a", 2), ("b", 1), ("ü", 1)]
    assert store.tags("memories") == {}


def test_what_filters_find_documents_by_is_told_of_each(store: Store) -> None:
    item = entry("b.md", ("one",))
    code = (CodeBlock(1, "python", Span(0, 1)), CodeBlock(1, "sh", Span(1, 2)), CodeBlock(1, "python", Span(2, 3)))
    plain = CodeBlock(0, "", Span(3, 4))
    told = replace(item.document, tags=("a", "b"), metadata=Metadata(language="de"), code=(*code, plain))
    store.write(put(replace(item, document=told), entry("c.md"), entry("b.md", corpus="memories")))

    assert store.filter_values([at("b.md", "one"), at("c.md"), at("gone.md"), at("\ud800")]) == {
        at("b.md"): FilterValues(("a", "b"), "de", {"one": ("python", "sh")}),
        at("c.md"): FilterValues((), "", {}),
    }
    assert store.filter_values([]) == {}


def test_what_is_not_there_is_none(store: Store) -> None:
    store.write(put(FULL))

    assert store.document(at("guide")) is None
    assert store.document(at("guide/auth.md", corpus="memories")) is None
    assert list(store.chunks(at("nowhere.md"))) == []
    assert store.anchors(at("nowhere.md")) == {}
    assert store.document(at("\ud800")) is None
    assert list(store.edges(DOCS, origin=at("\ud800"), to=at("\ud800", "\ud800"))) == []
    assert list(store.names(DOCS, ["\ud800"])) == []


def test_anchors_lead_to_the_canonical_one(store: Store) -> None:
    clash = (
        Section("", "", 0, -1, Span(0, 9), Span(0, 1), aliases=("top",)),
        Section("one", "One", 1, 0, Span(0, 9), Span(0, 1), aliases=("two", "same")),
        Section("two", "Two", 1, 0, Span(0, 9), Span(0, 1), aliases=("same",)),
    )
    item = entry("a.md")
    store.write(put(replace(item, document=replace(item.document, sections=clash))))

    assert store.anchors(at("a.md")) == {"one": "one", "two": "two", "top": "", "same": "one"}


def test_putting_again_replaces_everything_about_a_document(store: Store) -> None:
    store.write(put(FULL))
    after = entry("guide/auth.md", ("other",), ("x.md",), version="2")
    store.write(put(after))

    assert store.document(at("guide/auth.md")) == after.document
    assert list(store.chunks(at("guide/auth.md"))) == []
    assert store.anchors(at("guide/auth.md")) == {"other": "other"}
    assert list(store.names(DOCS, ["al", "signing in"])) == []
    assert store.pending_links(DOCS, 9) == [(at("guide/auth.md"), after.document.links[0])]
    assert store.files(DOCS) == {"guide/auth.md": StoredFile(after.document.stamp, after.document.digest)}


def test_corpora_are_kept_apart(store: Store) -> None:
    here, there = entry("a.md", links=("b.md",)), entry("a.md", ("other",), corpus="memories")
    store.write(put(here, there))
    store.write(Change(drop=(at("a.md"),), failures=(Failure(at("x.md"), "1", "no"),)))

    assert store.document(at("a.md")) is None
    assert store.document(at("a.md", corpus="memories")) == there.document
    assert [name.path for name in store.names("memories")] == ["", "a.md"]
    assert list(store.names(DOCS)) == []
    assert store.failures("memories") == []
    assert store.counts("memories").documents == 1


def test_kept_lists_documents_and_assets_by_path(store: Store) -> None:
    first, second = entry("b.md"), entry("a/z.md")
    picture = stamp("pic.png", media=formats.ASSET)
    store.write(Change(put=(first, second), assets=(picture,)))

    kept = store.files(DOCS)
    assert list(kept) == ["a/z.md", "b.md", "pic.png"]
    assert kept["b.md"] == StoredFile(first.document.stamp, first.document.digest)
    assert kept["pic.png"] == StoredFile(picture, "")


def test_touching_changes_the_version_and_nothing_else(store: Store) -> None:
    item = entry("a.md", links=("b.md",))
    store.write(put(item))
    store.write(Change(edges=(edge(item, 0, None, Outcome.MISSING),)))
    newer = stamp("a.md", "2")
    store.write(Change(touch=(newer, stamp("unknown.md", "2"))))

    assert store.files(DOCS) == {"a.md": StoredFile(newer, item.document.digest)}
    assert store.document(at("a.md")) == replace(item.document, stamp=newer)
    assert store.pending_links(DOCS, 9) == []


def test_a_failed_file_keeps_its_last_good_version(store: Store) -> None:
    item = entry("a.md")
    store.write(put(item))
    failed = Failure(at("a.md"), "2", "It cannot be read.", "Change its permissions.")
    never = Failure(at("b.md"), "1", "It is too large.")
    store.write(Change(failures=(failed, never)))

    assert store.failures(DOCS) == [failed, never]
    assert store.document(at("a.md")) == item.document
    assert store.files(DOCS) == {"a.md": StoredFile(item.document.stamp, item.document.digest)}
    store.write(Change(failures=(replace(failed, version="3", reason="Still."),)))
    assert store.failures(DOCS)[0] == replace(failed, version="3", reason="Still.")


@pytest.mark.parametrize(
    "cure",
    [put(entry("a.md", version="3")), Change(touch=(stamp("a.md", "3"),)), Change(drop=(at("a.md"),))],
    ids=["put", "touch", "drop"],
)
def test_put_touch_and_drop_clear_a_failure(store: Store, cure: Change) -> None:
    store.write(put(entry("a.md")))
    store.write(Change(failures=(Failure(at("a.md"), "2", "no"),)))
    store.write(cure)

    assert store.failures(DOCS) == []


def test_an_asset_replaces_a_document_and_the_other_way_round(store: Store) -> None:
    item = entry("a.md", names=(Name("x", NameForm.ALIAS, "x", "a.md"),), links=("b.md",))
    plain = stamp("a.md", "2", formats.ASSET)
    store.write(put(item))
    store.write(Change(drop=(at("a.md"),), assets=(plain,)))

    assert store.files(DOCS) == {"a.md": StoredFile(plain, "")}
    assert store.document(at("a.md")) is None
    assert [name.form for name in store.names(DOCS)] == [NameForm.FOLDER, NameForm.PATH]
    store.write(put(item))
    assert store.document(at("a.md")) == item.document
    assert store.counts(DOCS).assets == 0
