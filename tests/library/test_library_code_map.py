"""The map of source code: symbols with signatures, imports, who uses them, tests as counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kits.trees import write_tree
from pinakes.library import Library, open_library
from pinakes.outline import MapRequest
from pinakes.tokens import count_tokens

pytest.importorskip("tree_sitter_python", reason="needs the extra code")

CONTEXT = '''
"""Contexts."""
from ac.history import History, LIMIT


class Base: ...


class Context(Base):
    """Shortens a conversation."""

    turns: int = 0

    def compact(self, limit: int = LIMIT, *, keep=True) -> History:
        def older(turn): ...
        return History()

    async def stream(self, prompt): ...

    @property
    def size(self) -> int: ...


def load(path, /): ...
'''
TEST = """
from ac.context import Context, load

class TestContext:
    def test_compact(self): Context().compact()
    def test_stream(self): ...

def test_load(): load("x")
def helper(): ...
"""
FILES = {
    "pinakes.toml": "[code]\nenabled = true\n",
    "guide.md": "# Guide\n",
    "src/ac/context.py": CONTEXT,
    "src/ac/history.py": "LIMIT = 3\n\nclass History: ...\n",
    "tests/test_context.py": TEST,
}
WHOLE = """\
legend: ←N other files use it; → links to (no slash: same folder, else from the root); c class, f function, m method, \
v variable, p property, a async
src/ac/
  context.py ←1
    → history.py
    c Base
    c Context(Base) ←1
      p turns: int
      m compact(limit: int = LIMIT, *, keep=True) -> History
        f older(turn)
      am stream(prompt)
      p size: int
    f load(path, /) ←1
  history.py ←1
    v LIMIT ←1
    c History ←1
tests/
  test_context.py  1 class, 3 tests
    → src/ac/context.py"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root: Path = tmp_path_factory.mktemp("code")
    write_tree(root, FILES)
    with open_library(root) as opened:
        opened.sync()
        yield opened


def test_the_whole_map_shows_symbols_with_signatures_and_tests_as_counts(library: Library) -> None:
    assert library.map("code:").text() == WHOLE


def test_data_has_what_the_text_leaves_out(library: Library) -> None:
    blocks = {block["path"]: block for block in library.map("code:").plain()["blocks"]}  # type: ignore[attr-defined]
    compact = next(one for one in blocks["src/ac/context.py"]["sections"] if one["anchor"] == "Context.compact")
    assert compact["lines"] == "14-16"
    assert [str(one) for one in compact["symbol"].parameters] == ["self", "limit: int = LIMIT", "*", "keep=True"]


@given(budget=st.integers(10, 200))
def test_a_budget_is_never_exceeded_and_the_text_is_the_same_again(library: Library, budget: int) -> None:
    text = library.map("code:", MapRequest(budget_tokens=budget)).text()
    assert count_tokens(text) <= budget
    assert library.map("code:", MapRequest(budget_tokens=budget)).text() == text


def test_what_only_a_function_can_use_goes_first(library: Library) -> None:
    text = library.map("code:", MapRequest(budget_tokens=120)).text()
    assert "c Context" in text
    assert "older" not in text
