"""A command loads the packages that it needs, and no others: what was loaded is counted, never the time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree

SCRIPT = """
import os, sys
from pinakes.serve.cli import commands
try:
    commands.main(sys.argv[1:], prog_name="pinakes", standalone_mode=False)
finally:
    names = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
    print("\\nloaded:", *sorted(name for name in names if not name.startswith("_")), file=sys.stderr)
"""
LIGHT = {"click", "msgspec", "pinakes", "typing_extensions"}
NUMERIC = LIGHT | {"numpy", "simsimd"}
FINDING = NUMERIC | {"Stemmer", "cython_runtime", "tantivy"}
"""The most that a command may load, beside Python's own modules."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_tree(
        tmp_path_factory.mktemp("lazy"), {"a.md": "# Tides\n\nThey turn. See [b](b.md).\n", "pinakes.toml": ""}
    )
    subprocess.run([sys.executable, "-m", "pinakes", "sync", "--wait", "--root", str(root)], check=True)
    return root


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("--help", {"click", "pinakes"}),
        ("--version", {"click", "pinakes"}),
        ("serve --help", LIGHT),
        ("work --help", LIGHT),
        ("mcp install --help", LIGHT),
        ("search --help", LIGHT),
        ("read a.md --root .", LIGHT),
        ("links a.md --root .", LIGHT),
        ("check --root .", LIGHT),
        ("map --root .", NUMERIC - {"simsimd"}),
        ("status --root .", NUMERIC),
        ("model list --root .", NUMERIC),
    ],
)
def test_a_command_loads_no_package_that_it_does_not_need(words: str, allowed: set[str], folder: Path) -> None:
    assert loaded(words, folder) - allowed == set()


def test_a_search_by_the_first_model_loads_no_runtime_of_models_and_no_server(folder: Path) -> None:
    words = "search turn --root ."
    assert loaded(words, folder, {"PINAKES_NEURAL_MODEL": "static"}) - FINDING == set()


def loaded(words: str, folder: Path, variables: dict[str, str] | None = None) -> set[str]:
    """The packages in a process after a command."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words.split()],
        cwd=folder,
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return set(done.stderr.rpartition("loaded:")[2].split())


ROOMS = (
    "check.whole evaluation doctor edits moves.plan moves.apply outline.draw parse.markdown publish index.sync"
    " index.workers"
)
"""Of what a search of an index that is there needs nothing."""


def test_a_search_of_an_index_that_is_there_loads_no_room_that_reads_checks_or_publishes(folder: Path) -> None:
    script = SCRIPT.replace("print(", 'print("\\nrooms:", *sorted(sys.modules), file=sys.stderr); print(')
    command = [sys.executable, "-c", script, "search", "turn", "--no-sync", "--root", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rooms = done.stderr.partition("rooms: ")[2].partition("\n")[0].split()
    assert "pinakes.search.recall" in rooms
    assert [room for room in ROOMS.split() if f"pinakes.{room}" in rooms] == []
