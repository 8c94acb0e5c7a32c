"""What became of each file of source code, and that every address of one that is printed can be opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.library import open_library
from pinakes.records import CODE, FileState, Ref
from pinakes.render import diagnoses_text, status_text

pytest.importorskip("tree_sitter_python", reason="needs the extra code")

TOML = {"pinakes.toml": "[code]\nenabled = true\n", "a.md": "# A\n"}


def test_code_that_failed_is_named_by_status_and_by_doctor(tmp_path: Path) -> None:
    toml = TOML["pinakes.toml"] + "max_file_bytes = 100\n"
    write_tree(tmp_path, {**TOML, "pinakes.toml": toml, "src/good.py": "x = 1\n", "src/large.py": "x = 1\n" * 100})
    with open_library(tmp_path) as library:
        library.sync()
        assert "\nfailed: code:src/large.py: " in status_text(library.status())
        assert "ok  code: 1 file could not be read: src/large.py. pinakes status says" in diagnoses_text(
            library.doctor()
        )
        states = {file.path: file.state for file in library.files()}
        assert states["src/large.py"] is FileState.FAILED


def test_code_is_listed_as_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {**TOML, "src/good.py": "x = 1\n", "b.png": "no picture"})
    with open_library(tmp_path) as library:
        library.sync()
        listed = {file.path: (file.state, file.reason) for file in library.files()}
        assert list(listed) == sorted(listed)
        assert listed["src/good.py"] == (FileState.INDEXED, "read as python (corpus code)")
        assert listed["b.png"] == (FileState.ASSET, "not read")


@pytest.mark.parametrize("name", ["nl\nx.py", "ü n%20#x.py", "a%41.py", "plain.py"])
def test_an_address_that_is_printed_opens_the_file(tmp_path: Path, name: str) -> None:
    write_tree(tmp_path, {**TOML, f"code/{name}": "def fnl(): ...\n"})
    ref = Ref(CODE, f"code/{name}", "fnl")
    with open_library(tmp_path) as library:
        library.sync()
        for address in (str(ref), str(ref).removeprefix("code:")):
            assert library.read(address).ref == ref
            whole, _, _ = address.partition("#")
            assert library.read(whole).ref == ref.document
            assert library.read(f"{whole}:1").text == "def fnl(): ...\n"
            assert "fnl" in library.map(whole).text()
            assert not library.check(whole)
