"""Vectors that follow behind those of a quicker embedder, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.scratch import ScratchStore
from kits.vectors import Bag, filled, put
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, Change, Ref, Scored
from pinakes.vectors import open_vectors
from pinakes.vectors.snapshot import VectorSnapshot
from pinakes.vectors.stepwise import STEP

QUICK = Bag("quick", 16)
MANY = {f"{n}.md": f"# Page {n}\n\nTide {n}.\n\n## Harbour {n}\n\nBoats {n}.\n" for n in range(2 * STEP)}
"""Some steps' worth of sections."""


class Both:
    """A quick file and a finer one behind it."""

    def __init__(self, folder: Path, store: ScratchStore) -> None:
        self.store = store
        self.quick = open_vectors(OwnFolder(folder / "quick", 2))
        self.finer = open_vectors(OwnFolder(folder / "finer", 2))

    def step(self, bag: Bag, ranks: Mapping[int, Sequence[float]] | None = None) -> bool:
        self.quick.update(self.store, QUICK)
        return self.finer.grow(self.store, bag, self.quick, lambda: ranks or {})

    def all(self, bag: Bag) -> int:
        steps = 0
        while self.step(bag):
            steps += 1
        return steps

    def share(self) -> float:
        self.quick.update(self.store, QUICK)
        part = self.finer.part_of(self.quick)
        return part.share if part else 0.0

    def part(self) -> VectorSnapshot:
        self.quick.update(self.store, QUICK)
        part = self.finer.part_of(self.quick)
        assert part is not None
        return part.vectors


def answers(vectors: VectorSnapshot, question: str = "tide boats 3 harbour page") -> list[Scored]:
    return vectors.nearest(Bag().encode([question])[0], None, 10_000)


def rebuilt(store: ScratchStore, folder: Path) -> list[Scored]:
    fresh = open_vectors(OwnFolder(folder, 2))
    fresh.update(store, Bag())
    return answers(fresh.now)


def test_steps_end_where_a_rebuild_ends_and_embed_each_text_once(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled(MANY)), Bag()
    assert both.all(bag) >= 3
    assert len(bag.asked) == len(set(bag.asked))
    assert both.share() == 1.0
    assert answers(both.part()) == answers(both.finer.now) == rebuilt(both.store, tmp_path / "fresh")
    assert both.finer.now.generation == both.store.generation
    assert not both.step(bag)


def test_until_it_is_whole_it_says_so_and_has_what_a_step_made(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled(MANY)), Bag()
    assert both.share() == 0.0
    assert both.step(bag)
    assert both.finer.now.generation == 0
    assert 0 < both.share() < 1
    truth = dict(rebuilt(both.store, tmp_path / "fresh"))
    found = dict(answers(both.part()))
    assert found == {chunk: truth[chunk] for chunk in found}
    assert len(found) < len(truth)


def test_the_most_central_sections_come_first(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled(MANY)), Bag()
    last = both.store.places([Ref(DOCS, "200.md")])[Ref(DOCS, "200.md")].document
    both.step(bag, {last: (0.0, 0.0, 9.0)})
    assert bag.asked[0] == "Page 200 › Harbour 200\n\nHarbour 200\n\nBoats 200."
    assert not any("# Page 200" in text for text in bag.asked)


def test_a_text_that_changed_is_no_longer_judged_by_its_old_vector(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled({"a.md": "# A\n\nTide.\n", "b.md": "# B\n\nBoats.\n"})), Bag()
    both.all(bag)
    bag.asked.clear()
    put(both.store, {"a.md": "# A\n\nEbb.\n"})
    assert both.share() == 0.5  # before anybody wrote to it
    assert both.step(bag)
    assert bag.asked == ["A\n\nA\n\nEbb."]
    assert both.share() == 1.0
    assert answers(both.part()) == rebuilt(both.store, tmp_path / "fresh")


def test_who_finds_the_store_gone_on_comes_again(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled({"a.md": "# A\n\nTide.\n"})), Bag()
    both.quick.update(both.store, QUICK)
    put(both.store, {"a.md": "# A\n\nEbb.\n"})
    assert both.finer.grow(both.store, bag, both.quick, dict)
    assert bag.asked == []
    both.all(bag)
    assert bag.asked == ["A\n\nA\n\nEbb."]


