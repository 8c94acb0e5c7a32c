"""Between the lines of a wire and the SDK's streams: messages are read, answers are written, and the end is orderly."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.models import InitializationOptions
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from pinakes.serve.log_summary import summarise

if TYPE_CHECKING:
    from pinakes.serve.mcp.stdio import RequestReader, Wire

DRAIN_S = 1.0
"""How long what was asked is still answered after the input has ended."""
FLUSH_S = 0.3
"""How long a client that does not read is waited for at the end."""


class Exchange:
    """One client's conversation. `take` and `end` are called by the reader's thread, the rest by the loop."""

    def __init__(self, wire: Wire, reader: RequestReader) -> None:
        self._wire = wire
        self._reader = reader
        self._send, self._receive = anyio.create_memory_object_stream[SessionMessage | Exception](32)
        self._asked: set[str | int] = set()
        """Requests without an answer so far."""
        self._quiet = asyncio.Event()
        self._writing = anyio.CapacityLimiter(1)
        self._loop: asyncio.AbstractEventLoop | None = None
        self.ending = threading.Event()
        """Set as soon as the end has begun."""

    async def serve(self, server: Server[Any], options: InitializationOptions) -> None:
        """Until the input has ended, nobody reads, or a signal came."""
        summarise()
        logging.getLogger("mcp").setLevel(logging.ERROR)  # a client's odd requests are answered, not written down
        self._loop = asyncio.get_running_loop()
        outgoing, written = anyio.create_memory_object_stream[SessionMessage](32)
        async with anyio.create_task_group() as group:
            group.start_soon(self._until_signal, group.cancel_scope)
            self._reader.hand_to(self)
            async with anyio.create_task_group() as inner:
                inner.start_soon(self._write, written, group.cancel_scope)
                await server.run(self._receive, outgoing, options)
                inner.cancel_scope.deadline = anyio.current_time() + FLUSH_S
            group.cancel_scope.cancel()

    def take(self, line: bytes) -> None:
        """Hand a line over, waiting when there are many."""
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError as error:
            self._refuse(error)
            return
        self._wait_for(self._pass(message))

    def end(self) -> None:
        """The input has ended."""
        self.ending.set()
        self._wait_for(self._drain())

    def _wait_for(self, doing: Coroutine[None, None, None]) -> None:
        assert self._loop is not None
        try:
            done = asyncio.run_coroutine_threadsafe(doing, self._loop)
        except RuntimeError:  # the loop has ended
            doing.close()
            return
        with suppress(CancelledError):  # it ends, which is not asyncio's own error of that name in a thread
            done.result()

    def _refuse(self, error: ValidationError) -> None:
        is_json = all(one["type"] != "json_invalid" for one in error.errors(include_input=False, include_url=False))
        code, what = (-32600, "This is not a request.") if is_json else (-32700, "This is not JSON.")
        line = f'{{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"message":"{what}"}}}}\n'
        with suppress(OSError):
            self._wire.write(line.encode())

    async def _pass(self, message: types.JSONRPCMessage) -> None:
        match message:
            # A subscription is answered when it ends; nobody waits for that.
            case types.JSONRPCRequest(method=method, id=asked) if method != "subscriptions/listen":
                self._asked.add(asked)
            case types.JSONRPCNotification(method="notifications/cancelled", params={"requestId": given}):
                self._answered(given)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._send.send(SessionMessage(message))

    def _answered(self, asked: str | int | None) -> None:
        if asked is not None:
            self._asked.discard(asked)
        if not self._asked:
            self._quiet.set()

    async def _drain(self) -> None:
        with anyio.move_on_after(DRAIN_S):
            while self._asked:
                self._quiet.clear()
                await self._quiet.wait()
        self._send.close()

    async def _write(self, written: MemoryObjectReceiveStream[SessionMessage], all_of_it: anyio.CancelScope) -> None:
        async for item in written:
            message = item.message
            if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                self._answered(message.id)
                if message.id is not None and message.id == self._reader.answered:
                    self._reader.answered = None
                    continue
            line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
            try:
                await anyio.to_thread.run_sync(self._wire.write, line, abandon_on_cancel=True, limiter=self._writing)
            except OSError:
                self.ending.set()
                all_of_it.cancel()

    async def _until_signal(self, all_of_it: anyio.CancelScope) -> None:
        if sys.platform == "win32":
            return  # there is no asking for signals; what ends a process there ends it at once
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                self.ending.set()
                all_of_it.cancel()
                return
