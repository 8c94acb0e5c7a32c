"""Added documents in a library: found with everything else and by project, replaced and dropped without a trace."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.errors import NotFound
from pinakes.records import ADDED, Filter, Query
from pinakes.records.added import AddedDocument, Became, SourceState
from pinakes.records.search import Match
from pinakes.render import wire


@pytest.fixture
def library(tmp_path: Path) -> Iterator[pinakes.Library]:
    """A library in a git repository that ignores nearly everything."""
    root = write_tree(
        tmp_path / "root", {"a.md": "# Harbour\n\nShips lie here.\n", ".gitignore": "*.txt\ndefault\n.*\n"}
    )
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    with pinakes.open(root) as opened:
        yield opened


def found(library: pinakes.Library, question: str, project: str = "") -> list[str]:
    """The titles of documents that hold words of the question."""
    library.refresh()
    results = library.search(Query(question, Filter(project=project), abstain=False))
    return [hit.title for hit in results.hits if hit.match in (Match.KEYWORD, Match.BOTH)]


def indexed(library: pinakes.Library) -> tuple[int, int]:
    """Documents and passages of the corpus, by the store and by the words."""
    corpus = library.corpus(ADDED)
    corpus.toolbox.tools("balanced", corpus.store)
    return corpus.store.counts(ADDED).documents, corpus.toolbox.words.now.size


def test_documents_are_found_by_project_and_together(library: pinakes.Library, tmp_path: Path) -> None:
    write_tree(tmp_path, {"one.md": "# One\n\nElephants.\n", "two.txt": "Elephants as well.\n"})
    library.added.add(str(tmp_path / "one.md"), project="zoo")
    library.added.add(str(tmp_path / "two.txt"))
    library.added.add_text(b"Elephants, lastly.", project="zoo-two", title="Three")
    library.sync()
    assert sorted(found(library, "elephants")) == ["Elephants as well.", "One", "Three"]
    assert found(library, "elephants", "zoo") == ["One"]
    assert found(library, "elephants", "default") == ["Elephants as well."]
    assert found(library, "elephants", "zoo-two") == ["Three"]
    assert found(library, "ships") == ["Harbour"]
    assert found(library, "ships", "zoo") == []
    with pytest.raises(NotFound, match="There are default, zoo, zoo-two"):
        found(library, "elephants", "zoos")


def test_a_hit_says_where_it_came_from_and_can_be_read(library: pinakes.Library, tmp_path: Path) -> None:
    file = write_tree(tmp_path, {"one.txt": "Elephants.\nThey never forget.\n"}) / "one.txt"
    document = library.added.add(str(file), title="Of beasts").document
    library.sync()
    hit = library.search(Query("elephants", abstain=False)).hits[0]
    assert (hit.title, hit.origin, hit.ref.document) == ("Of beasts", str(file), document.ref)
    assert library.read(f"{hit.ref}:2").text.strip() == "They never forget."
    told = wire(hit)
    assert isinstance(told, dict)
    assert (told["origin"], told["match"]) == (str(file), "both")


def test_what_brought_a_hit_up_is_told(library: pinakes.Library) -> None:
    library.added.add_text(b"# Purchases\n\nHow to buy an automobile.\n")
    library.sync()
    by_words = library.search(Query("automobile", Filter(project="default"), abstain=False, profile="fast"))
    by_meaning = library.search(Query("car", Filter(project="default"), abstain=False))
    by_both = library.search(Query("buy an automobile", Filter(project="default"), abstain=False))
    assert [hit.match.value for hit in (*by_words.hits, *by_meaning.hits, *by_both.hits)] == [
        "keyword",
        "semantic",
        "both",
    ]


def test_replaced_text_leaves_nothing_behind(library: pinakes.Library, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# Old\n\n" + "\n\n".join(f"## Part {part}\n\nElephants {part}." for part in range(9)))
    first = library.added.add(str(file)).document
    library.sync()
    assert indexed(library)[0] == 1
    file.write_text("# New\n\nGiraffes.\n")
    second = library.added.add(str(file))
    library.sync()
    assert (second.became, second.document.id) == (Became.UPDATED, first.id)
    assert found(library, "elephants") == []
    assert found(library, "giraffes") == ["New"]
    store = library.corpus(ADDED).store
    assert [outline.title for outline in store.outlines(ADDED)] == ["New"]
    assert [chunk.ordinal for chunk in store.chunks(first.ref)] == [0]
    assert indexed(library) == (1, 1)


def test_a_dropped_document_is_gone_for_good(library: pinakes.Library, tmp_path: Path) -> None:
    kept = library.added.add_text(b"# Giraffes\n").document
    gone = library.added.add_text(b"# Elephants\n").document
    library.sync()
    with pytest.raises(NotFound, match="no added document"):
        library.added.drop([gone.id, "ffffffffffff"])
    assert len(library.added.list()) == 2
    assert library.added.drop([gone.id[:6]]) == (gone,)
    assert library.added.list() == (kept,)
    library.sync()
    assert found(library, "elephants") == []
    assert list(library.corpus(ADDED).store.files(ADDED)) == [kept.path]
    with pytest.raises(NotFound):
        library.added.get(gone.id)


def test_nothing_but_texts_is_indexed(library: pinakes.Library) -> None:
    document = library.added.add_text(b"# One\n").document
    library.sync()
    assert list(library.corpus(ADDED).store.files(ADDED)) == [document.path]
    assert list(library.corpus().store.files("docs")) == ["a.md"]


def test_an_unchanged_document_is_not_touched(library: pinakes.Library, tmp_path: Path) -> None:
    file = write_tree(tmp_path, {"a.md": "# A\n"}) / "a.md"
    document = library.added.add(str(file)).document
    home = library.config.store / "added" / "default"
    before = {one.name: one.stat() for one in home.iterdir()}
    again = library.added.add(str(file))
    assert (again.became, again.document) == (Became.UNCHANGED, document)
    assert {one.name: one.stat() for one in home.iterdir()} == before


def test_text_is_known_by_its_title_or_else_by_itself(library: pinakes.Library) -> None:
    add = library.added.add_text
    assert add(b"one").became is Became.ADDED
    assert add(b"one").became is Became.UNCHANGED
    assert add(b"two").became is Became.ADDED
    assert add(b"one", title="T").became is Became.ADDED
    assert add(b"two", title="T").became is Became.UPDATED
    assert sorted(one.title for one in library.added.list()) == ["T", "one", "two"]
    assert library.added.updates() == ()


def test_updates_of_files(library: pinakes.Library, tmp_path: Path) -> None:
    write_tree(tmp_path, {name: f"# {name}\n" for name in ("changed.md", "gone.md", "same.md", "folder.md")})
    ids = {name: library.added.add(str(tmp_path / name)).document.id for name in ("changed.md", "gone.md", "same.md")}
    ids["folder.md"] = library.added.add(str(tmp_path / "folder.md"), project="other").document.id
    (tmp_path / "changed.md").write_text("# Another\n")
    (tmp_path / "gone.md").unlink()
    (tmp_path / "folder.md").unlink()
    (tmp_path / "folder.md").mkdir()
    told = {one.id: one.state for one in library.added.updates()}
    assert {name: told[identity].value for name, identity in ids.items()} == {
        "changed.md": "changed",
        "gone.md": "missing",
        "same.md": "unchanged",
        "folder.md": "unreachable",
    }
    assert [one.state for one in library.added.updates("other", apply=True)] == [SourceState.UNREACHABLE]
    assert [one.id for one in library.added.updates("default", apply=True) if one.is_applied] == [ids["changed.md"]]
    assert library.added.get(ids["changed.md"]).text == "# Another\n"


def test_documents_survive_an_index_that_is_built_anew(library: pinakes.Library) -> None:
    document = library.added.add_text(b"# Elephants\n").document
    library.sync()
    library.sync(rebuild=True)
    assert library.added.list() == (document,)
    assert found(library, "elephants") == ["Elephants"]


def test_what_a_killed_writer_left_is_finished(library: pinakes.Library) -> None:
    old = library.added.add_text(b"# Old\n", title="T").document
    home = library.config.store / "added" / "default"
    other = library.added.add_text(b"# Other\n").document
    record = {**json.loads((home / f"{old.id}.json").read_text()), "title": "New"}
    (home / f".{old.id}.text").write_bytes(b"# New\n")
    (home / f".{old.id}.pending").write_bytes(json.dumps(record).encode())
    now_text = {**json.loads((home / f"{other.id}.json").read_text()), "type": "txt"}
    (home / f"{other.id}.txt").write_bytes(b"# Other\n")
    (home / f".{other.id}.pending").write_bytes(json.dumps(now_text).encode())
    (home / ".pinakes-half.new").write_bytes(b"# Ha")
    (home / "0123456789ab.md").write_bytes(b"# Dropped, but for its text\n")
    library.sync()
    assert [(one.title, library.added.get(one.id).text) for one in library.added.list()] == [
        ("New", "# New\n"),
        ("Other", "# Other\n"),
    ]
    texts = [f"{old.id}.md", f"{other.id}.txt"]
    assert sorted(one.name for one in home.iterdir()) == sorted([*texts, f"{old.id}.json", f"{other.id}.json"])
    assert list(library.corpus(ADDED).store.files(ADDED)) == sorted(f"default/{name}" for name in texts)


def test_ids_are_the_same_for_everybody(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# A\n"})
    made: list[AddedDocument] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with pinakes.open(tmp_path / name) as library:
            made.append(library.added.add(str(tmp_path / "a.md")).document)
    assert made[0].id == made[1].id
