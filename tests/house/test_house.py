"""How the code must read, as far as a program can tell. `make house` prints what offends."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.house import LAWS, docstrings_elsewhere, names_twice
from kits.trees import write_tree


@pytest.mark.parametrize("law", LAWS)
def test_a_law_of_the_house_is_kept(law: str) -> None:
    assert LAWS[law]() == []


def test_a_name_defined_twice_and_a_docstring_that_points_elsewhere_are_found(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "a.py": 'class Lock:\n    """A lock."""\n\n\nclass _Own: ...\n',
            "b.py": 'Lock = int\n_Own = str\nLIMIT = 3\n"""The same, but more."""\n',
            "c.py": "if True:\n    Key: type = int\nelse:\n\n    class Key(int): ...\n",
            "d.py": "try:\n    pass\nexcept OSError:\n    pass\nelse:\n    Key = str\n",
            "e.py": "Lock()\nclass Door:\n    Lock: int = 0\n",
        },
    )
    assert names_twice(tmp_path) == ["Key: c.py:2, d.py:6", "Lock: a.py:1, b.py:1"]
    assert docstrings_elsewhere(tmp_path) == ["b.py:4: The same, but more."]
