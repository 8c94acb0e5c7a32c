"""Files written by hand: any bytes are a memory, and a change changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import pinakes
from kits.trees import write_tree
from pinakes.errors import Unreadable
from pinakes.memories.head import new_file, read_head, rewritten
from pinakes.records.memory import MemoryStatus, MemoryType, Revision

BY_HAND = """\
---
# What we agreed on
Title: "Agreed: all of it"   # with Anna
owner: {name: Anna, since: 2024-01-01}
tags:
- auth   # the first
- tokens
type:    plan
reviewers:
  - one
  - two
---

Text --- with rules.

---

More text.
"""


def changed(root: Path, text: str | bytes, revision: Revision) -> str:
    write_tree(root, {".memories/m.md": text})
    with pinakes.open(root) as library:
        library.memories.update("m", revision)
    return (root / ".memories" / "m.md").read_bytes().decode()


def test_a_change_leaves_other_fields_their_order_and_comments(tmp_path: Path) -> None:
    after = changed(tmp_path, BY_HAND, Revision(status=MemoryStatus.ARCHIVED, type=MemoryType.FACT, tags=("new",)))
    lines = after.splitlines()
    assert [line for line in BY_HAND.splitlines() if line not in lines] == [
        "tags:",
        "- auth   # the first",
        "- tokens",
        "type:    plan",
    ]
    assert lines[:6] == [
        "---",
        "# What we agreed on",
        'Title: "Agreed: all of it"   # with Anna',
        "owner: {name: Anna, since: 2024-01-01}",
        "tags: [new]",
        "type: fact",
    ]
    assert lines[9] == "status: archived"
    assert after.endswith(BY_HAND.partition("---\n\n")[2])


def test_a_comment_behind_a_changed_field_stays(tmp_path: Path) -> None:
    assert "type: fact # for now\n" in changed(
        tmp_path, "---\ntype: plan # for now\n---\nx\n", Revision(type=MemoryType.FACT)
    )


def test_the_field_that_says_when_it_was_changed_keeps_its_name(tmp_path: Path) -> None:
    after = changed(tmp_path, "---\nupdated: 2020-01-01\n---\nx\n", Revision(title="T"))
    assert "updated: 20" in after
    assert "2020-01-01" not in after
    assert "updated_at" not in after


def test_line_ends_and_a_byte_order_mark_stay(tmp_path: Path) -> None:
    after = changed(tmp_path, b"\xef\xbb\xbf---\r\ntype: plan\r\n---\r\nOne\r\ntwo\r\n", Revision(title="T"))
    assert after.startswith("\ufeff---\r\ntype: plan\r\ntitle: T\r\nupdated_at: ")
    assert after.endswith("\r\n---\r\nOne\r\ntwo\r\n")
    assert "\n" not in after.replace("\r\n", "")


def test_a_file_without_fields_gets_some(tmp_path: Path) -> None:
    after = changed(tmp_path, "Just a note #idea\n", Revision(review_by="2030-01-01"))
    assert after.startswith("---\nreview_by: 2030-01-01\nupdated_at: ")
    assert after.endswith("\n---\n\nJust a note #idea\n")


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: [unclosed\n---\nThe text\n",
        "---\ntitle: !!python/object:os.system x\n---\nThe text\n",
        '+++\ntitle = "toml"\n+++\nThe text\n',
        b"---\ntitle: caf\xe9\n---\nThe text\n",
        "---\ntags: &x [a]\nother: *x\n---\nThe text\n",
        "---\ntags: [a,\nb]\n---\nThe text\n",
        "---\ntags: a\ntags: b\n---\nThe text\n",
    ],
)
def test_what_cannot_be_changed_without_loss_stays_as_it_is(tmp_path: Path, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(Unreadable, match="nothing was changed"):
        changed(tmp_path, data, Revision(tags=("new",)))
    assert (tmp_path / ".memories" / "m.md").read_bytes() == data
    with pinakes.open(tmp_path) as library:
        assert library.memories.read("m").text == "The text"
        assert library.memories.recall("the text").found[0].memory.id == "m"


def test_missing_and_odd_fields_get_defaults_and_a_warning(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {".memories/m.md": "---\ntype: rumour\nstatus: 7\ntags: a, b\nseen: nothing\n---\n# A title\n"}
    )
    with pinakes.open(tmp_path) as library:
        memory = library.memories.read("m")
    assert (memory.title, memory.type, memory.status, memory.tags) == ("A title", "observation", "active", ("a", "b"))
    assert memory.warnings == (
        "There is no type “rumour”; it counts as observation.",
        "There is no status “7”; it counts as active.",
    )


@pytest.mark.parametrize("data", [b"", b"\x00\xff\xfe", b"---\n---\n", b"---\n", b"\xff\xfe-\x00-\x00", b"[" * 10_000])
def test_any_bytes_are_a_memory(tmp_path: Path, data: bytes) -> None:
    write_tree(tmp_path, {".memories/m.md": data, ".memories/good.md": "A good one\n"})
    with pinakes.open(tmp_path) as library:
        assert library.memories.list().total == 2
        assert library.memories.recall("a good one").found[0].memory.id == "good"


def test_a_text_that_begins_like_fields_is_still_text(tmp_path: Path) -> None:
    with pinakes.open(tmp_path) as library:
        made = library.memories.remember("---\ntype: plan\n---\nx", "T")
        assert made.text == "---\ntype: plan\n---\nx"
        assert library.memories.append("t", "more").text == "---\ntype: plan\n---\nx\n\nmore"


words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"], exclude_characters="\ufffe\uffff"))
values = st.one_of(words, st.lists(words, max_size=4).map(tuple), st.dictionaries(words, words, max_size=3))


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(["title", "tags", "seen", "related", "note"]), values), words)
def test_what_is_written_is_what_a_yaml_reader_reads(
    fields: dict[str, str | tuple[str, ...] | dict[str, str]], text: str
) -> None:
    data = new_file(fields, text)
    block = data.decode().removeprefix("---\n").partition("---\n\n")[0]
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in fields.items()}
    assert yaml.load(block, Loader=yaml.BaseLoader) == (plain or None)
    assert read_head(data).fields == plain


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(["title", "tags", "x", "y"]), values), st.sampled_from(["title", "x"]), values)
def test_setting_a_field_keeps_all_the_others(
    fields: dict[str, str | tuple[str, ...] | dict[str, str]], key: str, value: str | tuple[str, ...] | dict[str, str]
) -> None:
    after = rewritten(new_file(fields, "Text"), {key: value}, None, "m")
    wanted = {**fields, key: value}
    assert read_head(after).fields == {
        name: list(held) if isinstance(held, tuple) else held for name, held in wanted.items()
    }
    assert after.endswith(b"\n---\n\nText\n")
