"""Does a server keep its promises of time? Tests look at no clock, so this does.

    python -m benchmarks.promises FOLDER [--rounds 3]

A folder enters, a table leaves: each promise of docs/serve.md and docs/mcp.md, the longest that it took in any round,
and whether that is within the promise. The index is made in a folder that is removed at the end. The exit code is 0
whatever was measured, because a busy machine is late where the code is not.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

from benchmarks import serving
from benchmarks.clock import say
from benchmarks.serving_mcp import HELLO, running
from benchmarks.table import machine, shown

_END_S, _QUESTION_S, _CROWDED_S = 2.0, 2.0, 1.0
_HANG_S = 30.0
"""What takes longer hangs and is not waited for."""
_STREAMS, _SEARCHES, _HALF_OPEN = 20, 200, 200
_HOSTILE = {
    "quotes": '"' * 3000,
    "operators": "AND OR NOT * ? ~ ^ : \\ / { } [ ] " * 100,
    "exclusions": "-a " * 1300,
    "a pattern that backtracks": "(a+)+$" * 600,
    "one long word": "a" * 4000,
    "800 words": " ".join(map(str, range(800))),
    "wildcards in a path": "path:" + "**/" * 300,
}


class Server(NamedTuple):
    """A running `pinakes serve` whose index is there."""

    process: subprocess.Popen[str]
    port: int

    def connect(self, stack: ExitStack) -> HTTPConnection:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_HANG_S)
        return stack.enter_context(contextlib.closing(connection))

    def send(self, stack: ExitStack, data: str) -> None:
        """Send these bytes on a connection that stays open, and wait for nothing."""
        connection = stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=_HANG_S))
        connection.sendall(data.encode())

    def search(self, query: str, profile: str = "balanced") -> tuple[float, int]:
        """Seconds until a search is answered or refused, and the status it is answered with."""
        with ExitStack() as stack:
            connection = self.connect(stack)
            started = time.perf_counter()
            status, _ = serving.ask(connection, self.port, "/search", query=query, profile=profile, anyway=1)
            return time.perf_counter() - started, status


class Row(NamedTuple):
    """A promise and the longest that it took."""

    what: str
    took_s: float
    promised_s: float


def measure(folder: Path, rounds: int) -> Iterator[Row]:
    """Every promise, one after another."""
    with tempfile.TemporaryDirectory(prefix="pinakes-promises-") as store:
        with _serving(folder, store) as server:
            say("hostile questions")
            for name, query in _HOSTILE.items():
                took, status = max(server.search(query, profile) for profile in ("balanced", "thorough"))
                yield Row(f"a hostile question is answered or refused ({status}): {name}", took, _QUESTION_S)
            say(f"a search beside {_HALF_OPEN} half-open connections")
            took = max(_crowded_s(server) for _ in range(rounds))
            yield Row(f"a search beside {_HALF_OPEN} half-open connections", took, _CROWDED_S)
        for name, burden in _SERVE_BURDENS.items():
            say(f"serve ends {name}")
            took = max(_serve_end_s(folder, store, burden) for _ in range(rounds))
            yield Row(f"serve ends {name}", took, _END_S)
        for name, lines in _MCP_BURDENS.items():
            say(f"mcp ends {name}")
            took = max(_mcp_end_s(folder, store, lines) for _ in range(rounds))
            yield Row(f"mcp ends {name}", took, _END_S)


@contextmanager
def _serving(folder: Path, store: str) -> Iterator[Server]:
    settings = argparse.Namespace(workers=None, store=store, environment=[])
    process, port = serving.start(folder, settings)
    try:
        with contextlib.closing(HTTPConnection("127.0.0.1", port, timeout=600)) as connection:
            while serving.ask(connection, port, "/search", query="warm up", anyway=1)[0] != 200:
                pass  # until the first index is there; each answer takes a while
        yield Server(process, port)
    finally:
        _end_s(process)
        assert process.stderr is not None
        process.stderr.close()


def _crowded_s(server: Server) -> float:
    parts = ("", "GET /hea", "POST /search HTTP/1.1\r\nHost:")
    with ExitStack() as stack:
        for number in range(_HALF_OPEN):
            server.send(stack, parts[number % len(parts)])
        return server.search("how does it start?")[0]


def _serve_end_s(folder: Path, store: str, burden: Callable[[Server, ExitStack], None]) -> float:
    with _serving(folder, store) as server, ExitStack() as stack:
        burden(server, stack)
        return _end_s(server.process)


def _nothing(server: Server, stack: ExitStack) -> None:
    """No burden."""


def _streams(server: Server, stack: ExitStack) -> None:
    for _ in range(_STREAMS):
        connection = server.connect(stack)
        connection.request("GET", "/events", headers={"Host": f"127.0.0.1:{server.port}"})
        connection.getresponse().readline()


def _hanging(server: Server, stack: ExitStack) -> None:
    head = f"POST /search HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    server.send(stack, f"{head}Content-Length: 100\r\n\r\n{{")


_SERVE_BURDENS = {
    "when nobody asks": _nothing,
    f"while {_STREAMS} streams are open": _streams,
    "while a request hangs": _hanging,
}


def _mcp_end_s(folder: Path, store: str, lines: bytes) -> float:
    words = [sys.executable, "-m", "pinakes", "mcp", str(folder), "--store", store]
    with running(words) as client:
        client.ask("initialize", HELLO)
        client.say("notifications/initialized")
        client.call("search", query="how does it start?", anyway=True)
        assert client.process.stdin is not None
        client.process.stdin.write(lines)
        client.process.stdin.flush()
        return _end_s(client.process)


def _searches(count: int) -> bytes:
    call = {"name": "search", "arguments": {"query": "how does it start?"}}
    asked = ({"jsonrpc": "2.0", "id": f"s{number}", "method": "tools/call", "params": call} for number in range(count))
    return b"".join(json.dumps(one).encode() + b"\n" for one in asked)


_MCP_BURDENS = {
    "when nobody asks": b"",
    f"while {_SEARCHES} searches wait and nobody reads": _searches(_SEARCHES),
    "in the middle of a line": b'{"jsonrpc":"2.0",',
}


def _end_s(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> float:
    """Seconds from SIGTERM to the end; a process that hangs is killed."""
    started = time.perf_counter()
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_HANG_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    rows = list(measure(given.folder, given.rounds))
    print(f"{machine()}\n\n| promise | longest | promised | kept |\n|---|---:|---:|---|")
    for what, took_s, promised_s in rows:
        kept = "yes" if took_s <= promised_s else "**no**"
        print(f"| {what} | {shown(took_s, 's')} | {shown(promised_s, 's')} | {kept} |")


if __name__ == "__main__":
    main()
