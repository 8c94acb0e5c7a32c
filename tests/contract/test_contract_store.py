"""What every store promises, asked of every engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kits.store import ENGINES, FULL, at, edge, entry, put, stamp
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    Counts,
    Edge,
    Entry,
    Failure,
    Name,
    NameForm,
    Outcome,
    Outline,
    Reference,
    Section,
    Span,
    StoredFile,
    formats,
    name_key,
)

ODD = "notes/caf\udce9.md"
"""A path whose bytes are not UTF-8."""


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = ENGINES[request.param](tmp_path / "index")
    yield store
    store.close()


def test_a_document_comes_back_whole(store: Store) -> None:
    store.write(put(FULL))

    assert store.document(at("guide/auth.md")) == FULL.document
    assert store.document(at("guide/auth.md", "drawn")) == FULL.document
    assert store.chunks(at("guide/auth.md")) == FULL.chunks
    assert store.warnings(DOCS) == [
        (at("guide/auth.md"), "2 bytes were replaced"),
        (at("guide/auth.md"), "odd frontmatter"),
    ]


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


def test_names_are_paths_folders_and_what_entries_answer_to(store: Store) -> None:
    index = Name("guide", NameForm.INDEX, "guide", "guide/README.md")
    title = Name("the guide", NameForm.TITLE, "The Guide", "guide/README.md")
    store.write(
        Change(
            put=(entry("guide/README.md", names=(title, index, index)),),
            assets=(stamp("img/deep/A.png", media=formats.ASSET),),
        )
    )

    assert list(store.names(DOCS)) == [
        Name("/", NameForm.FOLDER, "", ""),
        Name("guide", NameForm.FOLDER, "guide", "guide"),
        index,
        Name("readme", NameForm.PATH, "guide/README.md", "guide/README.md"),
        title,
        Name("img", NameForm.FOLDER, "img", "img"),
        Name("deep", NameForm.FOLDER, "img/deep", "img/deep"),
        Name("a.png", NameForm.PATH, "img/deep/A.png", "img/deep/A.png"),
    ]
    assert [name.form for name in store.names(DOCS, ["guide", "nothing"])] == [NameForm.FOLDER, NameForm.INDEX]
    assert list(store.names(DOCS, [])) == []


def test_a_folder_goes_with_its_last_file(store: Store) -> None:
    store.write(put(entry("a/b/one.md"), entry("a/two.md")))
    store.write(Change(drop=(at("a/b/one.md"),)))

    folders = [name.path for name in store.names(DOCS) if name.form is NameForm.FOLDER]
    assert folders == ["", "a"]
    store.write(Change(drop=(at("a/two.md"), at("a/gone.md"))))
    assert list(store.names(DOCS)) == []


def test_edges_can_be_asked_for_by_origin_target_and_outcome(store: Store) -> None:
    first = entry("a.md", ("one", "two"), ("b.md", "b.md#top", "https://x.org", "gone.md", "word", "b.md#no"))
    second = entry("b.md", links=("a.md",))
    store.write(put(first, second))
    edges = (
        edge(first, 0, at("b.md")),
        edge(first, 1, at("b.md", "top")),
        edge(first, 2, None, Outcome.EXTERNAL),
        replace(edge(first, 3, None, Outcome.AMBIGUOUS), candidates=("x/gone.md", "y/gone.md")),
        edge(first, 4, None, Outcome.NO_FILE),
        edge(first, 5, at("b.md"), Outcome.BROKEN_ANCHOR),
        edge(second, 0, at("a.md")),
    )
    store.write(Change(edges=tuple(reversed(edges))))
    real = [found for found in edges if found.outcome is not Outcome.NO_FILE]

    assert list(store.edges(DOCS)) == real
    assert list(store.edges(DOCS, origin=at("b.md"))) == [edges[6]]
    assert list(store.edges(DOCS, origin=at("a.md", "two"))) == real[:5]
    assert list(store.edges(DOCS, origin=at("a.md", "one"))) == []
    assert list(store.edges(DOCS, to=at("b.md"))) == [edges[0], edges[1], edges[5]]
    assert list(store.edges(DOCS, to=at("b.md", "top"))) == [edges[1]]
    assert list(store.edges(DOCS, origin=at("b.md"), to=at("a.md"))) == [edges[6]]
    assert list(store.edges(DOCS, outcomes=(Outcome.EXTERNAL, Outcome.AMBIGUOUS))) == [edges[2], edges[3]]
    assert list(store.edges(DOCS, outcomes=(Outcome.NO_FILE,))) == []
    assert list(store.edges("memories")) == []
    assert store.pending_links(DOCS, 9) == []


def test_edges_may_lead_to_another_corpus(store: Store) -> None:
    memory = entry("note.md", links=("a.md",), corpus="memories")
    store.write(put(entry("a.md"), memory))
    seen = edge(memory, 0, at("a.md", "top"))
    store.write(Change(edges=(seen,)))

    assert list(store.edges("memories", to=at("a.md"))) == [seen]
    assert list(store.edges(DOCS, to=at("a.md"))) == []
    assert [outline.cited_sections for outline in store.outlines(DOCS)] == [(0, 0)]


def test_an_edge_can_be_written_again_and_one_without_a_link_is_ignored(store: Store) -> None:
    item = entry("a.md", links=("b.md",))
    store.write(put(item))
    store.write(Change(edges=(edge(item, 0, None, Outcome.MISSING),)))
    ghost = replace(item.document.links[0], ordinal=7)
    gone = entry("gone.md", links=("b.md",))
    store.write(
        Change(edges=(edge(item, 0, at("c.md")), Edge(at("a.md"), ghost, None, Outcome.MISSING), edge(gone, 0, None)))
    )

    assert list(store.edges(DOCS)) == [edge(item, 0, at("c.md"))]
    assert store.counts(DOCS).pending_links == 0


def test_outlines_count_sections_that_cite(store: Store) -> None:
    cited = entry("b.md", ("top", "other"), ("#other",))
    first = entry("a.md", ("one",), ("b.md", "b.md", "b.md#top", "folder", "pic.png", "b.md#no"))
    second = entry("c/d.md", ("one",), ("../b.md",))
    store.write(Change(put=(cited, first, second), assets=(stamp("folder/pic.png", media=formats.ASSET),)))
    store.write(
        Change(
            edges=(
                edge(cited, 0, at("b.md", "other")),
                edge(first, 0, at("b.md")),
                edge(first, 1, at("b.md")),
                edge(first, 2, at("b.md", "top")),
                edge(first, 3, at("folder")),
                edge(first, 4, at("folder/pic.png")),
                edge(first, 5, at("b.md"), Outcome.BROKEN_ANCHOR),
                edge(second, 0, at("b.md")),
            )
        )
    )

    def outline(item: Entry, cited: int, sections: tuple[int, ...], *references: Reference) -> Outline:
        document = item.document
        return Outline(
            ref=document.ref,
            title=document.title,
            kind=document.kind,
            media=formats.MARKDOWN,
            digest=document.digest,
            sections=document.sections,
            cited=cited,
            cited_sections=sections,
            references=references,
        )

    a = outline(
        first,
        0,
        (0, 0),
        Reference(1, at("b.md")),
        Reference(1, at("b.md", "top")),
        Reference(1, at("folder/pic.png")),
    )
    b = outline(cited, 2, (0, 1, 0))
    d = outline(second, 0, (0, 0), Reference(1, at("b.md")))
    assert list(store.outlines(DOCS)) == [a, b, d]
    assert list(store.outlines(DOCS, "b.md")) == [b]
    assert list(store.outlines(DOCS, "c")) == [d]
    assert list(store.outlines(DOCS, "c/")) == [d]
    assert list(store.outlines(DOCS, "c/d")) == []


def test_pending_links_come_in_order_and_by_portions(store: Store) -> None:
    later, sooner = entry("b.md", links=("x", "y")), entry("a.md", links=("x", "y", "z"))
    store.write(put(later, sooner))
    everything = [(item.document.ref, link) for item in (sooner, later) for link in item.document.links]

    assert store.pending_links(DOCS, 9) == everything
    assert store.pending_links(DOCS, 4) == everything[:4]
    store.write(Change(edges=(edge(sooner, 1, None, Outcome.MISSING), edge(later, 0, None, Outcome.MISSING))))
    assert store.pending_links(DOCS, 9) == [everything[0], everything[2], everything[4]]
    assert store.counts(DOCS).pending_links == 3


USER = entry("user.md", ("top",), ("target.md", "other.md", "https://x.org"))
SETTLED = (
    edge(USER, 0, None, Outcome.MISSING),
    edge(USER, 1, None, Outcome.MISSING),
    edge(USER, 2, None, Outcome.EXTERNAL),
)
ALIASED = entry("guide.md", names=(Name("target", NameForm.ALIAS, "Target", "guide.md"),))
MOVED_ANCHOR = entry("x/target.md", ("new",))


@pytest.mark.parametrize(
    ("before", "change"),
    [
        (Change(), put(entry("x/Target.md"))),
        (put(entry("x/target.md")), Change(drop=(at("x/target.md"),))),
        (Change(), Change(assets=(stamp("target", media=formats.ASSET),))),
        (Change(), put(entry("target/deep/file.md"))),
        (put(entry("target/file.md")), Change(drop=(at("target/file.md"),))),
        (put(entry("guide.md")), put(ALIASED)),
        (put(ALIASED), put(entry("guide.md", version="2"))),
        (put(entry("x/target.md", ("old",))), put(MOVED_ANCHOR)),
        (put(ALIASED), put(replace(ALIASED, document=entry("guide.md", ("new",)).document))),
        (put(entry("x/target.md")), Change(assets=(stamp("x/target.md", "2", formats.ASSET),))),
        (Change(), put(entry("target.md", corpus="memories"))),
    ],
    ids=[
        "a file appears",
        "a file vanishes",
        "an asset appears",
        "a folder appears",
        "a folder vanishes",
        "an alias appears",
        "an alias vanishes",
        "an anchor changes",
        "an anchor behind an alias changes",
        "a document becomes an asset",
        "a file appears in another corpus",
    ],
)
def test_links_that_could_lead_elsewhere_wait_again(store: Store, before: Change, change: Change) -> None:
    store.write(before)
    store.write(put(USER))
    store.write(Change(edges=SETTLED))
    store.write(change)

    assert (at("user.md"), USER.document.links[0]) in store.pending_links(DOCS, 99)


def test_edges_of_the_same_change_stay_as_given(store: Store) -> None:
    store.write(put(USER))
    target = entry("target.md")
    found = edge(USER, 0, at("target.md"))
    store.write(Change(put=(target,), edges=(found, *SETTLED[1:])))

    assert list(store.edges(DOCS)) == [found, *SETTLED[1:]]
    assert store.pending_links(DOCS, 9) == []


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
    store.keep_derived("map", b"\x00made")

    assert store.derived("map") == b"\x00made"
    assert store.generation == generation
    store.write(Change())
    assert store.derived("map") is None
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
