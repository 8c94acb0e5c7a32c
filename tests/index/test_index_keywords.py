"""Keywords follow edits: they come to be those of a fresh index, and one edit makes those of one document."""

from __future__ import annotations

from pathlib import Path

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.index.keywords import DRIFT

COUNT = 24


def page(number: int, subject: str) -> str:
    words = " ".join(f"{subject}{number % 5} {subject}{(number * 7) % 11} tide{number % 3}" for _ in range(6))
    return (
        f"# Page {number}\n\nAbout {words}.\n\n## {subject.title()} details\n\nMore of {subject}{number} and {words}.\n"
    )


def keywords(library: Library) -> dict[str, list[tuple[str, ...]]]:
    found = library.corpus("docs").digests()
    return {path: [section.keywords for section in library.document(path).sections] for path in found}


def synced(root: Path) -> dict[str, list[tuple[str, ...]]]:
    """The keywords after a sync."""
    with pinakes.open(root) as library:
        library.sync()
        return keywords(library)


def test_documents_that_changed_are_counted_again_also_where_sections_stay_as_many(tmp_path: Path) -> None:
    pages = {f"{number}.md": page(number, "crane") for number in range(COUNT)}
    root = write_tree(tmp_path / "lived", pages)
    before = synced(root)
    for number in range(COUNT):
        pages[f"{number}.md"] = page(number, "winch")
        write_tree(root, {f"{number}.md": pages[f"{number}.md"]})
        now = synced(root)
        if number < DRIFT * COUNT:  # an edit makes the keywords of its own document
            assert {path: words for path, words in now.items() if path == "23.md"} == {"23.md": before["23.md"]}
    # The last edits, fewer than a quarter, are not counted; what was counted last knows the others.
    fresh = synced(write_tree(tmp_path / "fresh", pages))
    differing = [path for path in fresh if now[path] != fresh[path]]
    assert len(differing) <= DRIFT * COUNT, differing
