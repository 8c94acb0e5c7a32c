"""The benchmark of publishing runs on a small folder and measures what it says."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.publishing import speed, worth

from kits.trees import write_tree


def test_each_kind_of_run_is_measured_and_the_folder_is_only_read(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "docs", {f"{name}/a.md": f"# {name}\n\nText.\n" for name in "xyz"})
    group = speed(folder, 2, tmp_path / "scratch")
    assert [(one.name, one.per) for one in group.figures] == [
        ("publish", "2 documents"),
        ("again, nothing changed", "2 documents"),
        ("again, one document edited", "2 documents"),
    ]
    assert "0 files written" in group.figures[1].note
    assert sorted(path.name for path in folder.iterdir()) == ["x", "y", "z"]


def test_orders_and_hashes_of_a_set_are_counted(tmp_path: Path) -> None:
    questions = [
        {"id": "1", "query": "how high is the water", "relevant": [{"path": "g/a.md", "heading": "tides"}]},
        {"id": "2", "query": "where is the moon", "relevant": [{"path": "g/a.md", "heading": "moon"}]},
    ]
    place = write_tree(
        tmp_path / "set",
        {
            "corpus/g/a.md": f"# Tides\n\n{'How high the water is. ' * 3}\n\n## Moon\n\n{'Where the moon is. ' * 4}\n",
            "queries.jsonl": "".join(f"{json.dumps(one)}\n" for one in questions),
        },
    )
    orders, page, hashes = worth(place, tmp_path / "scratch")
    assert [one.value for one in orders.figures] == [2] * 10
    assert page.figures[0].name == "index of words"
    assert [one.value for one in page.figures if one.name.startswith("NDCG")] in ([], [100.0, 100.0])
    assert [(one.name, one.value) for one in hashes.figures] == [("foreseen", 1), ("held out", 0)]
