"""What is told on streams: of the libraries that the token sees alone, and for as long as it is valid."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kits.http import PAGES, Server, serving
from kits.mcp import ENVELOPE
from kits.store import migrated_database
from kits.trees import write_tree
from kits.waiting import HANG_S, until
from pinakes import open as open_library
from pinakes.access import TokenScope
from pinakes.access.tokens import TokenTable

SEEN, UNSEEN = "pier", "orchard"


class Stream:
    """What comes of an answer that goes on, read in a thread."""

    def __init__(self, server: Server, token: str, path: str, body: object = None, **headers: str) -> None:
        said = b"" if body is None else json.dumps(body).encode()
        head = [f"{'POST' if said else 'GET'} {path} HTTP/1.1", f"Host: {server.authority}"]
        head += [f"Authorization: Bearer {token}", f"Content-Length: {len(said)}", "Content-Type: application/json"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        self._connection = socket.create_connection(("127.0.0.1", server.port), timeout=HANG_S)
        self._connection.sendall("\r\n".join([*head, "", ""]).encode() + said)
        self.text = ""
        self.is_ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError):
            while not self.is_ended and (part := self._connection.recv(65_536)):
                self.text += part.decode()
                self.is_ended = self.text.endswith("\r\n0\r\n\r\n")  # the last chunk
        self.is_ended = True

    def is_told_of(self, library: str) -> bool:
        """Whether a change in a library was told; which libraries there are was told before."""
        about = (line for line in self.text.splitlines() if '"generation"' in line or "resources/updated" in line)
        return any(f'"{library}"' in line or f"//{library}/" in line for line in about)

    def close(self) -> None:
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def listening(server: Server, token: str) -> Stream:
    """A client of MCP that wants to hear of everything in both libraries."""
    wanted = {
        "resourcesListChanged": True,
        "resourceSubscriptions": [f"pinakes://{name}/README.md" for name in (SEEN, UNSEEN)],
    }
    params: dict[str, Any] = {"notifications": wanted, "_meta": ENVELOPE}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"}
    return Stream(server, token, "/mcp", asked, **headers, **{"Mcp-Method": "subscriptions/listen"})


@pytest.fixture(scope="module")
def table() -> TokenTable:
    return TokenTable(migrated_database())


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("streams")
    return {name: write_tree(folder / name, PAGES) for name in (SEEN, UNSEEN)}


@pytest.fixture(scope="module")
def server(roots: dict[str, Path]) -> Iterator[Server]:
    url = migrated_database().url
    for root in roots.values():
        with open_library(root, {"store": url}) as library:
            library.sync()
    with serving(*roots.values(), environment={"PINAKES_STORE_URL": url}) as running:
        yield running


def test_a_stream_tells_of_the_libraries_of_its_token_alone(
    server: Server, roots: dict[str, Path], table: TokenTable
) -> None:
    everything, _ = table.create("streams of all", TokenScope.READ, None, None)
    some, _ = table.create("streams of one", TokenScope.READ, [SEEN], None)
    pairs = [
        [Stream(server, token, "/events") for token in (everything, some)],
        [listening(server, token) for token in (everything, some)],
    ]
    until(lambda: all("data: " in stream.text for pair in pairs for stream in pair), "all are heard")
    for name in (UNSEEN, SEEN):  # what is told of the first comes before what is told of the second
        (roots[name] / "README.md").write_text("# Now another one\n")
        (roots[name] / "new.md").write_text("# New\n")
        until(lambda name=name: all(everyone.is_told_of(name) for everyone, _ in pairs), f"{name} is told of")  # type: ignore[misc]
        if name == UNSEEN:
            assert not any("list_changed" in some_of.text for _, some_of in pairs)
    until(lambda: all(some_of.is_told_of(SEEN) for _, some_of in pairs), "it is told to the other as well")
    assert not any(some_of.is_told_of(UNSEEN) for _, some_of in pairs)
    assert UNSEEN not in pairs[0][1].text
    for stream in (*pairs[0], *pairs[1]):
        stream.close()


def test_a_stream_of_mcp_ends_when_its_token_is_revoked(server: Server, table: TokenTable) -> None:
    token, row = table.create("a listener", TokenScope.READ, [SEEN], None)
    stream = listening(server, token)
    until(lambda: "acknowledged" in stream.text, "it listens")
    table.revoke(row.id)
    until(lambda: stream.is_ended, "it has ended")
    stream.close()
