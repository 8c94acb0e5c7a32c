"""How far an index is, as the page shows it."""

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.records import Event, Phase
from pinakes.render.index_progress import INDEX_BEGINS, INDEX_IS_READY, IndexProgress, advance

EVENTS = st.builds(Event, st.sampled_from(Phase), st.integers(-5, 200), st.integers(-1, 100))


def test_each_phase_has_its_share_and_its_words() -> None:
    events = (
        Event(Phase.SCANNING, 0, 0),
        Event(Phase.SCANNING, 50, 50),
        Event(Phase.READING, 12, 50),
        Event(Phase.READING, 50, 50),
        Event(Phase.LINKING, 3, 9),
        Event(Phase.KEYWORDS, 0, 0),
        Event(Phase.KEYWORDS, 8, 50),
        Event(Phase.EMBEDDING, 1, 2),
        Event(Phase.KEYWORDS, 50, 50),
        Event(Phase.FINISHING, 0, 1),
        Event(Phase.FINISHING, 1, 1),
    )
    assert list(accumulate(events, advance, initial=INDEX_BEGINS))[1:] == [
        IndexProgress("Loading keyword model…", 0),
        IndexProgress("Loading keyword model…", 10),
        IndexProgress("Extracting outlines… (12/50 files)", 14.8),
        IndexProgress("Extracting outlines… (50/50 files)", 30),
        IndexProgress("Extracting outlines… (50/50 files)", 30),
        IndexProgress("Extracting keywords…", 30),
        IndexProgress("Extracting keywords… (8/50 files)", 40.4),
        IndexProgress("Extracting keywords… (8/50 files)", 40.4),
        IndexProgress("Extracting keywords… (50/50 files)", 95),
        IndexProgress("Caching results…", 95),
        INDEX_IS_READY,
    ]


@given(st.lists(EVENTS, max_size=60))
def test_progress_never_goes_back(events: list[Event]) -> None:
    shown = list(accumulate(events, advance, initial=INDEX_BEGINS))
    for before, after in pairwise(shown):
        assert 0 <= before.percent <= after.percent <= 100
    names = [one.label.partition("…")[0] for one in shown]
    order = ["Loading keyword model", "Extracting outlines", "Extracting keywords", "Caching results"]
    assert [order.index(name) for name in names] == sorted(order.index(name) for name in names)


def test_a_real_sync_goes_through_the_phases(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {f"{name}.md": f"# About {name}\n\nSome words.\n" for name in ("a", "b", "c")})
    shown = [INDEX_BEGINS]
    with open_library(root) as library:
        library.sync(progress=lambda event: shown.append(advance(shown[-1], event)))
    labels = [one.label for one in shown]
    assert "Extracting outlines… (3/3 files)" in labels
    assert labels[-1] == "Extracting keywords… (3/3 files)"
    assert shown[-1].percent == 95
