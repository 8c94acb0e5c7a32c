"""Two versions do the same work in turns."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.beside import HERE, Version, groups_of, questions_of

from kits.trees import write_tree


def test_every_work_is_measured_beside_the_other_version(tmp_path: Path) -> None:
    pages = {f"{name}.md": f"# All about {name} and lamps\n\nText of {name}.\n" for name in ("tides", "moons", "ships")}
    folder = write_tree(tmp_path / "docs", pages)
    then, now = (Version(name, HERE / "src", tmp_path / name / "docs") for name in ("then", "now"))
    for one in (then, now):
        shutil.copytree(folder, one.root)
        (one.root / "pinakes.toml").touch()
    first, commands, opened = groups_of(then, now, folder, rounds=1, count=2)
    assert [len(group.figures) for group in (first, commands, opened)] == [1, 3, 4]
    for group in (first, commands, opened):
        assert all(one.value and one.beside.endswith(" × then") for one in group.figures)
    assert sorted(path.name for path in folder.iterdir()) == sorted(pages)
    assert "One more sentence." in (now.root / "ships.md").read_text()


def test_questions_are_the_titles_of_documents_from_all_over_the_folder(tmp_path: Path) -> None:
    folder = write_tree(tmp_path, {f"{n:02}.md": f'---\ntitle: "Lamp number {n:02}"\n---\nText.\n' for n in range(40)})
    assert questions_of(folder, 5)[:2] == ("Lamp number 00", "Lamp number 04")
    assert len(questions_of(folder, 5)) == 5
