"""How `pinakes mcp` ends: whatever it is doing, and without leaving anything behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kits.mcp import DOCUMENTS, Talk, has_ended, searches, talking
from kits.trees import write_tree
from kits.waiting import until

pytest.importorskip("mcp")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", DOCUMENTS)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Enough documents that processes of their own read them."""
    text = "# Page {0}\n\n" + "A paragraph of [page](p{0}.md) and more of it, in words enough.\n\n" * 60
    return write_tree(tmp_path / "docs", {f"p{number}.md": text.format(number) for number in range(1500)})


def end_input(talk: Talk) -> None:
    talk.stdin.close()


def stop_reading(talk: Talk) -> None:
    talk.stdout.close()
    talk.send("tools/list", asked=3)


def terminate(talk: Talk) -> None:
    talk.process.send_signal(signal.SIGTERM)


def interrupt(talk: Talk) -> None:
    talk.process.send_signal(signal.SIGINT)


ENDS = [end_input, stop_reading, terminate, interrupt]


def test_the_end_of_input_ends_a_process_that_was_asked_nothing(root: Path) -> None:
    with talking(root) as talk:
        talk.stdin.close()
        assert has_ended(talk.process)
        assert talk.process.returncode == 0


def test_a_line_without_its_end_is_answered_before_the_end(root: Path) -> None:
    with talking(root) as talk:
        talk.raw(b"half a line without its end")
        talk.stdin.write(b'{"jsonrpc":"2.0",')
        code, rest = talk.end()
        assert code == 0
        assert [one["error"]["code"] for one in rest] == [-32700, -32700]


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_while_it_has_nothing_to_do(root: Path, end: Callable[[Talk], None]) -> None:
    with talking(root) as talk:
        talk.greet()
        talk.ask("tools/list", asked=2)
        end(talk)
        assert has_ended(talk.process)
        assert talk.process.returncode == 0


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_while_it_answers_many(root: Path, end: Callable[[Talk], None]) -> None:
    with talking(root) as talk:
        talk.greet()
        talk.call("search", query="tokens")
        talk.raw(searches(200))
        end(talk)
        assert has_ended(talk.process)
        assert talk.process.returncode == 0


@pytest.mark.parametrize("end", [end_input, terminate, interrupt])
def test_it_ends_in_the_middle_of_a_request_that_is_too_long(root: Path, end: Callable[[Talk], None]) -> None:
    with talking(root) as talk:
        talk.greet()
        talk.ask("tools/list", asked=2)
        talk.raw(b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"' + b"y" * 5_000_000 + b'"}}')
        talk.stdin.write(b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":"' + b"y" * 5_000_000)
        talk.stdin.flush()
        end(talk)
        assert has_ended(talk.process)


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_in_the_middle_of_a_sync_and_leaves_no_process_and_no_trace(
    large: Path, tmp_path: Path, end: Callable[[Talk], None]
) -> None:
    with (tmp_path / "stderr").open("wb") as stderr, talking(large, stderr=stderr) as talk:
        talk.greet()
        call = {"name": "search", "arguments": {"query": "page"}, "_meta": {"progressToken": 1}}
        talk.send("tools/call", call, asked=2)
        while not talk.hear().get("params", {}).get("message", "").startswith("reading "):
            pass  # until its own processes read
        workers = _children(talk.process.pid)
        end(talk)
        assert has_ended(talk.process)
        assert talk.process.returncode == 0
    assert workers
    until(lambda: not set(workers) & _alive(), "the processes that read have noticed and ended")
    assert (tmp_path / "stderr").read_text() == ""
    with talking(large) as talk:
        talk.greet()
        assert "documents   1,500 " in talk.call("status")["result"]["content"][0]["text"]


def _children(parent: int) -> list[int]:
    """Processes that were started by `parent`."""
    return [number for number, one in _processes() if one == parent]


def _alive() -> set[int]:
    return {number for number, _ in _processes()}


def _processes() -> Iterator[tuple[int, int]]:
    """Each process that runs, and which one started it."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                state, parent = Path(entry.path, "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    yield int(entry.name), int(parent)
