"""Lines are counted for what they are."""

from __future__ import annotations

from pathlib import Path

from benchmarks.size import Size, report, size_of, sizes

from kits.trees import write_tree

MODULE = '''"""What it is.

More of it.
"""

# a reason
LIMIT = 3  # not a comment line
"""What it limits."""


def work() -> str:
    """Do it."""
    return """text
# not a comment"""
'''


def test_each_line_is_code_documentation_a_comment_or_blank() -> None:
    assert size_of(MODULE) == Size(lines=14, code=4, docstrings=6, comments=1, blank=3, files=1)


def test_rooms_are_added_up_and_the_largest_files_named(tmp_path: Path) -> None:
    home = write_tree(tmp_path, {"room/a.py": MODULE, "room/b.py": "x = 1\n", "top.py": "", "room/c.txt": "text\n"})
    told = report(sizes(home)).splitlines()
    assert told[2:5] == [
        "| room | 2 | 15 | 5 | 6 | 1 | 3 |",
        "| . | 1 | 0 | 0 | 0 | 0 | 0 |",
        "| **all** | 3 | 15 | 5 | 6 | 1 | 3 |",
    ]
    assert told[-3:] == ["| room/a.py | 14 |", "| room/b.py | 1 |", "| top.py | 0 |"]
