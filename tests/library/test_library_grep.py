"""Lines of files that have a text or match an expression."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.errors import ConfigError
from pinakes.library import Library, open_library
from pinakes.library.work.files import listed_paths, work_files
from pinakes.library.work.grep import GrepMatch, GrepQuery, GrepResult, grep

FILES: dict[str, str | bytes] = {
    "a.md": "# Alpha\n\nThe Harbour and the harbour.\n",
    "src/b.py": "def harbour_7():\r\n    return 'ß'\r\n",
    "c.bin": b"\0harbour",
    "d.txt": f"{'x' * 5000}harbour{'y' * 5000}\n",
    "plan.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "photo.png": b"\x89PNG",
    ".env": "harbour=1\n",
    "evil.txt": "a" * 40 + "b\n",
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as opened:
        yield opened


def found(library: Library, text: str, *, regex: bool = False, case: bool = False) -> list[tuple[str, int]]:
    result = grep(library, listed_paths(library, is_indexed=False), GrepQuery(text, regex, case))
    assert not result.is_cut
    return [(one.path, one.number) for one in result.matches]


def test_text_is_found_in_whatever_case_in_all_listed_files_of_text(library: Library) -> None:
    assert found(library, "harbour") == [("a.md", 3), ("d.txt", 1), ("src/b.py", 1)]
    assert found(library, "Harbour", case=True) == [("a.md", 3)]
    assert found(library, "harbour_\\d") == []


def test_letters_that_become_two_in_small_letters_move_nothing(library: Library) -> None:
    assert found(library, "ß") == found(library, "SS") == [("src/b.py", 2)]
    (library.root / "e.txt").write_text(f"{'İ' * 400}Harbour\n", encoding="utf-8")
    (match,) = grep(library, ["e.txt"], GrepQuery("harbour")).matches
    assert match.text.startswith("İ" * 100) and match.text.endswith("Harbour")


def test_a_text_that_almost_stands_everywhere_takes_no_longer_than_its_file(library: Library) -> None:
    for name in ("f.txt", "g.txt", "h.txt"):
        (library.root / name).write_text("a" * 990_000, encoding="utf-8")
    result = grep(library, ["f.txt", "g.txt", "h.txt"], GrepQuery("a" * 999 + "b"))
    assert result == GrepResult((), is_cut=False)


def test_an_expression_is_matched_line_by_line(library: Library) -> None:
    assert found(library, r"harbour_\d", regex=True) == [("src/b.py", 1)]
    assert found(library, "^the .* harbour", regex=True) == [("a.md", 3)]
    assert found(library, "^the .* harbour", regex=True, case=True) == []


def test_a_long_line_is_shown_around_its_match(library: Library) -> None:
    (match,) = grep(library, ["d.txt"], GrepQuery("harbour")).matches
    assert "harbour" in match.text and len(match.text) <= 300


def test_an_expression_that_takes_for_ever_is_ended(library: Library) -> None:
    asked = GrepQuery("(a+)+$", is_regex=True)
    result = grep(library, ["a.md", "evil.txt"], asked, longest_s=1.0)
    assert result == GrepResult((GrepMatch("a.md", 1, "# Alpha"),), is_cut=True)


def test_too_many_matches_are_cut(library: Library) -> None:
    paths = listed_paths(library, is_indexed=False)
    result = grep(library, paths, GrepQuery("harbour"), most=2)
    assert (len(result.matches), result.is_cut) == (2, True)


@pytest.mark.parametrize("text", ["(", "[z-a]", "a{99999999999}", "(" * 5000])
def test_what_is_no_expression_is_refused(library: Library, text: str) -> None:
    with pytest.raises(ConfigError):
        grep(library, ["a.md"], GrepQuery(text, is_regex=True))


def test_files_are_listed_with_their_kind_also_before_there_is_an_index(library: Library) -> None:
    kinds = {one.path: one.kind for one in work_files(library, is_indexed=False)}
    assert kinds == {
        "a.md": "document",
        "c.bin": "other",
        "d.txt": "document",
        "evil.txt": "document",
        "photo.png": "image",
        "plan.svg": "drawing",
        "src/b.py": "code",
    }
    library.sync()
    assert work_files(library, is_indexed=True) == work_files(library, is_indexed=False)
