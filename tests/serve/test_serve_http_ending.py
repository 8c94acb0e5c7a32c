"""How the server begins and ends, and what it says on the way."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from kits.http import PAGES, serving
from kits.trees import write_tree
from kits.waiting import HANG_S


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_streams_and_requests_open(tmp_path: Path, number: signal.Signals) -> None:
    root = write_tree(tmp_path / "docs", PAGES)
    with serving(root) as server, contextlib.ExitStack() as stack:
        server.get("/search", query="tides")
        streams = []
        for _ in range(20):
            connection = stack.enter_context(contextlib.closing(HTTPConnection("127.0.0.1", server.port, timeout=10)))
            connection.request("GET", "/events", headers={"Host": server.authority})
            streams.append(connection.getresponse())
        half = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        half.sendall(
            f"POST /search HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n".encode()
        )
        half.sendall(b"Content-Length: 100\r\n\r\n{")
        server.process.send_signal(number)
        assert server.process.wait(HANG_S) == 0
        for stream in streams:
            assert b"event: hello" in stream.read()
    assert not (root / ".pinakes" / "library.db-wal").exists()  # the index was closed in order
    assert server.said == [f"pinakes: serving docs at http://{server.authority}/\n"]


def test_it_ends_while_the_first_index_is_being_made(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {f"{number}.md": f"# Page {number}\n\nText.\n" * 50 for number in range(400)})
    with serving(root) as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(HANG_S) == 0
    with serving(root) as server:
        assert server.get("/search", query="page 7", anyway=True).status == 200
        assert server.get("/status").json["counts"]["documents"] == 400


def test_a_port_that_is_taken_is_told_in_a_sentence(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", PAGES)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "pinakes", "serve", str(root), "--port", port],
            capture_output=True,
            text=True,
            timeout=30,
        )
    assert (done.returncode, "Choose another one with --port" in done.stderr) == (2, True)


def test_other_names_are_answered_to_when_they_are_given(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", PAGES)
    with serving(root, options=("--name", "docs.example", "--name", "other.example:8443")) as server:
        statuses = {
            host: server.ask("GET", "/health", headers={"Host": host}).status
            for host in (
                "docs.example",
                f"docs.example:{server.port}",
                "other.example:8443",
                "other.example",
                "docs.example:1",
            )
        }
        origin = server.ask("GET", "/health", headers={"Host": "docs.example", "Origin": "https://docs.example"})
    assert list(statuses.values()) == [200, 200, 200, 421, 421]
    assert origin.status == 200


def test_commands_that_do_not_serve_load_nothing_of_it(tmp_path: Path) -> None:
    write_tree(tmp_path, PAGES)
    script = (
        "import sys\nfrom pinakes.serve.cli import commands\n"
        "commands.main(sys.argv[1:], prog_name='pinakes', standalone_mode=False)\n"
        "loaded = {'mcp', 'fastapi', 'pydantic', 'starlette', 'uvicorn', 'anyio'} & set(sys.modules)\n"
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )
    for arguments in (["--help"], ["search", "tides", "--root", str(tmp_path)]):
        done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