def test_deleted_documents_are_not_found_and_a_moved_one_is_not_embedded_again(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled({"a.md": "# A\n\nTide.\n", "b.md": "# B\n\nBoats.\n"})), Bag()
    both.all(bag)
    both.store.write(Change(drop=(Ref(DOCS, "a.md"),)))
    assert both.share() == 1.0
    assert answers(both.part()) == rebuilt(both.store, tmp_path / "one")
    put(both.store, {"moved/a.md": "# A\n\nTide.\n"})
    bag.asked.clear()
    both.all(bag)
    assert bag.asked == []
    assert answers(both.part()) == rebuilt(both.store, tmp_path / "two")


def test_an_index_built_anew_keeps_its_vectors(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled(MANY)), Bag()
    both.all(bag)
    again = Both(tmp_path / "another", filled({"new.md": "# New\n"}))
    put(again.store, MANY)  # under other numbers than before
    again.finer = both.finer
    bag.asked.clear()
    assert again.all(bag) == 2
    assert bag.asked == ["New\n\nNew"]
    assert answers(again.part()) == rebuilt(again.store, tmp_path / "fresh")


def test_what_was_published_before_an_interruption_is_not_embedded_again(tmp_path: Path) -> None:
    store, first = filled(MANY), Bag(fails_after=2 * STEP)
    with pytest.raises(KeyboardInterrupt):
        Both(tmp_path, store).all(first)
    going_on, second = Both(tmp_path, store), Bag()
    kept = going_on.part().rows
    assert kept >= STEP
    going_on.all(second)
    assert len(set(second.asked) & set(first.asked)) <= len(first.asked) - kept
    assert answers(going_on.part()) == rebuilt(store, tmp_path / "fresh")


def test_a_full_update_takes_over_what_the_steps_made(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled(MANY)), Bag()
    both.step(bag)
    both.finer.update(both.store, bag)
    assert len(bag.asked) == len(set(bag.asked))
    assert both.finer.now.generation == both.store.generation
    assert answers(both.finer.now) == rebuilt(both.store, tmp_path / "fresh")


def test_documents_without_text_are_not_waited_for(tmp_path: Path) -> None:
    both, bag = Both(tmp_path, filled({"empty.md": "", "a.md": "# A\n"})), Bag()
    both.all(bag)
    assert both.share() == 1.0


def test_what_another_process_publishes_is_seen(tmp_path: Path) -> None:
    store = filled(MANY)
    here, there = Both(tmp_path, store), Both(tmp_path, store)
    bag = Bag()
    while here.step(bag) | there.step(bag):
        assert here.share() == there.share()
    assert len(bag.asked) == len(set(bag.asked))
    assert here.share() == 1.0


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from("abcdef"), st.none() | st.sampled_from(["tide", "boats", "tide\n\n# B"])),
            st.booleans(),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_changes_between_steps_no_old_text_answers(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[dict[str, str | None], bool]]
) -> None:
    folder = tmp_path_factory.mktemp("changes")
    both, bag = Both(folder, ScratchStore()), Bag()
    for number, (change, is_stepping) in enumerate(changes):
        put(both.store, {f"{name}.md": f"# {name}\n\n{text}\n" for name, text in change.items() if text is not None})
        both.store.write(Change(drop=tuple(Ref(DOCS, f"{name}.md") for name, text in change.items() if text is None)))
        if is_stepping:
            both.step(bag)
        both.quick.update(both.store, QUICK)
        part = both.finer.part_of(both.quick)
        truth = dict(rebuilt(both.store, folder / str(number)))
        found = dict(answers(part.vectors)) if part else {}
        assert found.items() <= truth.items()
        if part:
            assert part.total == both.quick.now.rows
            assert (part.done == part.total) == (len(found) == len(truth)) or not truth
    both.all(bag)
    if both.quick.now.rows:
        assert answers(both.part()) == rebuilt(both.store, folder / "end")
