"""Remembering and recalling: what is written is found, in every process, with what should be known about it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import pinakes
from kits.hostile import pinakes_here
from kits.trees import write_tree
from pinakes.errors import BadMemory, NotFound
from pinakes.records.memory import MemoryStatus, MemoryType, Recollection, Revision


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "root", {"guide.md": "# Guide\n\n## Setup\n\nTurn it on.\n"})


def ids(found: Recollection) -> list[str]:
    return [one.memory.id for one in found.found]


def test_what_was_remembered_is_found_by_the_next_recall_in_another_process(root: Path) -> None:
    with pinakes.open(root) as library:
        assert ids(library.memories.recall("anything")) == []
        library.memories.remember("The cache is warmed by the night job.", "Warm cache")
        asked = "from pinakes import open; print(open('.').memories.recall('who warms the cache?').found[0].memory.id)"
        ran = subprocess.run([sys.executable, "-c", asked], cwd=root, capture_output=True, text=True, check=True)
        assert ran.stdout == "warm-cache\n"
        remember = [sys.executable, "-m", "pinakes", "remember", "Penguins carry the backups."]
        subprocess.run(remember, cwd=root, capture_output=True, check=True)
        assert ids(library.memories.recall("penguins backups"))[0] == "penguins-carry-the-backups"


def test_writing_a_memory_needs_no_index_and_makes_none(root: Path) -> None:
    with pinakes.open(root) as library:
        library.memories.remember("About [[guide.md#setup]].", "Note")
        library.memories.append("note", "More.")
        library.memories.forget("note")
        library.memories.restore("note")
    assert not (root / ".pinakes").exists()


def test_a_memory_is_written_while_the_documents_are_being_indexed(root: Path) -> None:
    with pinakes.open(root) as library:
        library.sync()
        with library.corpus("docs").store.writing():
            library.memories.remember("About [[guide.md#setup]] and keys.", "Note")
            assert ids(library.memories.recall("keys")) == ["note"]


def test_the_newest_come_first_when_nothing_is_asked(root: Path) -> None:
    write_tree(
        root, {f".memories/{day}.md": f"---\ncreated_at: 2020-01-{day}\n---\nx {day}\n" for day in ("02", "03", "01")}
    )
    write_tree(root, {".memories/undated.md": "x\n"})
    with pinakes.open(root) as library:
        library.memories.remember("x", "a")
        library.memories.remember("x", "b")
        assert ids(library.memories.recall()) == ["b", "a", "03", "02", "01", "undated"]
        assert ids(library.memories.recall(limit=2)) == ["b", "a"]
        assert ids(library.memories.recall(after="2020-01-03")) == ["b", "a", "03"]


def test_of_two_that_answer_equally_the_recent_one_leads(root: Path) -> None:
    now = datetime.now(UTC)
    days = {"a-old": now - timedelta(days=400), "b-month": now - timedelta(days=20), "c-new": now - timedelta(days=2)}
    write_tree(
        root,
        {
            f".memories/{name}.md": f"---\ntitle: Cache\nupdated_at: {day.isoformat()}\n---\nThe cache holds 9 keys.\n"
            for name, day in days.items()
        },
    )
    with pinakes.open(root) as library:
        assert ids(library.memories.recall("how many keys does the cache hold")) == ["c-new", "b-month", "a-old"]


def test_filters_hold_before_the_best_are_chosen(root: Path) -> None:
    with pinakes.open(root) as library:
        for number in range(30):
            library.memories.remember(f"Rotate the keys, keys, keys {number}", f"Keys {number}")
        library.memories.remember("Rotate keys perhaps", "Maybe", type=MemoryType.PLAN, tags=["Auth", "later"])
        assert ids(library.memories.recall("rotate the keys", type=MemoryType.PLAN, limit=3)) == ["maybe"]
        assert ids(library.memories.recall("rotate the keys", tags=["auth", "#later"], limit=3)) == ["maybe"]
        assert ids(library.memories.recall("rotate the keys", tags=["auth", "other"])) == []
        for number in range(25):
            library.memories.archive(f"keys-{number}")
        assert len(ids(library.memories.recall("rotate the keys", limit=10))) == 6
        found = library.memories.recall("rotate the keys", limit=100, archived=True)
        assert len(found.found) == 31


def test_a_name_full_of_signs_is_filtered_as_it_is(root: Path) -> None:
    write_tree(
        root, {".memories/[a]*?.md": "Keys of the star\n", ".memories/a.md": "---\nstatus: archived\n---\nKeys of a\n"}
    )
    with pinakes.open(root) as library:
        assert ids(library.memories.recall("keys")) == ["[a]*?"]


def test_each_memory_answers_once_with_its_best_part(root: Path) -> None:
    text = "\n\n".join(
        f"## Part {number}\n\nThe part {number} of the {word}." for number, word in enumerate(("sea", "sky", "sun"))
    )
    with pinakes.open(root) as library:
        library.memories.remember(text, "Parts")
        found = library.memories.recall("the part of the sky").found
        assert [(one.memory.id, "sky" in one.passage) for one in found] == [("parts", True)]


def test_a_question_that_nothing_answers_is_answered_so(root: Path) -> None:
    with pinakes.open(root) as library:
        library.memories.remember("Keys rotate on Mondays.", "Keys")
        found = library.memories.recall("volcanic eruption in Iceland")
        assert found.found == ()
        assert found.abstained


def test_listing_counts_by_type_and_tag(root: Path) -> None:
    with pinakes.open(root) as library:
        memories = library.memories
        memories.remember("x", "A", type=MemoryType.PLAN, tags=["one", "two"])
        memories.remember("x #two", "B", type=MemoryType.PLAN)
        memories.remember("x", "C", type=MemoryType.FACT)
        memories.archive("c")
        listing = memories.list()
        assert ([one.id for one in listing.memories], listing.total) == (["c", "b", "a"], 3)
        assert (listing.by_type, listing.by_tag) == ({"plan": 2, "fact": 1}, {"two": 2, "one": 1})
        assert [one.id for one in memories.list(status=MemoryStatus.ARCHIVED).memories] == ["c"]
        assert [one.id for one in memories.list(MemoryType.PLAN, ["one"]).memories] == ["a"]


def test_merging_folds_several_into_one_that_supersedes_them(root: Path) -> None:
    with pinakes.open(root) as library:
        memories = library.memories
        memories.remember("One [[guide.md#setup]]", "One", type=MemoryType.FACT, tags=["a"])
        memories.remember("Two", "Two", type=MemoryType.FACT, tags=["b"])
        (root / "guide.md").write_text("# Guide\n\n## Setup\n\nTurn it off.\n")
        made = memories.merge(["one", "Two"], "Both")
        assert (made.type, made.tags, made.supersedes) == (MemoryType.FACT, ("a", "b"), ("one", "two"))
        assert made.text == "## One\n\nOne [[guide.md#setup]]\n\n## Two\n\nTwo"
        assert [mark.kind.value for mark in memories.read("both").marks] == ["verify"]
        assert ids(memories.recall()) == ["both"]
        assert {one.id for one in memories.list(status=MemoryStatus.ARCHIVED).memories} == {"one", "two"}
        with pytest.raises(BadMemory, match="at least two"):
            memories.merge(["one", "one"], "Alone")
        with pytest.raises(NotFound, match="no memory “three”"):
            memories.merge(["one", "three"], "Missing")
        assert memories.list().total == 3


def test_an_update_changes_what_is_named_and_nothing_else(root: Path) -> None:
    with pinakes.open(root) as library:
        before = library.memories.remember("Text", "Title", tags=["a"], links=["guide.md"], review_by="2030-01-01")
        after = library.memories.update("title", Revision(title="Other", links=()))
        assert (after.id, after.title, after.text, after.tags) == ("title", "Other", "Text", ("a",))
        assert (after.review_by, after.links, after.created_at) == ("2030-01-01", (), before.created_at)
        with pytest.raises(BadMemory, match="Nothing is to change"):
            library.memories.update("title", Revision())
        with pytest.raises(BadMemory, match="is not a valid date"):
            library.memories.update("title", Revision(review_by="soon"))


def test_a_damaged_index_of_memories_is_built_anew_from_their_files(root: Path) -> None:
    with pinakes.open(root) as library:
        library.memories.remember("Keys rotate on Mondays.", "Keys")
        assert ids(library.memories.recall("keys")) == ["keys"]
    (root / ".pinakes/corpora/memories/library.db").write_bytes(b"nonsense" * 1000)
    with pinakes.open(root) as library:
        assert ids(library.memories.recall("keys")) == ["keys"]


def test_json_tells_everything_a_program_wants(root: Path) -> None:
    made = json.loads(
        pinakes_here(root, "remember", "Plans [[guide.md#setup]] and [[gone]]", "--title", "T", "--json").out
    )
    assert (made["id"], made["ref"], made["type"]) == ("t", "memories:t.md", "observation")
    assert [(link["to"], link["relation"], link["outcome"]) for link in made["links"]] == [
        ("docs:guide.md#setup", "plans", "found"),
        (None, "plans", "missing"),
    ]
    (root / "guide.md").write_text("# Guide\n\n## Setup\n\nTurn it off.\n")
    (one,) = json.loads(pinakes_here(root, "recall", "plans", "--json").out)["found"]
    assert one["memory"]["marks"][0]["kind"] == "verify"
    assert one["memory"]["marks"][0]["ref"] == "docs:guide.md#setup"
    assert json.loads(pinakes_here(root, "memories", "--json").out)["by_type"] == {"observation": 1}
    (gone,) = json.loads(pinakes_here(root, "forget", "t", "--json").out)
    assert gone["id"] == "t"
    assert json.loads(pinakes_here(root, "memories", "--trash", "--json").out)[0]["title"] == "T"


def test_a_text_comes_from_stdin_or_a_file_but_not_from_both(root: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pinakes", "remember", "-", "--title", "In"],
        cwd=root,
        input="From stdin ✓\n".encode(),
        capture_output=True,
        check=True,
    )
    assert ran.stdout.startswith(b"in  In  (observation, today)")
    (root / "note.txt").write_bytes(b"\xef\xbb\xbfFrom a file\n")
    assert pinakes_here(root, "append", "in", "--file", "note.txt").code == 0
    with pinakes.open(root) as library:
        assert library.memories.read("in").text == "From stdin ✓\n\nFrom a file"
    for words, said in (
        (("remember", "x", "--file", "note.txt"), "two texts"),
        (("remember", "--file", "nowhere.txt"), "nowhere.txt cannot be read"),
        (("remember", "--file", "."), "cannot be read"),
        (("remember",), "no text"),
        (("append", "nothing", "x"), "no memory “nothing”"),
    ):
        ran_here = pinakes_here(root, *words)
        assert ran_here.code in (1, 2)
        assert said in ran_here.error
