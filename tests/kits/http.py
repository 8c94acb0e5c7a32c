"""A real server process on loopback and a plain client for it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from kits.waiting import HANG_S
from pinakes.errors import ConfigError
from pinakes.serve.kept_token import kept_token

PAGES = {
    "README.md": "# Harbour\n\nThe harbour office. See [tides](guide/tides.md) and [[cranes]].\n",
    "guide/tides.md": "---\ntags: [sea]\n---\n# Tides\n\nHigh water comes twice a day.\n\n## Tables\n\n"
    "Tide tables are printed every January.\n\n```python\ndef high_water(day): ...\n```\n\n[Gone](nowhere.md)\n",
    "guide/cranes.md": "# Cranes\n\nA crane lifts forty tonnes. Back to the [harbour](../README.md).\n",
}


@dataclass(frozen=True)
class Answer:
    """A response, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def media(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]


@dataclass
class Server:
    """A running `pinakes serve`."""

    process: subprocess.Popen[str]
    port: int
    headers: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    """Lines on its stderr."""

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self.port}"

    def connect(self, timeout: float = HANG_S) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(
        self, method: str, path: str, body: bytes | object = None, headers: Mapping[str, str | None] | None = None
    ) -> Answer:
        """One request; `body` that is no bytes goes as JSON, and a header that is None is left out."""
        sent = {"Host": self.authority, **self.headers}
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent["Content-Length"] = str(len(body))
        for name, value in (headers or {}).items():
            if value is None:
                sent.pop(name, None)
            else:
                sent[name] = value
        connection = self.connect()
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            # What is refused may be answered before it was sent to its end.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.endheaders(body if isinstance(body, bytes) else None)
            return read(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str, /, **parameters: object) -> Answer:
        """GET with parameters; a list gives several of one name."""
        return self.ask("GET", f"{path}?{urlencode(parameters, doseq=True)}" if parameters else path)

    def post(self, path: str, body: object) -> Answer:
        return self.ask("POST", path, body)

    def raw(self, data: bytes, *, limit: int = 100_000, timeout: float = 5) -> bytes:
        """What comes back for these very bytes, until the server closes or stops."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(data)
            held = b""
            with contextlib.suppress(TimeoutError, ConnectionResetError):
                while len(held) < limit and (part := connection.recv(65_536)):
                    held += part
            return held


def _kept() -> str:
    try:
        return kept_token()
    except ConfigError:
        return ""


def read(response: HTTPResponse) -> Answer:
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, headers, response.read())


@contextlib.contextmanager
def serving(
    *roots: Path,
    token: str = "",
    options: tuple[str, ...] = (),
    prelude: tuple[str, ...] = (),
    verb: str = "serve",
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A server of these folders on a free port, started by `prelude` if there is one; it is ended afterwards."""
    command = [*prelude, sys.executable, "-m", "pinakes", verb, *map(str, roots), "--port", "0", *options]
    # Most tests ask something of one process that answers, and would start three.
    variables = {"PINAKES_WORKERS": "1", **os.environ, **(environment or {})}
    variables |= {"PINAKES_TOKEN": token} if token else {}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables) as process:
        assert process.stderr is not None
        said: list[str] = []
        # A server whose words nobody reads would stop when the pipe is full.
        reading = threading.Thread(target=said.extend, args=(process.stderr,))
        try:
            while not (found := re.search(r"at http://\S+:(\d+)/", "".join(said))):
                said.append(process.stderr.readline())
                assert said[-1], f"the server ended: {said}"
            reading.start()
            # A client of the same user knows the token, as every program of that user does.
            shown = token or ("" if {"--no-token", "--published"} & {*options} else _kept())
            yield Server(process, int(found[1]), {"Authorization": f"Bearer {shown}"} if shown else {}, said)
            process.send_signal(signal.SIGTERM)
            process.wait(HANG_S)
        finally:
            process.kill()
            process.wait()
            if reading.ident:
                reading.join()


class Comparisons:
    """The events of a server, heard from now on: they tell when it has compared the files with its index."""

    def __init__(self, server: Server) -> None:
        self._connection = server.connect(HANG_S)
        self._connection.request("GET", "/events", headers={"Host": server.authority, **server.headers})
        self._stream = self._connection.getresponse()
        self._heard: list[tuple[str, Any]] = []
        self._next()  # hello: from here on nothing is missed

    def until_changed(self) -> list[str]:
        """Wait until documents have changed in the index; their paths."""
        while self._next()[0] != "changed":
            pass
        paths: list[str] = self._heard[-1][1]["paths"]
        return paths

    def until_ended(self) -> None:
        """Wait until a comparison has ended, whatever came of it: by a change, or because another one begins."""
        begun = 0
        while begun < 2:
            event, data = self._next()
            if event == "changed":
                return
            begun += event == "progress" and data["phase"] == "scanning" and data["total"] is None

    def close(self) -> None:
        self._connection.close()

    def _next(self) -> tuple[str, Any]:
        """The next event; a server that tells none for long, but that it lives, hangs."""
        deadline = time.monotonic() + HANG_S
        while True:
            lines = b""
            while not lines.endswith(b"\n\n"):
                line = self._stream.readline()
                assert line, f"the stream ended after {self._heard}"
                lines += line
            if found := events(lines):
                self._heard += found
                return found[-1]
            assert time.monotonic() < deadline, f"no event within {HANG_S:.0f} s of {self._heard}"


def events(body: bytes) -> list[tuple[str, Any]]:
    """A stream's events, each with its data."""
    found = []
    for block in body.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found
