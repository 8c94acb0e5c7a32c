"""Source code as a corpus beside the documents, from a folder to answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.errors import NotFound
from pinakes.library import open_library
from pinakes.records import CODE, Filter, Query, Relation
from pinakes.render.excerpt import excerpt

pytest.importorskip("tree_sitter_python", reason="needs the extra code")

FILES = {
    "pinakes.toml": "[code]\nenabled = true\n",
    "docs/context.md": "# Context\n\nHow a context is compacted.\n",
    "src/ac/__init__.py": "from ac.history import History\n",
    "src/ac/base.py": 'class Base:\n    """What all contexts share."""\n\n    def close(self): ...\n',
    "src/ac/history.py": 'class History:\n    """Keeps turns."""\n\n    def load(self, path: str) -> None: ...\n',
    "src/ac/context.py": (
        '"""Contexts; see docs/context.md#context."""\n\n'
        "from ac import History\n"
        "from .base import Base\n\n\n"
        "class Context(Base):\n"
        '    """Shortens a conversation."""\n\n'
        "    def compact(self, limit: int = 0) -> str:\n"
        '        """Leave out the oldest turns."""\n'
        "        return History.load(self.path())\n\n"
        "    def path(self): ...\n"
    ),
}


def test_symbols_are_searched_read_and_linked(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as library:
        library.sync()
        hits = library.search(Query("leave out the oldest turns", Filter(corpora=(CODE,)))).hits
        assert str(hits[0].ref) == "code:src/ac/context.py#Context.compact"
        assert "def compact" in library.read("src/ac/context.py#Context.compact").text
        outgoing = library.links("code:src/ac/context.py").outgoing
        assert {(edge.link.relation, str(edge.to)) for edge in outgoing if edge.to} == {
            (Relation.IMPORTS, "code:src/ac/__init__.py"),
            (Relation.IMPORTS, "code:src/ac/history.py#History"),
            (Relation.IMPORTS, "code:src/ac/base.py"),
            (Relation.IMPORTS, "code:src/ac/base.py#Base"),
            (Relation.EXTENDS, "code:src/ac/base.py#Base"),
            (Relation.CALLS, "code:src/ac/history.py#History.load"),
            (Relation.CALLS, "code:src/ac/context.py#Context.path"),
            (Relation.LINKS_TO, "docs:docs/context.md#context"),
        }


def test_who_asks_for_code_that_is_not_read_hears_of_the_setting(tmp_path: Path) -> None:
    write_tree(tmp_path, {**FILES, "pinakes.toml": ""})
    with open_library(tmp_path) as library:
        library.sync()
        for ask in (
            lambda: library.map("code:"),
            lambda: library.search(Query("turns", Filter(corpora=(CODE,)))),
            lambda: library.read("code:src/ac/base.py"),
            lambda: library.read("src/ac/base.py#Base"),
            lambda: library.links("src/ac/base.py#Base.close"),
            lambda: library.plan_rename("src/ac/base.py#Base", "Root"),
        ):
            with pytest.raises(NotFound, match=r"code\.enabled"):
                ask()


def test_documents_are_asked_alone_unless_code_is_named(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as library:
        library.sync()
        assert {hit.ref.corpus for hit in library.search("how is a context compacted").hits} == {"docs"}


def test_a_definition_that_moves_is_found_again(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as library:
        library.sync()
        write_tree(tmp_path, {"src/ac/old.py": FILES["src/ac/history.py"], "src/ac/history.py": ""})
        write_tree(tmp_path, {"src/ac/__init__.py": "from ac.old import History\n"})
        library.sync()
        outgoing = library.links("code:src/ac/context.py#Context.compact").outgoing
        assert "code:src/ac/old.py#History.load" in {str(edge.to) for edge in outgoing}


def test_code_is_shown_as_it_stands(tmp_path: Path) -> None:
    text = "/** Joins &amp; trims all the words. */\nexport function joined(words: string[]) {}\n"
    write_tree(tmp_path, {**FILES, "src/words.ts": text})
    with open_library(tmp_path) as library:
        library.sync()
        (hit, *_) = library.search(Query("join and trim words", Filter(corpora=(CODE,)))).hits
        assert excerpt(hit).text == text.rstrip()


def test_callers_in_the_same_file_are_links_to_a_symbol(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as library:
        library.sync()
        incoming = library.links("src/ac/context.py#Context.path").incoming
        assert [str(edge.origin) for edge in incoming] == ["code:src/ac/context.py#Context.compact"]
        assert not library.links("src/ac/context.py").incoming


def test_an_include_is_told_as_it_is_written(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_c", reason="needs the extra code")
    toml = {"pinakes.toml": FILES["pinakes.toml"]}
    write_tree(tmp_path, {**toml, "a.md": "# A\n", "n/lib.h": "int f(void);\n", "n/lib.c": '#include "lib.h"\n'})
    with open_library(tmp_path) as library:
        library.sync()
        (words,) = library.links("n/lib.h").around
        assert words == "lib.h"
