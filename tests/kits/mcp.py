"""A client of our own for `pinakes mcp`, line by line, for what a well-behaved client would never send."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from kits.waiting import HANG_S
from pinakes import Library
from pinakes.serve.mcp.answers import ToolAnswer
from pinakes.serve.mcp.tools import TOOLS, ToolCall
from pinakes.serve.requests.parameters import Doors, parse

DOCUMENTS = {
    "index.md": "# Start\n\nSee [tokens](guide/auth.md#tokens) and [nothing](gone.md).\n",
    "guide/auth.md": "# Auth\n\n## Tokens\n\nTokens expire after 30 minutes.\n\n## Keys\n\nKeys never expire.\n",
}

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "pinakes", "mcp", *map(str, arguments)]


def answer(name: str, library: Library, given: Mapping[str, object]) -> ToolAnswer:
    """What a tool answers to these arguments, without the protocol."""
    tool = TOOLS[name]
    return ToolCall(tool, parse(tool.request, given, Doors.MCP), is_structured=False).answer(library, ())


def searches(count: int) -> bytes:
    """So many requests at once, a line each."""
    return b"\n".join(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call",
                "params": {"name": "search", "arguments": {"query": f"when do tokens expire {number}"}},
            }
        ).encode()
        for number in range(count)
    )


class Talk:
    """One process and what is said to it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout

    def raw(self, line: bytes) -> None:
        self.stdin.write(line + b"\n")
        self.stdin.flush()

    def send(self, method: str, params: Mapping[str, object] | None = None, asked: int | str | None = None) -> None:
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        if asked is not None:
            message["id"] = asked
        if params is not None:
            message["params"] = params
        self.raw(json.dumps(message).encode())

    def hear(self) -> dict[str, Any]:
        """The next message, which must be one."""
        line = self.stdout.readline()
        heard = json.loads(line)
        assert isinstance(heard, dict)
        assert heard["jsonrpc"] == "2.0"
        return heard

    def ask(self, method: str, params: Mapping[str, object] | None = None, asked: int | str = 1) -> dict[str, Any]:
        """The answer to a request; what else comes before it is let go."""
        self.send(method, params, asked)
        while (heard := self.hear()).get("id") != asked:
            pass
        return heard

    def greet(self) -> dict[str, Any]:
        heard = self.ask("initialize", HELLO, asked="hello")
        self.send("notifications/initialized")
        return heard

    def call(self, tool: str, asked: int | str = 1, **arguments: object) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, asked)

    def end(self) -> tuple[int, list[dict[str, Any]]]:
        """Close the input; the exit code, and what was still said."""
        self.stdin.close()
        rest = [json.loads(line) for line in self.stdout]
        return self.process.wait(HANG_S), rest


@contextmanager
def talking(
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    prelude: Sequence[str] = (),
    stderr: int | IO[bytes] = subprocess.DEVNULL,
) -> Iterator[Talk]:
    """A running `pinakes mcp`, killed at the end if it is still there."""
    process = subprocess.Popen(
        [*prelude, *command(*arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, **(environment or {})},
    )
    try:
        yield Talk(process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process ends by itself."""
    try:
        process.wait(HANG_S)
    except subprocess.TimeoutExpired:
        return False
    return True
