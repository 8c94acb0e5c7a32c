"""What is printed on a terminal never stands behind what was left of a progress line."""

from __future__ import annotations

import os
import pty
import sys

import pytest

CHILD = """
from pinakes.errors import ConfigError
from pinakes.serve.cli import frame
from pinakes.serve.cli.exit_codes import errors_to_exit_codes
frame.counter("things")(1, 3)
with errors_to_exit_codes():
    frame.guarded({call})()
"""
CALLS = {
    "a result": 'lambda: frame.echo("the next words")',
    "verbatim": 'lambda: frame.echo_verbatim("the next words")',
    "a warning": 'lambda: frame.warn("the next words")',
    "an error": '(lambda: (_ for _ in ()).throw(ConfigError("the next words")))',
}


def on_a_terminal(code: str) -> bytes:
    """What a terminal is sent by a process that runs this code."""
    child, terminal = pty.fork()
    if not child:
        os.execv(sys.executable, [sys.executable, "-c", code])
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:  # how Linux says that the other side is gone
        pass
    os.waitpid(child, 0)
    os.close(terminal)
    return shown


@pytest.mark.parametrize("what", CALLS)
def test_the_progress_line_is_taken_away_before_anything_else_is_printed(what: str) -> None:
    shown = on_a_terminal(CHILD.format(call=CALLS[what]))
    assert b"1 of 3 things" in shown
    before, mark, _ = shown.rpartition(b"the next words")
    assert mark, shown
    assert before.removesuffix(b"pinakes: ").endswith(b"\r\x1b[K"), shown
