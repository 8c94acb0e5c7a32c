"""What maps are drawn from is kept beside the store, follows its changes, and is made again when it cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.library import Library
from pinakes.library.map_catalogue import CATALOGUE, MapCatalogue, load_catalogue
from pinakes.outline import MapRequest, ShelfMoved

TIGHT = MapRequest(budget_tokens=120)
PAGES = {f"p{number}.md": f"# Page {number}\n\nSee [hub](hub.md).\n" for number in range(30)} | {"hub.md": "# Hub\n"}


def catalogue(library: Library) -> MapCatalogue:
    docs = library.corpus()
    return docs.toolbox.shelves.catalogue(docs.store)


def test_an_edited_sentence_leaves_ranks_and_headings_as_they_are_and_a_link_does_not(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, PAGES)) as library:
        library.sync()
        first = catalogue(library)
        write_tree(tmp_path, {"p3.md": "# Page 3\n\nSee the [hub](hub.md), please.\n"})
        library.sync()
        second = catalogue(library)
        assert second.generation > first.generation
        assert second.ranks is first.ranks
        assert second.headings is first.headings
        write_tree(tmp_path, {"p3.md": "# Page 3\n\nSee [four](p4.md).\n"})
        library.sync()
        third = catalogue(library)
        assert third.ranks != first.ranks
        assert third.headings is first.headings
        assert third.paths is first.paths


def test_who_comes_later_finds_what_was_kept_and_follows(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, PAGES)) as library:
        library.sync()
        made = catalogue(library)
        write_tree(tmp_path, {"p3.md": "# Page three\n\nSee [hub](hub.md).\n"})
        library.sync()
    with pinakes.open(tmp_path) as library:
        kept = load_catalogue(library.corpus().store)
        assert kept is not None
        assert (kept.generation, kept.paths, kept.noted) == (made.generation, made.paths, made.noted)
        found = catalogue(library)
        assert found.noted != made.noted
        assert found.ranks == pytest.approx(dict(made.ranks))


@pytest.mark.parametrize("payload", [b"", b"{}\n", b"[1]\n", b"no json\n", b"\xff\n"])
def test_one_that_cannot_be_read_is_made_again(tmp_path: Path, payload: bytes) -> None:
    with pinakes.open(write_tree(tmp_path, PAGES)) as library:
        library.sync()
        before = library.map(request=TIGHT).text()
        library.corpus().store.keep_derived(CATALOGUE, payload)
        assert load_catalogue(library.corpus().store) is None
    with pinakes.open(tmp_path) as library:
        assert library.map(request=TIGHT).text() == before


def test_one_that_is_cut_off_is_made_again(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, PAGES)) as library:
        library.sync()
        catalogue(library)
        store = library.corpus().store
        kept = store.last_derived(CATALOGUE)
        assert kept is not None
        for length in range(0, len(kept[1]), 97):
            store.keep_derived(CATALOGUE, kept[1][:length])
            assert load_catalogue(store) is None


def test_a_document_that_goes_while_a_map_is_drawn_is_noticed(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, PAGES)) as library:
        library.sync()
        docs = library.corpus()
        shelf = docs.toolbox.shelves.shelf(docs.store, "")
        (tmp_path / "p3.md").unlink()
        library.sync()
        with pytest.raises(ShelfMoved, match=r"p3\.md"):
            list(shelf.files())
        assert [one.path for one in docs.toolbox.shelves.whole_shelf(docs.store, "").files()] == sorted(
            PAGES.keys() - {"p3.md"}
        )


def test_what_leads_a_map_leads_the_picture_and_the_tree(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path, PAGES)) as library:
        library.sync()
        leading = library.leading()
        assert leading[0] == "hub.md"
        assert sorted(leading) == sorted(PAGES)
        assert "hub.md" in library.map(request=MapRequest(60)).block_digests()
        many = {f"q{number}.md": f"# More {number}\n" for number in range(300)}
        write_tree(tmp_path, many)
        library.sync()
        picture = library.layout()
        assert (len(picture.dots), picture.left_out) == (300, 31)
        assert {dot.path for dot in picture.dots} == set(library.leading()[:300])
        assert "p7.md" in {dot.path for dot in picture.dots}
