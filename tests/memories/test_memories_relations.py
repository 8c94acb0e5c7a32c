"""What the words around a link say, and what it costs in a memory with very many links."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pinakes
from kits.trees import write_tree
from pinakes.memories.relations import relations_of
from pinakes.parse import parse
from pinakes.records import MEMORIES, Document, Raw, Ref, Relation, Stamp, formats
from pinakes.render.notes import recollection_text

PIECES = (
    "[[a]] ",
    "we fix [b](b.md), ",
    "tests ",
    "plan to add ![c](c.png) ",
    "![x ![y](y.png)](x.png) ",
    "replaces. ",
    "\n\n",
    "\n- ",
    "\n## Related\n\n",
    "ö ",
)


def memory(text: str) -> Document:
    return parse(Raw(Stamp(Ref(MEMORIES, "x.md"), "", formats.MARKDOWN), text.encode(), ""))


@given(st.lists(st.sampled_from(PIECES), max_size=60))
@settings(deadline=None)
def test_a_link_is_related_as_if_it_were_read_alone(pieces: list[str]) -> None:
    document = memory("".join(pieces))
    relations = relations_of(document)
    assert len(relations) == len(document.links)
    for link, relation in zip(document.links, relations, strict=True):
        # The same document cut off far behind the link must say the same about it.
        short = memory("".join(pieces).encode()[: link.span.end + 2000].decode("utf-8", "ignore"))
        assert relations_of(short)[link.ordinal] is relation


def test_words_inside_other_links_are_names_and_no_verbs() -> None:
    document = memory("See [tests](a.md) and [[b]].")
    assert relations_of(document) == (Relation.MENTIONS, Relation.MENTIONS)


@pytest.mark.parametrize("text", ["[[a]] " * 100_000, "![" * 20_000 + "x" + "](a.md)" * 20_000, "[[#here]] " * 50_000])
def test_a_memory_full_of_links_does_not_hold_up_a_search(tmp_path: Path, text: str) -> None:
    write_tree(tmp_path, {"a.md": "# A lamp\n", ".memories/x.md": text})
    with pinakes.open(tmp_path) as library:
        library.sync()
        assert [hit.ref.path for hit in library.search("lamp").hits] == ["a.md"]


def test_of_a_memory_full_of_links_the_first_are_followed_and_said_to_be(tmp_path: Path) -> None:
    links = " ".join(f"[[gone {number}]]" for number in range(3000))
    write_tree(tmp_path, {"a.md": "# A lamp\n", ".memories/x.md": f"Zebra [[a]] {links}"})
    with pinakes.open(tmp_path) as library:
        (found,) = library.memories.recall("zebra").found
        assert len(found.memory.links) == 2000
        assert found.memory.warnings == ("Of its 3,001 links the first 2,000 are followed.",)
        told = recollection_text(library.memories.recall("zebra"))
    assert told.count("loose end:") == 20
    assert "1,979 more loose ends" in told
