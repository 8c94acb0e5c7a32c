"""TOML that a project brings along: settings, synonyms, front matter."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.errors import ConfigError
from pinakes.parse import parse
from pinakes.records import DOCS, Raw, Ref, Stamp, formats
from pinakes.search import load_synonyms

BOMBS = {
    "a dotted key": ("a" + ".a" * 100_000 + " = 1", "more than 500 dots"),
    "dots in an inline table": ("x = {a" + ".a" * 100_000 + " = 1}", "more than 500 dots"),
    "nested arrays": ("x = " + "[" * 60_000, "nested too deeply"),
    "a large file": ("# " + "x" * 300_000, "larger than 256 kB"),
    "a list that grows by its square": (f"same = [{[f'w{number}' for number in range(5000)]}]", "5,000 words in one"),
    "no text": ("\udcff", "not UTF-8"),
}


@pytest.mark.parametrize(("text", "problem"), BOMBS.values(), ids=BOMBS)
def test_hostile_synonyms_are_refused_with_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "synonyms.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match=problem):
        load_synonyms(tmp_path)


def test_synonyms_outside_the_project_are_neither_read_nor_quoted(tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text('same = [["token-SECRET-123", 5]]')
    root = write_tree(tmp_path / "root", {"a.md": "# A lamp\n"})
    (root / "synonyms.toml").symlink_to("../secret.toml")
    with pinakes.open(root) as library:
        library.sync()
        with pytest.raises(ConfigError, match="leaves the project") as refusal:
            library.search("lamp")
    assert "SECRET" not in str(refusal.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("name", ["synonyms.toml", "pinakes.toml", "pyproject.toml"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "# A lamp\n"})
    os.mkfifo(root / name)
    if name == "pyproject.toml":  # it belongs to other tools, so whatever it is, it is left alone
        pinakes.open(root).close()
        return
    with pytest.raises(ConfigError, match="not a plain file"), pinakes.open(root) as library:
        library.sync()
        library.search("lamp")


@pytest.mark.parametrize("case", ["a dotted key", "dots in an inline table", "nested arrays"])
def test_hostile_front_matter_costs_a_document_its_fields_alone(case: str) -> None:
    text, problem = BOMBS[case]
    raw = Raw(Stamp(Ref(DOCS, "a.md"), "", formats.MARKDOWN), f"+++\n{text}\n+++\n# Title\n".encode(), "")
    document = parse(raw)
    assert document.title == "Title"
    assert problem in document.warnings[0]
