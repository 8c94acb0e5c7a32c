"""A real `pinakes work` on loopback, with a provider beside it, and a client that hears what it tells."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

from kits.http import Server, events, serving
from kits.providers import ProviderServer, ScriptedAnswer, providing
from kits.waiting import HANG_S

FILES: Mapping[str, str | bytes] = {
    "docs/harbour.md": "# Harbour\n\nThe harbour office. See [tides](tides.md).\n",
    "docs/tides.md": "# Tides\n\nHigh water comes twice a day.\n\n## Tables\n\nPrinted every January.\n",
    "docs/plan.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>Crane</text></svg>\n',
    "src/crane.py": "def lift(tonnes):\n    return tonnes\n",
    "pinakes.toml": "[code]\nenabled = true\n",
}
EDIT = """\
Here it is.

docs/tides.md
<<<<<<< FIND
High water comes twice a day.
=======
High water comes twice a day, and so does low water.
>>>>>>> END
"""
"""An answer that changes a document."""


@dataclass
class Working:
    """A running workspace and the provider that it asks."""

    server: Server
    provider: ProviderServer

    def get(self, path: str, /, **parameters: object) -> Any:
        """The answer to a GET below ``/work``, which must succeed."""
        answer = self.server.get(f"/work/{path}", **parameters)
        assert answer.status == 200, answer.body
        return answer.json

    def post(self, path: str, /, **body: object) -> Any:
        """The answer to a POST below ``/work``, which must succeed."""
        answer = self.server.post(f"/work/{path}", body)
        assert answer.status == 200, answer.body
        return answer.json

    def ask(self, question: str) -> list[tuple[str, Any]]:
        """A question, and all that was told until its answer ended."""
        answer = self.server.post("/work/ask", {"question": question})
        assert answer.status == 200, answer.body
        return events(answer.body)

    def until_ready(self) -> None:
        """Wait until both indexes are made."""
        with listening(self.server) as news:
            while self.get("state")["modes"]["docs"]["building"] or not self.get("state")["modes"]["code"]["ready"]:
                news.next()


@dataclass
class News:
    """A stream of events, heard as they come."""

    connection: HTTPConnection
    stream: HTTPResponse
    heard: list[tuple[str, Any]] = field(default_factory=list)

    def next(self) -> tuple[str, Any]:
        """The next event."""
        lines = b""
        while not lines.endswith(b"\n\n") or not events(lines):
            line = self.stream.readline()
            assert line, f"the stream ended after {self.heard}"
            lines += line
        self.heard += events(lines)
        return self.heard[-1]

    def until(self, *names: str) -> tuple[str, Any]:
        """The next event of one of these names."""
        while (found := self.next())[0] not in names:
            pass
        return found


@contextmanager
def listening(server: Server, path: str = "/work/events", body: bytes | None = None) -> Iterator[News]:
    """A stream of a server, open for as long as the block lasts; from the first event on nothing is missed."""
    connection = server.connect(HANG_S)
    headers = {"Host": server.authority, **server.headers}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request("GET" if body is None else "POST", path, body, headers)
    news = News(connection, connection.getresponse())
    assert news.stream.status == 200, news.stream.read()
    try:
        if body is None:
            assert news.next()[0] == "hello"
        yield news
    finally:
        # The response holds the socket, too; without both being closed the server would not hear of the end.
        news.stream.close()
        connection.close()


@contextmanager
def working(
    root: Path,
    answers: Sequence[ScriptedAnswer | str] = ("All is well.",),
    *,
    options: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
    waits: bool = True,
) -> Iterator[Working]:
    """A workspace over a folder with a provider that answers so; by default both indexes are made."""
    with providing(answers) as provider:
        variables = {
            "PINAKES_WORK_PROVIDER": "openai",
            "PINAKES_WORK_MODEL": "qwen3",
            "PINAKES_WORK_ENDPOINT": provider.openai,
            "OPENAI_API_KEY": "sk-test",
            **(environment or {}),
        }
        with serving(root, verb="work", options=("--no-open", *options), environment=variables) as server:
            found = Working(server, provider)
            if waits:
                found.until_ready()
            yield found


def in_thread(call: Any, *arguments: object) -> threading.Thread:
    """A call that goes on beside the test."""
    thread = threading.Thread(target=call, args=arguments, daemon=True)
    thread.start()
    return thread
