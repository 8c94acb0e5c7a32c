"""Catching up with a store: only what is new is embedded, and nothing is half done."""

from __future__ import annotations

import itertools
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.scratch import ScratchStore
from kits.vectors import Bag, filled, put
from pinakes.errors import StoreError
from pinakes.neural import open_vector_cache
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change, Edge, Event, Outcome, Ref, Scored
from pinakes.vectors import open_vectors
from pinakes.vectors.file import VectorFile

LONG = "\n\n".join(f"Paragraph {n} speaks of thing{n} and of nothing else at all, at some length." for n in range(12))


def answers(vectors: VectorFile, bag: Bag, question: str = "thing3 tide harbour word1") -> list[Scored]:
    return vectors.now.nearest(Bag(bag.name, bag.dimensions).encode([question])[0], None, 100)


def rebuilt(store: ScratchStore, folder: Path, bag: Bag) -> list[Scored]:
    fresh = open_vectors(OwnFolder(folder, 2))
    fresh.update(store, Bag(bag.name, bag.dimensions))
    return answers(fresh, bag)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcdef"), st.none() | st.lists(st.sampled_from(["tide", "thing3", LONG]), max_size=3)
        ),
        min_size=1,
        max_size=8,
    )
)
def test_updates_step_by_step_end_where_a_rebuild_ends(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, list[str] | None]]
) -> None:
    folder = tmp_path_factory.mktemp("steps")
    store, bag = ScratchStore(), Bag()
    vectors = open_vectors(OwnFolder(folder / "kept", 2))
    for number, step in enumerate(steps):
        put(store, {f"{name}.md": "\n\n# Next\n\n".join(parts) for name, parts in step.items() if parts is not None})
        store.write(Change(drop=tuple(Ref(DOCS, f"{name}.md") for name, parts in step.items() if parts is None)))
        vectors.update(store, bag)
        assert answers(vectors, bag) == rebuilt(store, folder / str(number), bag)
        assert vectors.now.generation == store.generation


def test_an_edit_embeds_only_what_it_changed(tmp_path: Path) -> None:
    store, bag = filled({"a.md": f"# A\n\n{LONG}\n\n# B\n\nTide.\n", "b.md": LONG}), Bag()
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, bag)
    bag.asked.clear()
    put(store, {"a.md": f"# A\n\n{LONG}\n\n# B\n\nTide and harbour.\n"})
    vectors.update(store, bag)
    assert bag.asked == ["A › B\n\nB\n\nTide and harbour."]


def test_a_moved_document_is_not_embedded_again(tmp_path: Path) -> None:
    store, bag = filled({"a.md": f"# A\n\n{LONG}\n", "b.md": "# Tide\n"}), Bag()
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, bag)
    bag.asked.clear()
    store.write(Change(drop=(Ref(DOCS, "a.md"),)))
    put(store, {"elsewhere/a.md": f"# A\n\n{LONG}\n"})
    vectors.update(store, bag)
    assert bag.asked == []
    assert answers(vectors, bag) == rebuilt(store, tmp_path / "fresh", bag)


def test_a_document_that_is_only_linked_from_elsewhere_keeps_its_rows(tmp_path: Path) -> None:
    store, bag = filled({"a.md": "# A\n\nSee [the tide](b.md).\n", "b.md": f"# B\n\n{LONG}\n"}), Bag()
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, bag)
    bag.asked.clear()
    size = (tmp_path / "1.matrix").stat().st_size
    ((origin, link),) = store.pending_links(DOCS, 9)
    store.write(Change(edges=(Edge(origin, link, Ref(DOCS, "b.md"), Outcome.FOUND),)))
    assert store.feed(vectors.now.generation).changed
    vectors.update(store, bag)
    assert bag.asked == []
    assert (tmp_path / "1.matrix").stat().st_size == size
    assert vectors.now.generation == store.generation


def test_deleted_documents_are_no_longer_found_and_in_the_end_take_no_room(tmp_path: Path) -> None:
    store, bag = filled({f"{n}.md": f"# Page {n}\n\n{LONG}\n" for n in range(10)}), Bag()
    folder = tmp_path / "vectors"
    vectors = open_vectors(OwnFolder(folder, 2))
    vectors.update(store, bag)

    def size() -> int:
        return sum(path.stat().st_size for path in folder.iterdir())

    whole, rows = size(), vectors.now.rows
    store.write(Change(drop=(Ref(DOCS, "0.md"),)))
    vectors.update(store, bag)
    assert vectors.now.rows == rows * 9 // 10
    assert answers(vectors, bag) == rebuilt(store, tmp_path / "fresh one", bag)
    store.write(Change(drop=tuple(Ref(DOCS, f"{n}.md") for n in range(1, 7))))
    vectors.update(store, bag)
    assert answers(vectors, bag) == rebuilt(store, tmp_path / "fresh two", bag)
    assert size() < whole / 2


def test_an_interrupted_update_changes_nothing_and_goes_on_from_its_cache(tmp_path: Path) -> None:
    store, bag = filled({"a.md": "# Tide\n\nHigh.\n"}), Bag()
    vectors = open_vectors(OwnFolder(tmp_path / "vectors", 2), open_vector_cache(tmp_path / "cache"))
    vectors.update(store, bag)
    before, generation = answers(vectors, bag), vectors.now.generation
    put(store, {f"{n}.md": f"# Page {n}\n\n{LONG}\n" for n in range(200)})
    stopping = Bag(fails_after=500)
    with pytest.raises(KeyboardInterrupt):
        vectors.update(store, stopping)
    assert len(stopping.asked) > 0
    assert (answers(vectors, bag), vectors.now.generation) == (before, generation)
    going_on = Bag()
    vectors.update(store, going_on)
    assert not set(going_on.asked) & set(stopping.asked)
    assert answers(vectors, bag) == rebuilt(store, tmp_path / "fresh", bag)


