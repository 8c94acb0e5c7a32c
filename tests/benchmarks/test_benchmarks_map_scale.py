"""The map at any scale is measured on a copy, and all rows are there."""

from __future__ import annotations

from pathlib import Path

from benchmarks.map_scale import measure

from kits.trees import write_tree


def test_every_way_to_ask_is_measured_and_the_folder_is_left_alone(tmp_path: Path) -> None:
    pages = {f"p{number}.md": f"# Page {number}\n\nSee [next](p{number + 1}.md).\n" for number in range(9)}
    folder = write_tree(tmp_path / "docs", pages)
    rows, notes = measure(folder, tmp_path / "home", rounds=1)
    assert [row.what for row in rows] == [
        "the first one, which makes the catalogue",
        "a new process: `pinakes map --no-sync`",
        "another budget",
        "another focus",
        "after an edited sentence",
        "after a new link, in a server",
        "after a new link, ranks made again",
    ]
    assert "9 documents" in notes
    assert {file.name: file.read_text() for file in folder.iterdir()} == pages
