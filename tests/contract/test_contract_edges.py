"""What every store promises of names, links and outlines, asked of every engine."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kits.store import at, edge, entry, put, stamp
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    Edge,
    Entry,
    Name,
    NameForm,
    Outcome,
    Outline,
    Reference,
    formats,
)


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
    assert sorted(store.outlines(DOCS, paths=("c/d.md", "a.md", "gone.md")), key=lambda one: one.ref) == [a, d]
    assert list(store.outlines(DOCS, paths=())) == []
    listed = store.listing(DOCS)
    assert [(one.path, one.sections) for one in listed] == [("a.md", 2), ("b.md", 3), ("c/d.md", 2)]
    assert store.listing(DOCS, "c") == [listed[2]]
    assert tuple(sorted(one.number for one in listed)) == store.feed(0).changed


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
