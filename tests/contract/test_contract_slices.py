"""What every store promises to search: chunks as they are cited."""

from __future__ import annotations

from msgspec.structs import replace

from kits.store import FULL, TARGET, at, entry, numbers, put
from pinakes.ports import Store
from pinakes.records import (
    Change,
    Chunk,
    ChunkId,
    Entry,
    Kind,
    Metadata,
    Shape,
    Slice,
    Span,
)


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
            shapes=(Shape.TABLE, Shape.CODE),
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
            labels=("box", "arrow"),
            shapes=(Shape.DIAGRAM,),
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


def test_what_was_cited_before_is_cited_as_it_is_now(store: Store) -> None:
    store.write(put(FULL))
    number = numbers(store)["guide/auth.md"]
    chunk = ChunkId(number, 0)
    before = store.slices([chunk])[chunk]
    assert store.slices([chunk]) == {chunk: before}
    store.write(put(replace(FULL, document=replace(FULL.document, title="Another title"))))
    assert numbers(store)["guide/auth.md"] == number
    assert store.slices([chunk])[chunk].title == "Another title"
    with store.transaction():
        store.write(Change(drop=(at("guide/auth.md"),)))
        assert store.slices([chunk]) == {}
    assert store.slices([chunk]) == {}
