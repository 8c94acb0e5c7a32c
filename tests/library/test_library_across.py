"""Documents and source code together: what links from one into the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.library import open_library

pytest.importorskip("tree_sitter_python", reason="needs the extra code")

FILES = {
    "pinakes.toml": "[code]\nenabled = true\n",
    "docs/context.md": (
        "# Context\n\n"
        "A [manager](../src/ac/context.py#ContextManager) owns it.\n\n"
        "## Compaction\n\n"
        "`ContextManager.compact` leaves out turns, `compact()` does, and so does `manager`. The word `load` says\n"
        "nothing, `ac.context.load` does.\n\n"
        "```python\nContextManager.compact(3)\n```\n\n"
        "## Loading\n\n"
        "`src/ac/context.py#load` reads it; see [lines](../src/ac/context.py#L3) and\n"
        "`context_manager.path`, not `context_manager.size`.\n"
    ),
    "docs/plain.md": "# Plain\n\nIt calls `History` and `ac.History`, and `open()` and `close()`.\n",
    "src/ac/__init__.py": "from ac.history import History\n",
    "src/ac/history.py": "class History:\n    def close(self): ...\n",
    "src/ac/other.py": "class Other:\n    def close(self): ...\n",
    "src/ac/context.py": (
        '"""Contexts; see docs/context.md#compaction and docs/plain.md."""\n\n\n'
        "class ContextManager:\n"
        "    size = 3\n\n"
        "    def compact(self, limit=0):\n"
        "        return load(limit)\n\n"
        "    def path(self): ...\n\n\n"
        "def load(path): ...\n\n\n"
        "def open(): ...\n"
    ),
    "tests/test_context.py": "class History: ...\n",
}


def links(folder: Path, address: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    with open_library(folder) as library:
        library.sync()
        found = library.links(address)
    outgoing = {(str(edge.origin), str(edge.to)) for edge in found.outgoing if edge.to}
    return outgoing, {(str(edge.origin), str(edge.to)) for edge in found.incoming}


def test_a_section_leads_to_the_symbols_it_links_and_names(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    outgoing, _ = links(tmp_path, "docs/context.md")
    code = "code:src/ac/context.py"
    assert outgoing == {
        ("docs:docs/context.md#context", f"{code}#ContextManager"),
        ("docs:docs/context.md#compaction", f"{code}#ContextManager.compact"),
        ("docs:docs/context.md#compaction", f"{code}#load"),
        ("docs:docs/context.md#loading", f"{code}#load"),
        ("docs:docs/context.md#loading", code),
        ("docs:docs/context.md#loading", f"{code}#ContextManager.path"),
    }
    outgoing, _ = links(tmp_path, "docs/context.md#loading")
    assert {origin for origin, _ in outgoing} == {"docs:docs/context.md#loading"}


def test_names_that_mean_several_things_lead_nowhere(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    outgoing, _ = links(tmp_path, "docs/plain.md")
    assert outgoing == {("docs:docs/plain.md#plain", "code:src/ac/history.py#History")}


def test_a_symbol_shows_the_sections_that_name_it_and_its_callers(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES | {"src/ac/use.py": "from ac.context import load\n\n\ndef use():\n    load(1)\n"})
    _, incoming = links(tmp_path, "src/ac/context.py#load")
    assert incoming == {
        ("code:src/ac/context.py#ContextManager.compact", "code:src/ac/context.py#load"),
        ("code:src/ac/use.py", "code:src/ac/context.py#load"),
        ("code:src/ac/use.py#use", "code:src/ac/context.py#load"),
        ("docs:docs/context.md#compaction", "code:src/ac/context.py#load"),
        ("docs:docs/context.md#loading", "code:src/ac/context.py#load"),
    }
    _, incoming = links(tmp_path, "src/ac/context.py")
    assert ("docs:docs/context.md#loading", "code:src/ac/context.py") in incoming
    assert ("docs:docs/context.md#compaction", "code:src/ac/context.py#ContextManager.compact") in incoming


def test_a_comment_leads_to_the_section_it_names(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    outgoing, _ = links(tmp_path, "src/ac/context.py")
    assert ("code:src/ac/context.py", "docs:docs/context.md#compaction") in outgoing
    assert ("code:src/ac/context.py", "docs:docs/plain.md") in outgoing
    _, incoming = links(tmp_path, "docs/context.md#compaction")
    assert incoming == {("code:src/ac/context.py", "docs:docs/context.md#compaction")}
    assert links(tmp_path, "docs/context.md#loading")[1] == set()


def test_what_is_joined_follows_both_corpora(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as library:
        library.sync()
        assert len(library.links("src/ac/history.py#History").incoming) == 2
        write_tree(tmp_path, {"docs/more.md": "# More\n\n`History.close()` ends it.\n"})
        write_tree(
            tmp_path, {"src/ac/history.py": "\n\nclass History:\n    def close(self): ...\n    def end(self): ...\n"}
        )
        library.sync()
        assert [str(edge.origin) for edge in library.links("src/ac/history.py#History.close").incoming] == [
            "docs:docs/more.md#more"
        ]
        (tmp_path / "docs/more.md").unlink()
        library.sync()
        assert library.links("src/ac/history.py#History.close").incoming == ()


def test_without_code_links_are_those_of_documents(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES | {"pinakes.toml": ""})
    outgoing, _ = links(tmp_path, "docs/context.md#context")
    assert outgoing == {("docs:docs/context.md#context", "docs:src/ac/context.py")}


def test_documents_hang_together_through_code_that_uses_other_code(tmp_path: Path) -> None:
    files = {
        "a.md": "# A\n\n[one](src/one.py)\n",
        "b.md": "# B\n\n[two](src/two.py)\n",
        "c.md": "# C\n\nAlone.\n",
        "src/one.py": "from two import load\n",
        "src/two.py": "def load(): ...\n",
        "src/three.py": "",
        "src/four.py": "",
        "d.md": "# D\n\n`src/three.py` and `src/four.py`\n",
    }
    write_tree(tmp_path, {**files, "pinakes.toml": "[code]\nenabled = true\n"})
    with open_library(tmp_path) as library:
        library.sync()
        assert library.components() == {"a.md": 0, "b.md": 0, "c.md": 1, "d.md": 2}
        assert library.map().components == library.components()
        assert library.components("code:") == {"src/one.py": 1, "src/two.py": 1, "src/three.py": 0, "src/four.py": 0}
    write_tree(tmp_path, {"pinakes.toml": ""})
    with open_library(tmp_path) as library:
        library.sync()
        assert library.components() == {"a.md": 0, "b.md": 1, "c.md": 2, "d.md": 3}
