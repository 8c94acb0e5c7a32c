"""A folder whose own name steers terminals: no command prints it as it is."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kits.http import serving
from kits.mcp import talking
from kits.trees import write_tree
from kits.waiting import HANG_S
from pinakes.render.text import UNSEEN
from pinakes.serve.cli import COMMANDS, commands
from pinakes.serve.cli.exit_codes import errors_to_exit_codes

NAME = "do\x1b]0;owned\x07\x1b[31mcs\n\rsecond\u202eline\u2066\x9b2J\u200b"
ODD = "od\x1b[8md\nx\u202e.md"
TREE: dict[str, str | bytes] = {
    "README.md": "# Harbour\n\nSee [the odd one](gone\u202e.md).\n",
    ODD: "# Odd \x1b[31m\n\nRed.\n",
}
SERVERS = ("serve", "work", "watch", "lsp")
CALLS: dict[str, list[list[str]]] = {
    "init": [[".", "--no-sync"], ["."], [".", "--json"]],
    "sync": [[], ["--json"], ["--rebuild"]],
    "map": [[], ["--json"], ["nowhere"]],
    "search": [["harbour"], ["harbour", "--json"], ["harbour", "--explain"]],
    "read": [["README.md", "--json"], [ODD, "--json"], ["nowhere.md"]],
    "links": [["README.md"], ["README.md", "--json"]],
    "history": [["harbour"]],
    "check": [[], ["--json"]],
    "move": [[ODD, "x.md"], [ODD, "x.md", "--json"], [ODD, "x/", "--apply"], ["--undo"], [ODD, "y\x1b[31m.md"]],
    "rename": [[f"{ODD}#odd-31m", "T\u202ex"], [ODD, "x", "--apply"], ["--undo", "--json"], ["nothing\x1b[31m", "x"]],
    "ask": [["What is\x1b[31m?"], ["--sessions"], ["--undo", "--json"], ["x", "--select", "no\x1b[31m"]],
    "publish": [["out"], ["out", "--json"], ["out", "--dry-run"], ["."]],
    "eval": [["--self"], ["nowhere.jsonl"]],
    "bench": [[], ["--json"]],
    "remember": [["The tide", "--title", "Tide\x1b[31m"], ["The tide", "--json"]],
    "recall": [["tide"], ["tide", "--json"]],
    "memories": [[], ["--json"]],
    "update": [["tide", "--title", "T\x1b[31m"], ["nothing\x1b[31m"]],
    "append": [["nothing\x1b[31m", "x"]],
    "archive": [["nothing\x1b[31m"]],
    "merge": [["nothing\x1b[31m", "b", "--title", "T"]],
    "forget": [["nothing\x1b[31m"]],
    "restore": [["nothing\x1b[31m"]],
    "add": [[ODD], ["README.md", "--json"], ["nowhere\x1b[31m.md"]],
    "get": [["nothing\x1b[31m"]],
    "list": [[], ["--json"]],
    "drop": [["nothing\x1b[31m"]],
    "updates": [[], ["--json"]],
    "status": [[], ["--json"], ["--files"]],
    "model": [["list"], ["use", "nothing\x1b[31m"]],
    "doctor": [[], ["--json"]],
    "mcp": [["install", client, "--print"] for client in ("claude-code", "claude-desktop", "cursor", "vscode")],
}


def assert_harmless(said: str) -> None:
    shown = re.sub(r"[\n\t]", "", said)
    assert not UNSEEN.search(shown), ascii(said)
    assert not re.search(r"^\s*second", said, re.MULTILINE), "the name stays on one line"


def said_of(error: click.ClickException) -> str:
    """What a terminal is told of an error."""
    with contextlib.redirect_stderr(io.StringIO()) as said, pytest.raises(SystemExit), errors_to_exit_codes():
        raise error
    return said.getvalue()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = write_tree(tmp_path / NAME, TREE)
    monkeypatch.chdir(made)
    return made


def test_no_command_prints_what_steers_a_terminal(root: Path) -> None:
    for command in [name for name in COMMANDS if name not in SERVERS]:
        for words in CALLS.get(command, [[], ["--json"]]):
            done = CliRunner().invoke(commands, [command, *words], standalone_mode=False)
            if isinstance(done.exception, click.ClickException):
                assert_harmless(said_of(done.exception))
            else:
                assert done.exception is None or isinstance(done.exception, SystemExit), (command, words)
            assert_harmless(done.output)


def test_servers_print_no_name_that_steers_a_terminal(root: Path) -> None:
    with serving(root) as server:
        assert server.get("/health").status == 200
    assert_harmless("".join(server.said))
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "pinakes", "watch"], cwd=root, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as watch:
        assert watch.stderr is not None
        line = watch.stderr.readline()
        watch.send_signal(signal.SIGTERM)
        out, rest = watch.communicate(timeout=HANG_S)
    assert b"watching" in line + rest
    assert_harmless((line + rest + out).decode())
    said = root.parent / "said"
    with said.open("wb") as file, talking(root, stderr=file) as talk:
        talk.greet()
        assert not talk.call("search", query="harbour")["result"]["isError"]
        talk.end()
    assert_harmless(os.fsdecode(said.read_bytes()))
