"""Commits are cut where their differences have borders, and nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pinakes.chunk import ChunkOptions, chunk
from pinakes.parse import parse
from pinakes.records import HISTORY, Chunk, Document, Raw, Ref, Stamp, formats
from pinakes.records.history import Commit, pack

SMALL = ChunkOptions(section_chars=200, passage_chars=60)
LINE = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), max_size=90
)
TEXT = st.lists(LINE, max_size=30).map("\n".join)


def document(message: str, diff: str) -> Document:
    who = (b"Ada", b"ada@example.org", b"2026-01-02T00:00:00Z")
    made = Commit(b"0" * 40, b".", b"", *who, *who, message.encode(), files=((b"M", b"a.py"),), diff=diff.encode())
    return parse(Raw(Stamp(Ref(HISTORY, "0" * 40), "1", formats.COMMIT), pack(made), "digest"))


def text(of: Document, one: Chunk) -> str:
    return of.source[one.span.start : one.span.end].decode()  # fails where a letter was cut in two


@given(TEXT, TEXT)
def test_every_line_is_in_a_chunk_of_its_level_and_says_where_it_is(message: str, diff: str) -> None:
    of = document(message, diff)
    chunks = chunk(of, SMALL)
    lines = of.source.decode().split("\n")
    for level in (True, False):
        some = [one for one in chunks if (one.parent == one.ordinal) is level]
        assert [one.span for one in some] == sorted(one.span for one in some)
        for one in some:
            said = text(of, one)
            assert said == said.strip(" \t\n")
            assert len(said.encode()) <= (SMALL.section_chars if level else SMALL.passage_chars)
            assert said.split("\n")[0] in lines[one.lines.start]
            assert said.count("\n") == one.lines.length - 1
    wholes = [one for one in chunks if one.parent == one.ordinal]
    assert "".join("".join(text(of, one) for one in wholes).split()) == "".join(of.source.decode().split())
    for whole in wholes:
        inner = [one for one in chunks if one.parent == whole.ordinal and one is not whole]
        if inner:
            assert "".join("".join(text(of, one) for one in inner).split()) == "".join(text(of, whole).split())
        else:
            assert whole.span.length <= SMALL.passage_chars


def test_a_difference_is_cut_before_a_file_where_that_leaves_enough() -> None:
    part = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-old {0}\n+new {0}\n"
    of = document("Change two", part.format("one.py") + part.format("two.py"))
    firsts = [text(of, one).split("\n")[0] for one in chunk(of, ChunkOptions(150, 150)) if one.section == 1]
    assert firsts == ["## Diff", "diff --git a/two.py b/two.py"]