def test_progress_counts_documents_up_to_all_of_them(tmp_path: Path) -> None:
    store = filled({f"{n}.md": f"# Page {n}\n\n{LONG}\n" for n in range(200)})
    seen: list[Event] = []
    open_vectors(OwnFolder(tmp_path, 2)).update(store, Bag(), seen.append)
    assert len(seen) > 2
    assert [event.done for event in seen] == sorted({event.done for event in seen})
    assert {event.phase for event in seen} == {"embedding"}
    assert seen[-1].done == seen[-1].total == 200


def test_with_another_embedder_the_old_vectors_answer_until_the_new_ones_are_whole(tmp_path: Path) -> None:
    store, old, new = filled({f"{n}.md": f"# Page {n}\n\n{LONG}\n" for n in range(60)}), Bag("old"), Bag("new", 32)
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, old)
    before = answers(vectors, old)
    looked: list[str] = []

    def look(event: Event) -> None:
        assert answers(vectors, old) == before
        assert answers(open_vectors(OwnFolder(tmp_path, 2)), old) == before
        looked.append(vectors.now.embedder)

    vectors.update(store, new, look)
    assert set(looked) == {"old"}
    assert vectors.now.embedder == "new"
    assert answers(vectors, new) == rebuilt(store, tmp_path / "fresh", new)


def test_another_store_in_the_same_place_starts_over(tmp_path: Path) -> None:
    bag = Bag()
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(filled({"a.md": "# Tide\n", "b.md": "# Harbour\n"}), bag)
    other = filled({"z.md": "# Tokens\n\nRotate.\n"})
    vectors.update(other, bag)
    assert answers(vectors, bag) == rebuilt(other, tmp_path / "fresh", bag)


def test_what_another_process_has_published_is_noticed(tmp_path: Path) -> None:
    store, bag = filled({"a.md": "# Tide\n"}), Bag()
    reading, writing = open_vectors(OwnFolder(tmp_path, 2)), open_vectors(OwnFolder(tmp_path, 2))
    assert reading.now.generation == 0
    writing.update(store, bag)
    assert reading.now.generation == store.generation
    put(store, {"b.md": "# Harbour\n"})
    writing.update(store, bag)
    assert answers(reading, bag) == answers(writing, bag) == rebuilt(store, tmp_path / "fresh", bag)


def test_updates_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    store, bag = filled({f"{n}.md": f"# Page {n}\n\n{LONG}\n" for n in range(20)}), Bag()
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(open_vectors(OwnFolder(tmp_path, 2)).update, store, Bag()) for _ in range(4)]:
            done.result()
    assert answers(open_vectors(OwnFolder(tmp_path, 2)), bag) == rebuilt(store, tmp_path / "fresh", bag)
    assert len(list(tmp_path.glob("*.matrix"))) == 1


@pytest.mark.parametrize(
    ("ending", "harm"),
    [
        *itertools.product((".json", ".matrix", ".rows", ".sections", ".live"), ("missing", "shorter", "empty")),
        *itertools.product((".json", ".matrix", ".rows", ".sections", ".live"), ("other bytes",)),
    ],
)
def test_damaged_files_answer_nothing_and_are_made_again(tmp_path: Path, ending: str, harm: str) -> None:
    store, bag = filled({"a.md": f"# A\n\n{LONG}\n", "b.md": "# Tide\n"}), Bag()
    folder = tmp_path / "vectors"
    open_vectors(OwnFolder(folder, 2)).update(store, bag)
    (path,) = folder.glob(f"*{ending}")
    data = path.read_bytes()
    if harm == "missing":
        path.unlink()
    elif harm == "other bytes":
        path.write_bytes(bytes(byte ^ 1 for byte in data))
    else:
        path.write_bytes(data[: len(data) // 2] if harm == "shorter" else b"")
    vectors = open_vectors(OwnFolder(folder, 2))
    assert (vectors.now.generation, vectors.now.rows, answers(vectors, bag)) == (0, 0, [])
    vectors.update(store, bag)
    assert answers(vectors, bag) == rebuilt(store, tmp_path / "fresh", bag)


def test_what_a_killed_update_left_behind_is_written_over(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from pinakes.vectors import open_vectors;"
        "from pinakes.own_folder import OwnFolder; folder = OwnFolder(Path(sys.argv[1]));"
        "from kits.vectors import Bag, filled, put;"
        "store = filled({'a.md': '# Tide'}); vectors = open_vectors(folder); vectors.update(store, Bag());"
        "put(store, {f'{n}.md': '# Harbour\\n\\n' + 'word1 ' * 300 for n in range(900)});"
        "vectors.update(store, Bag(), lambda event: os.kill(os.getpid(), 9) if event.done > 500 else None)"
    )
    folder = tmp_path / "vectors"
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], cwd=Path(__file__).parents[1], capture_output=True
    )
    assert done.returncode == -9, done.stderr
    bag, store = Bag(), filled({"a.md": "# Tide"})
    vectors = open_vectors(OwnFolder(folder, 2))
    assert [one.chunk.document for one in answers(vectors, bag)] == [1]
    put(store, {"b.md": "# Harbour"})
    vectors.update(store, bag)
    assert answers(vectors, bag) == rebuilt(store, tmp_path / "fresh", bag)


def test_a_folder_that_cannot_be_made_is_named_with_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"file.*permissions"):
        open_vectors(OwnFolder(tmp_path / "file", 2)).update(filled({"a.md": "# Tide"}), Bag())
    assert open_vectors(OwnFolder(tmp_path / "file", 2)).now.generation == 0
