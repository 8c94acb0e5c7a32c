"""Which files are read as source code, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kits.trees import write_tree
from pinakes.library import open_library
from pinakes.records import CODE, FileState
from pinakes.serve.cli import commands
from pinakes.sources import FolderOptions, FolderSource, code

pytest.importorskip("tree_sitter_javascript", reason="needs the extra code")

FILES = {
    "pinakes.toml": "[code]\nenabled = true\n",
    "guide.md": "# Guide\n",
    ".gitattributes": (
        "# made by programs\n*.pb.js linguist-generated\ndist/** linguist-generated=true\n"
        "lib/*.js linguist-vendored\nlib/own.js -linguist-vendored\n*.md linguist-generated\n"
    ),
    "a.js": "export function kept() {}\n",
    "a.pb.js": "x()\n",
    "dist/b.js": "x()\n",
    "lib/other.js": "x()\n",
    "lib/own.js": "export const own = 1;\n",
    "lib/deep/.gitattributes": "c.js linguist-generated\n",
    "lib/deep/c.js": "x()\n",
    "jquery.min.js": "x()\n",
    "node_modules/d/index.js": "x()\n",
    "packed.js": "function f(){return 1}" * 1_000,
}


def read(root: Path) -> list[str]:
    stamps = FolderSource(root, FolderOptions(), CODE).scan().stamps
    return [stamp.ref.path for stamp in stamps if stamp.media.is_document]


def test_files_that_programs_made_are_left_out(tmp_path: Path) -> None:
    assert read(write_tree(tmp_path, FILES)) == ["a.js", "lib/own.js", "packed.js"]


def test_documents_do_not_ask_who_made_them(tmp_path: Path) -> None:
    stamps = FolderSource(write_tree(tmp_path, FILES)).scan().stamps
    assert [stamp.ref.path for stamp in stamps if stamp.media.is_document] == ["guide.md"]


def test_an_option_reads_them_all_the_same(tmp_path: Path) -> None:
    source = FolderSource(write_tree(tmp_path, FILES), FolderOptions(exclude=("!*.min.js", "!a.pb.js")), CODE)
    found = [stamp.ref.path for stamp in source.scan().stamps if stamp.media.is_document]
    assert {"jquery.min.js", "a.pb.js"} <= set(found)


def test_status_says_why(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as library:
        library.sync()
        asked = ("a.js", "a.pb.js", "jquery.min.js", "packed.js", "guide.md", "node_modules/d/index.js")
        told = {one.path: one for one in library.files(asked)}
    assert tuple(told) == asked
    assert told["a.js"].reason == "is indexed as javascript."
    assert ".gitattributes, line 2, says “*.pb.js”" in told["a.pb.js"].reason
    assert "the rule for generated files says “*.min.js”" in told["jquery.min.js"].reason
    assert "looks generated" in told["packed.js"].reason
    assert told["guide.md"].reason == "is indexed as markdown."
    assert told["node_modules/d/index.js"].state is FileState.LEFT_OUT


def test_a_missing_grammar_leaves_its_language_out_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = code._is_installed
    monkeypatch.setattr(code, "_is_installed", lambda grammar: grammar != "tree_sitter_go" and real(grammar))
    write_tree(tmp_path, {**FILES, "x.go": "package x\n", "y.go": "package y\n"})
    with open_library(tmp_path) as library:
        library.sync()
        (status,) = library.files(["x.go"])
        warnings = [warning for ref, warning in library.status().warnings if ref.corpus == CODE]
    assert "the grammar of go is not installed" in status.reason
    assert warnings == ['2 files of go left out: its grammar is missing. Run: pip install "pinakes[code]"']


def test_without_the_corpus_a_file_of_code_says_how_it_would_be_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.js": "x()\n", "guide.md": "# Guide\n"})
    with open_library(tmp_path) as library:
        library.sync()
        (status,) = library.files(["a.js"])
    assert "which is read where code.enabled is true" in status.reason


def test_init_speaks_of_source_code(tmp_path: Path) -> None:
    write_tree(tmp_path, {"guide.md": "# Guide\n", "a.py": "", "b.rs": ""})
    said = CliRunner().invoke(commands, ["init", str(tmp_path), "--no-sync"]).output
    assert "Here is source code, too (2 files). Set code.enabled = true" in said
    write_tree(tmp_path, {"pinakes.toml": "[code]\nenabled = true\n"})
    assert "source code" not in CliRunner().invoke(commands, ["init", str(tmp_path), "--no-sync"]).output
