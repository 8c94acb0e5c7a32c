"""Ranks are computed when something depends on them, and may lag behind only where that was allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.library import open_library
from pinakes.outline import MapRequest

TIGHT = MapRequest(budget_tokens=64)


def many(count: int) -> dict[str, str]:
    pages = {f"p{number}.md": f"# Page {number}\n\nSee [hub](hub.md).\n" for number in range(count)}
    return {**pages, "hub.md": "# Hub\n", "star.md": "# Star\n"}


@pytest.mark.parametrize("lag_s", [0.0, 3600.0])
def test_a_map_that_must_leave_out_something_follows_a_change_at_once_or_as_late_as_allowed(
    tmp_path: Path, lag_s: float
) -> None:
    write_tree(tmp_path, many(30))
    with open_library(tmp_path) as library:
        library.answer_sooner(lag_s)
        library.sync()
        assert "# Hub" in library.map_text("", TIGHT).text
        write_tree(tmp_path, {f"p{number}.md": f"# Page {number}\n\nSee [star](star.md).\n" for number in range(30)})
        library.sync()
        after = library.map_text("", TIGHT).text
    with open_library(tmp_path) as library:
        exact = library.map_text("", TIGHT).text
    assert "# Star" in exact
    assert "# Hub" not in exact
    assert (after == exact) == (not lag_s)


def test_a_map_by_older_ranks_is_not_kept_for_others(tmp_path: Path) -> None:
    write_tree(tmp_path, many(30))
    with open_library(tmp_path) as library:
        library.answer_sooner(3600.0)
        library.sync()
        library.map_text("", TIGHT)
        write_tree(tmp_path, {f"p{number}.md": f"# Page {number}\n\nSee [star](star.md).\n" for number in range(30)})
        library.sync()
        older = library.map_text("", TIGHT).text
        library.answer_sooner(0.0)
        assert library.map_text("", TIGHT).text != older
