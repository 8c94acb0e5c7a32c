"""A connection between a worker and the writer, on which both ask, answer and tell.

Messages are JSON, one on a line: `{"ask": 7, "what": "look", "given": …}` is answered by `{"answer": 7, "value": …}` or
`{"answer": 7, "error": [name, problem, next step]}`; a message without a number is told, and gets no answer.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from pinakes import errors
from pinakes.errors import PinakesError
from pinakes.serve.pool import Overloaded

Reply = Callable[[str, Any], Awaitable[Any]]
"""What is asked and what is given with it enter; the answer leaves, or a `PinakesError`."""
Hear = Callable[[str, Any], None]
"""Takes what is told; it must not wait."""

LONGEST = 64_000_000
"""Bytes of one message: a change may name every path of a library. As many may wait for somebody who does not read."""


class ProcessLine:
    """One end of a connection; used on one event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Reply, hear: Hear) -> None:
        self._reader = reader
        self._writer = writer
        self._answer = answer
        self._hear = hear
        self._count = 0
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()

    async def ask(self, what: str, given: object = None) -> Any:
        """What the other end answers; raises its `PinakesError`, and `ConnectionError` when the line is cut."""
        self._count += 1
        number = self._count
        future = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            self._send({"ask": number, "what": what, "given": given})
            return await future
        finally:
            del self._asked[number]

    def tell(self, what: str, given: object = None) -> None:
        """Say something without waiting for an answer."""
        self._send({"what": what, "given": given})

    async def run(self) -> None:
        """Take messages until the line is cut; whoever waits for an answer is told then."""
        try:
            while line := await self._reader.readline():
                self._take(json.loads(line))
        except (ConnectionError, ValueError):  # cut in the middle, or too long
            pass
        finally:
            self.close()
            for future in self._asked.values():
                if not future.done():
                    future.set_exception(ConnectionResetError("The other process has ended."))

    def close(self) -> None:
        self._writer.close()

    def _take(self, message: dict[str, Any]) -> None:
        if "answer" in message:
            future = self._asked.get(message["answer"])
            if future is None or future.done():  # whoever asked has gone
                return
            if "error" in message:
                future.set_exception(_error(*message["error"]))
            else:
                future.set_result(message["value"])
        elif "ask" in message:
            task = asyncio.ensure_future(self._reply(message))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        else:
            self._hear(message["what"], message["given"])

    async def _reply(self, message: dict[str, Any]) -> None:
        try:
            said = {"value": await self._answer(message["what"], message["given"])}
        except PinakesError as error:
            said = {"error": [type(error).__name__, error.problem, error.next_step]}
        except (OSError, sqlite3.Error) as error:
            said = {"error": ["PinakesError", str(error), ""]}
        with suppress(ConnectionError):  # whoever asked has gone
            self._send({"answer": message["ask"], **said})

    def _send(self, message: object) -> None:
        if self._writer.is_closing():
            raise ConnectionResetError("The other process has ended.")
        self._writer.write(json.dumps(message).encode("ascii") + b"\n")
        if self._writer.transport.get_write_buffer_size() > LONGEST:
            self._writer.transport.abort()


def _error(name: str, problem: str, next_step: str) -> PinakesError:
    """The error that the other process met, of its type where that is in the family of errors."""
    kind = getattr(errors, name, Overloaded if name == Overloaded.__name__ else PinakesError)
    return kind(problem, next_step) if issubclass(kind, PinakesError) else PinakesError(problem, next_step)
