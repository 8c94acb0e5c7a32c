"""What one client may take of a server, it may take once, however many workers there are."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from kits.http import PAGES, Server, serving
from kits.trees import write_tree
from kits.waiting import HANG_S, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the processes of a server are looked up in /proc")

STREAMS, SESSIONS, CONNECTIONS = 512, 1_000, 2_048
EVENTS = "GET /events HTTP/1.1\r\n"
ACCEPTS = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = write_tree(tmp_path_factory.mktemp("served") / "harbour", PAGES)
    with serving(root, options=("--workers", "2")) as running:
        until(lambda: _answering(running) == 2, "both workers answer")
        yield running


def workers(server: Server) -> list[int]:
    pid = server.process.pid
    return sorted(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))[:2]


def _answering(server: Server) -> int:
    return server.get("/metrics").body.count(b"\npinakes_event_streams{")


def ask_all(server: Server, stack: contextlib.ExitStack, request: str, count: int) -> list[socket.socket]:
    """Connections that have all asked before an answer is read."""
    lines, blank, body = request.partition("\r\n\r\n")
    head, _, rest = lines.partition("\r\n")
    token = f"Authorization: {server.headers['Authorization']}\r\n"
    asked = f"{head}\r\nHost: {server.authority}\r\n{token}{rest}{blank or chr(13) + chr(10)}{body}".encode()
    made = []
    for _ in range(count):
        made.append(stack.enter_context(socket.create_connection(("127.0.0.1", server.port), HANG_S)))
        made[-1].sendall(asked)  # at once: who waits with it for long is given up
    return made


def answered_200(connections: list[socket.socket]) -> int:
    return sum(_heard(one).startswith(b"HTTP/1.1 200") for one in connections)


def _heard(connection: socket.socket) -> bytes:
    try:
        return connection.recv(4096)
    except ConnectionResetError:  # on a busy machine it may have waited too long for its turn to ask
        return b""


def test_bodies_that_all_workers_hold_have_a_limit_together(server: Server) -> None:
    head = f"POST /search HTTP/1.1\r\n{ACCEPTS}Content-Length: 1999999\r\nExpect: 100-continue\r\n\r\n"
    with contextlib.ExitStack() as stack:
        held = []
        for _ in range(70):
            (one,) = ask_all(server, stack, head, 1)
            assert one.recv(4096).startswith(b"HTTP/1.1 100")
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                one.sendall(b'{"query": "' + b"a" * 1_900_000)
            held.append(one)
        answered, _, _ = select.select(held, [], [], HANG_S)
        assert answered[0].recv(4096).startswith(b"HTTP/1.1 503")
    until(lambda: server.post("/search", {"query": "tides"}).status == 200, "the server lets go of the bodies")


def test_a_client_has_as_many_sessions_as_with_one_worker(server: Server) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    headers = {
        "Host": server.authority,
        **server.headers,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    opened: list[str] = []

    def open_session(connection: HTTPConnection) -> str:
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        opened.append(answer.headers["mcp-session-id"])
        return opened[-1].partition("-")[0]

    with contextlib.ExitStack() as stack:
        by_worker: dict[str, HTTPConnection] = {}
        while by_worker.keys() != {"0", "1"}:
            assert len(opened) < 500, "one of the workers takes no connection"
            burst = [stack.enter_context(contextlib.closing(server.connect())) for _ in range(20)]
            for connection in burst:  # all at once: one after the other, the same worker may take all of them
                connection.connect()
            by_worker.update((open_session(connection), connection) for connection in burst)
        for number in range(SESSIONS + 10):
            open_session(by_worker[str(number % 2)])
    listing = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}).encode()
    for name, status in ((opened[0], 404), (opened[1], 404), (opened[-1], 200)):
        assert server.ask("POST", "/mcp", listing, {**headers, "mcp-session-id": name}).status == status


def test_idle_connections_take_the_places_of_one_server(server: Server) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4_096:
        pytest.skip("this process may not open so many connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4_096), hard))
    before = [_sockets(one) for one in workers(server)]
    try:
        with contextlib.ExitStack() as stack:
            for _ in range(CONNECTIONS + 300):
                stack.enter_context(socket.create_connection(("127.0.0.1", server.port), HANG_S))
            assert server.get("/health").status == 200
            now = [_sockets(one) for one in workers(server)]
            assert sum(now) - sum(before) <= CONNECTIONS + 2
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_streams_of_all_workers_are_counted_together_and_those_of_a_dead_one_are_free(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        # Two that want the last place at the same moment may both go without it.
        assert STREAMS - 2 <= answered_200(ask_all(server, stack, EVENTS, 600)) <= STREAMS
        assert server.get("/status").json["streams"] <= STREAMS
        os.kill(workers(server)[0], signal.SIGKILL)
        until(lambda: _answering(server) == 2, "the worker is there again")
        assert 200 <= answered_200(ask_all(server, stack, EVENTS, 300)) <= 300
        assert server.get("/status").json["streams"] <= STREAMS
        assert server.get("/health").status == 200


def _sockets(pid: int) -> int:
    return sum(os.readlink(one).startswith("socket:") for one in Path(f"/proc/{pid}/fd").iterdir() if one.is_symlink())
