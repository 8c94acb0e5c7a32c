"""A folder that nobody named and that is no project is not indexed by mistake: not a home, not an empty corner."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree

COMMANDS = (("search", "tides"), ("map",), ("sync",), ("serve", "--port", "0"), ("mcp",), ("watch",), ("check",))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "home", {"notes.md": "# Notes\n\nTides.\n", "letters/a.md": "# A letter\n"})


def run(folder: Path, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pinakes", *words],
        cwd=folder,
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_home_is_refused_with_a_sentence_unless_it_is_named(home: Path, words: tuple[str, ...]) -> None:
    ran = run(home, *words, home=home)
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert "is no project" in ran.stderr
    assert "--root" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert not (home / ".pinakes").exists()


@pytest.mark.parametrize("words", [("sync",), ("map",), ("search", "tides")], ids=lambda words: words[0])
def test_documents_in_folders_of_a_folder_are_its_documents(home: Path, words: tuple[str, ...]) -> None:
    elsewhere = write_tree(home.parent / "elsewhere", {"deep/down/a.md": "# Tides\n"})
    ran = run(elsewhere, *words, home=home)
    assert ran.returncode == 0, ran.stderr
    assert (elsewhere / ".pinakes").exists()
    assert run(home / "letters", "search", "letter", home=home).returncode == 0


@pytest.mark.parametrize(
    "files",
    [
        {"deep/down/a.bin": "x"},
        {"one/pinakes.toml": "", "one/a.md": "# Tides\n", "two/.git/HEAD": "", "two/docs/a.md": "# Tides\n"},
        {"node_modules/x/README.md": "# Tides\n", "venv/pyvenv.cfg": "", "venv/a.md": "# Tides\n", ".x/a.md": "# A\n"},
        {".bashrc": "", "letters/a.md": "# Tides\n"},
        {"1/2/3/4/5/a.md": "# Tides\n"},
    ],
    ids=("no document", "projects", "installed", "somebody's home", "far down"),
)
def test_what_is_no_document_of_the_folder_does_not_make_it_a_library(home: Path, files: dict[str, str]) -> None:
    elsewhere = write_tree(home.parent / "elsewhere", files)
    ran = run(elsewhere, "search", "tides", home=home)
    assert ran.returncode == 2
    assert "is no project: it has no pinakes.toml, .git, index or documents of its own." in ran.stderr
    assert not (elsewhere / ".pinakes").exists()
    assert run(elsewhere, "search", "tides", "--root", ".", home=home).returncode in (0, 1)


def test_a_home_that_is_named_is_indexed(home: Path) -> None:
    assert run(home, "search", "tides", "--root", ".", home=home).returncode == 0
    assert run(home, "search", "tides", home=home).returncode == 0  # it has an index now


@pytest.mark.parametrize(("said", "code"), [("y", 0), ("n", 2)])
def test_on_a_terminal_one_is_asked(home: Path, said: str, code: int) -> None:
    child, terminal = pty.fork()
    if not child:
        os.chdir(home)
        os.environ["HOME"] = str(home)
        os.execv(sys.executable, [sys.executable, "-m", "pinakes", "search", "tides"])
    os.write(terminal, f"{said}\n".encode())
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:  # how Linux says that the other side is gone
        pass
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == code, shown
    assert b"Index everything below it?" in shown
    assert (home / ".pinakes").exists() is (code == 0)
