"""Several processes behind one port: they answer as one server, whichever dies."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from kits.http import PAGES, Answer, Server, events, read, serving
from kits.trees import write_tree
from kits.waiting import HANG_S, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the processes of a server are looked up in /proc")

TWO = ("--workers", "2")
ACCEPTS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
MANY = 24


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "harbour", PAGES)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(write_tree(tmp_path_factory.mktemp("served") / "harbour", PAGES), options=TWO) as running:
        both(running)
        until(lambda: running.get("/status").json.get("is_watched"), "the writer watches")
        yield running


def processes(server: Server) -> list[int]:
    """The workers in order, and the writer."""
    pid = server.process.pid
    return sorted(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


class Kept:
    """A connection to one worker, kept open."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=HANG_S)

    def send(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> HTTPResponse:
        sent = {"Host": self._server.authority, **self._server.headers, **(headers or {})}
        self._connection.request(method, path, None if body is None else json.dumps(body), sent)
        return self._connection.getresponse()

    def ask(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Answer:
        return read(self.send(method, path, body, headers))

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def at_both(server: Server) -> Iterator[tuple[Kept, Kept]]:
    """A connection to each of two workers: the second one goes to whoever has fewer."""
    with contextlib.closing(Kept(server)) as one, contextlib.closing(Kept(server)) as other:
        one.ask("GET", "/health")
        other.ask("GET", "/health")
        yield one, other


def counted(server: Server, route: str) -> dict[str, int]:
    """How many requests each worker has answered."""
    found: dict[str, int] = {}
    for line in server.get("/metrics").body.decode().splitlines():
        if line.startswith("pinakes_requests_total{") and f'route="{route}"' in line:
            name = line.partition('worker="')[2].partition('"')[0]
            found[name] = found.get(name, 0) + int(line.rpartition(" ")[2])
    return found


def both(server: Server) -> None:
    """Wait until both workers answer: the first one that does makes the server say that it serves."""
    until(lambda: _reporting(server) == {"0", "1"}, "both workers answer")


def _reporting(server: Server) -> set[str]:
    lines = server.get("/metrics").body.decode().splitlines()
    found = [line for line in lines if line.startswith("pinakes_event_streams{")]
    return {line.partition('worker="')[2].partition('"')[0] for line in found}


def test_connections_go_to_the_worker_that_has_the_fewest(server: Server) -> None:
    before = counted(server, "/search")
    with contextlib.ExitStack() as stack:
        for _ in range(6):
            connection = stack.enter_context(contextlib.closing(Kept(server)))
            assert connection.ask("GET", "/search?query=crane").json["hits"]
        after = counted(server, "/search")
    assert {name: count - before.get(name, 0) for name, count in after.items()} == {"0": 3, "1": 3}


def test_every_worker_knows_of_an_edit_at_once(server: Server) -> None:
    page = Path(server.get("/status").json["root"]) / "guide" / "locks.md"
    with at_both(server) as (one, other):
        for number, word in enumerate(("sluicegate", "penstock", "lockkeeper")):
            page.write_text(f"# Locks\n\nThe {word} opens.\n")
            asked = (one, other) if number % 2 else (other, one)
            for connection in asked:
                found = connection.ask("GET", f"/search?query={word}").json
                assert [hit["path"] for hit in found["hits"]] == ["guide/locks.md"], found["missing"]
        page.unlink()
        assert not other.ask("GET", "/search?query=lockkeeper").json["hits"]


def test_what_one_worker_writes_the_other_finds(server: Server) -> None:
    with at_both(server) as (one, other):
        made = one.ask("POST", "/remember", {"text": "Bollards are painted in June."}, ACCEPTS)
        assert made.status == 200
        found = other.ask("POST", "/recall", {"query": "bollards"}, ACCEPTS).json
        assert "Bollards are painted in June." in str(found)


def test_streams_of_every_worker_hear_of_a_change(server: Server) -> None:
    page = Path(server.get("/status").json["root"]) / "guide" / "buoys.md"
    with at_both(server) as (one, other):
        streams = [one.send("GET", "/events"), other.send("GET", "/events")]
        assert [next_event(stream)[0] for stream in streams] == ["hello", "hello"]
        page.write_text("# Buoys\n\nRed to port.\n")
        for stream in streams:
            told: list[str] = []
            while "guide/buoys.md" not in told:  # what another test changed may be told first
                name, data = next_event(stream)
                told = data["paths"] if name == "changed" else []
        assert server.get("/status").json["streams"] == 2


def next_event(stream: HTTPResponse) -> tuple[str, Any]:
    while True:
        block = b""
        while not block.endswith(b"\n\n"):
            line = stream.readline()
            assert line, "the stream ended"
            block += line
        if found := events(block):
            return found[0]


def say(method: str, identity: int | None = None, **params: object) -> dict[str, object]:
    said: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    return said if identity is None else said | {"id": identity}


def begin(connection: Kept) -> dict[str, str]:
    """Open a session of the older protocol; the headers of its requests."""
    hello = say(
        "initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"}
    )
    begun = connection.ask("POST", "/mcp", hello, ACCEPTS)
    assert begun.status == 200, begun.body
    headers = {**ACCEPTS, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
    assert connection.ask("POST", "/mcp", say("notifications/initialized"), headers).status == 202
    return headers


def test_a_session_is_answered_by_whichever_worker_its_requests_reach(server: Server) -> None:
    with at_both(server) as (one, other):
        headers = [begin(one), begin(other)]
        assert {one["Mcp-Session-Id"][:2] for one in headers} == {"0-", "1-"}
        search = say("tools/call", 2, name="search", arguments={"query": "crane"})
        for connection in (one, other):
            for session in headers:
                answer = connection.ask("POST", "/mcp", search, session)
                assert answer.status == 200
                assert b"guide/cranes.md" in answer.body
        writes = say("tools/call", 3, name="remember", arguments={"text": "Fenders hang outside."})
        assert b"Fenders" in other.ask("POST", "/mcp", writes, headers[0]).body
        assert other.ask("DELETE", "/mcp", None, headers[0]).status == 200
        for connection in (one, other):
            assert connection.ask("POST", "/mcp", search, headers[0]).status == 404
            assert connection.ask("POST", "/mcp", search, headers[1]).status == 200
            for odd in ("7-abc", "x", "1-" + "0" * 32, "-"):
                assert connection.ask("POST", "/mcp", search, {**ACCEPTS, "Mcp-Session-Id": odd}).status == 404


def test_a_subscription_is_told_on_a_stream_that_another_worker_carries(server: Server) -> None:
    page = Path(server.get("/status").json["root"]) / "guide" / "piers.md"
    page.write_text("# Piers\n\nTwo piers.\n")
    with at_both(server) as (one, other):
        headers = begin(one)
        assert one.ask("GET", "/search?query=piers").json["hits"]
        listed = other.ask("POST", "/mcp", say("resources/list", 3), headers).body.decode()
        uri = next(part for part in listed.split('"') if part.startswith("pinakes:") and part.endswith("piers.md"))
        wanted = say("resources/subscribe", 2, uri=uri)
        answer = one.ask("POST", "/mcp", wanted, headers)
        assert b"error" not in answer.body, answer.body
        stream = other.send("GET", "/mcp", None, headers)
        assert stream.status == 200
        page.write_text("# Piers\n\nThree piers.\n")
        while b"resources/updated" not in (line := stream.readline()):
            assert line, "the stream ended"
        assert uri.encode() in line


def test_wrong_tokens_count_whichever_worker_they_are_shown_to(root: Path) -> None:
    token = "the-token-of-the-harbour"
    wrong = {"Authorization": "Bearer wrong"}
    with serving(root, token=token, options=TWO) as server:
        both(server)
        with at_both(server) as (one, _):
            for _ in range(6):
                assert one.ask("GET", "/status", None, wrong).status == 401
        statuses: list[int] = []

        def guess() -> None:
            statuses.append(server.ask("GET", "/status", None, wrong).status)

        guessing = [threading.Thread(target=guess) for _ in range(MANY)]
        for thread in guessing:
            thread.start()
        for thread in guessing:
            thread.join()
        assert set(statuses) == {401, 429}
        assert server.get("/status").status == 200


def test_who_dies_is_started_again_and_nobody_is_refused(root: Path) -> None:
    with serving(root, options=TWO) as server:
        both(server)
        workers, writer = processes(server)[:-1], processes(server)[-1]
        with at_both(server) as both_of_them:
            sessions = [begin(one) for one in both_of_them]
        session = next(one for one in sessions if one["Mcp-Session-Id"].startswith("0-"))
        os.kill(workers[0], signal.SIGKILL)
        for _ in range(8):
            assert server.get("/search", query="crane").json["hits"]
        until(lambda: len(processes(server)) == 3 and workers[0] not in processes(server), "a new worker")
        both(server)
        search = say("tools/call", 2, name="search", arguments={"query": "crane"})
        assert server.ask("POST", "/mcp", search, {**session}).status == 404  # its session went with it
        os.kill(writer, signal.SIGKILL)
        assert server.get("/search", query="crane").json["hits"]
        until(lambda: len(processes(server)) == 3 and writer not in processes(server), "a new writer")
        (root / "locks.md").write_text("# Locks\n\nThe sluicegate opens.\n")
        until(lambda: server.get("/search", query="sluicegate").json["hits"], "the new writer finds an edit")
    assert [line for line in server.said if "again" in line] == [
        "pinakes: worker 0 ended by signal 9 and is started again.\n",
        "pinakes: the writer ended by signal 9 and is started again.\n",
    ]


def test_a_stream_that_another_worker_carries_ends_when_the_worker_of_its_session_dies(root: Path) -> None:
    with serving(root, options=TWO) as server:
        both(server)
        workers = processes(server)[:-1]
        with at_both(server) as (one, other):
            headers = begin(one)
            stream = other.send("GET", "/mcp", None, headers)
            assert stream.status == 200
            os.kill(workers[int(headers["Mcp-Session-Id"][0])], signal.SIGKILL)
            assert stream.read() == b""
            assert other.ask("GET", "/search?query=crane").json["hits"]
    assert [line for line in server.said if "serving" not in line and "again" not in line] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_all_end_with_the_first(root: Path, number: signal.Signals) -> None:
    with TemporaryDirectory(dir="/tmp") as made:  # the folders of tests have names too long for sockets
        sockets = Path(made)
        with serving(root, options=TWO, environment={"TMPDIR": made}) as server:
            both(server)
            assert [len(list(one.iterdir())) for one in sockets.iterdir()] == [3]
            assert [one.stat().st_mode & 0o777 for one in sockets.iterdir()] == [0o700]
            all_of_them = processes(server)
            with at_both(server) as (one, other):
                one.send("GET", "/events")
                other.send("GET", "/events")
                server.process.send_signal(number)
                code = server.process.wait(HANG_S)
                until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in all_of_them), "all have ended")
            assert code == (-9 if number == signal.SIGKILL else 0)
            with socket.create_server(("127.0.0.1", server.port)):
                pass  # the port is free
        until(lambda: not list(sockets.iterdir()), "the sockets are gone")
    if number != signal.SIGKILL:
        assert server.said == [f"pinakes: serving harbour at http://{server.authority}/\n"]


def test_the_number_of_workers_is_told_apart_from_nonsense(root: Path) -> None:
    command = [sys.executable, "-m", "pinakes", "serve", str(root), "--port", "0", "--workers", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 2
    assert "--workers" in done.stderr
