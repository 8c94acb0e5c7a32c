"""A server answers from the words that are there while those of many documents are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.library import open_library

MANY = 401
"""Changed documents from which a question does not wait for their words."""


def pages(count: int, word: str) -> dict[str, str]:
    return {f"many/p{number}.md": f"# Page {number}\n\nThe {word} turns.\n" for number in range(count)}


def newest(missing: tuple[str, ...]) -> list[str]:
    return [note for note in missing if note.startswith("the newest words")]


def test_words_of_many_documents_are_made_in_a_thread_and_what_was_there_answers(tmp_path: Path) -> None:
    write_tree(tmp_path, {"first.md": "# First\n\nA pelican lands.\n"})
    with open_library(tmp_path) as library:
        library.answer_sooner(0.0)
        library.sync()
        assert library.search("pelican").hits
        write_tree(tmp_path, pages(MANY, "windmill"))
        library.refresh()
        found = library.search("pelican")
        assert [hit.ref.path for hit in found.hits] == ["first.md"]
        assert newest(found.missing) == [f"the newest words: {MANY} documents are being added to them"]
        library.corpus().toolbox.prepare(library.corpus().store, with_vectors=True)
        found = library.search("windmill")
        assert found.hits
        assert not newest(found.missing)


@pytest.mark.parametrize("sooner", [False, True], ids=["command", "server"])
def test_few_documents_are_waited_for_and_so_is_the_first_index(tmp_path: Path, *, sooner: bool) -> None:
    write_tree(tmp_path, pages(MANY, "windmill"))
    with open_library(tmp_path) as library:
        if sooner:
            library.answer_sooner(0.0)
        library.refresh()
        assert library.search("windmill").hits
        write_tree(tmp_path, {"late.md": "# Late\n\nA pelican lands.\n"})
        library.refresh()
        found = library.search("pelican")
        assert [hit.ref.path for hit in found.hits] == ["late.md"]
        assert not newest(found.missing)


def test_a_command_waits_for_all_words(tmp_path: Path) -> None:
    write_tree(tmp_path, {"first.md": "# First\n\nA pelican lands.\n"})
    with open_library(tmp_path) as library:
        library.sync()
        write_tree(tmp_path, pages(MANY, "windmill"))
        library.refresh()
        found = library.search("windmill")
        assert found.hits
        assert not newest(found.missing)
