"""The protocol on standard input and output.

Lines of JSON enter and leave by private copies of the two descriptors (`stdio_wire`). What was asked before the input
ended is still answered, for a moment; then the process ends without waiting for work that nobody wants any more.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pinakes.serve.allocator import share_heap
from pinakes.serve.descriptors import raise_limit
from pinakes.serve.ending import leave, leave_soon_after
from pinakes.serve.mcp.early_handshake import first_answer
from pinakes.serve.stdio_wire import StdioWire

if TYPE_CHECKING:
    from pinakes.serve.mcp.exchange import Exchange

LONGEST = 16_000_000
"""Bytes of one line; a longer one is refused without being kept."""
TIDY_S = 0.3
"""Of the time to end, for work that was given up to notice, and for the index to be closed in order."""
_TOO_LONG = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A request may have 16 MB at most."}}\n'


class Wire(StdioWire):
    """Standard input and output, read in lines."""

    def lines(self) -> Iterator[bytes | None]:
        """Every line that is not blank, without its end; None for one that is too long."""
        parts: list[bytes] = []
        size = 0
        while chunk := self.read():
            *whole, rest = chunk.split(b"\n")
            for end in whole:
                line = b"".join([*parts, end]).strip() if size + len(end) <= LONGEST else None
                parts, size = [], 0
                if line is None or line:
                    yield line
            size += len(rest)
            parts = [*parts, rest] if size <= LONGEST else []
        if size <= LONGEST and (line := b"".join(parts).strip()):
            yield line


class RequestReader(threading.Thread):
    """Reads requests from the very start; the first may be answered here, all go to the exchange once there is one."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(name="requests", daemon=True)
        self._wire = wire
        self._is_open = threading.Event()
        self.roots_are_there = threading.Event()
        """Set once nothing is wrong with what was asked for on the command line."""
        self._exchange: Exchange | None = None
        self.answered: str | int | None = None
        """The request that was answered here."""

    def hand_to(self, exchange: Exchange) -> None:
        """From now on, and for everything that came before."""
        self._exchange = exchange
        self._is_open.set()

    def run(self) -> None:
        is_first = True
        for line in self._wire.lines():
            if line is None:
                self._say(_TOO_LONG)
                continue
            if is_first and (found := first_answer(line)):
                self.answered = found[0]
                self._say(found[1])
            is_first = False
            self._is_open.wait()
            assert self._exchange is not None
            self._exchange.take(line)
        if is_first:
            self.roots_are_there.wait()
            leave()  # nothing was ever asked, so there is nothing to finish loading for
        self._is_open.wait()
        assert self._exchange is not None
        self._exchange.end()

    def _say(self, line: bytes) -> None:
        with suppress(OSError):  # the exchange notices
            self._wire.write(line)


def serve(
    roots: Sequence[Path],
    arguments: Mapping[str, object],
    preset: str,
    *,
    do_watch: bool = True,
    is_structured: bool = False,
) -> NoReturn:
    """Serve until the input ends, nobody reads the output, or a signal says so; then the process ends."""
    wire = Wire()
    reader = RequestReader(wire)
    reader.start()
    gc.disable()  # what the SDK's modules make stays for good; looking for cycles among it takes a tenth of the time
    from pinakes.config import default_root
    from pinakes.serve.libraries import Libraries

    raise_limit()
    share_heap()
    libraries = Libraries(roots or (default_root(Path.cwd()),), arguments)
    reader.roots_are_there.set()
    from pinakes.serve.freshness import Freshness
    from pinakes.serve.mcp.exchange import Exchange
    from pinakes.serve.mcp.server import McpHandlers, options_of, server_of

    gc.freeze()
    gc.enable()
    freshness = Freshness(libraries)
    server = server_of(McpHandlers(freshness, preset, is_structured=is_structured))
    exchange = Exchange(wire, reader)
    if do_watch:
        libraries.watch(warn=_warn)
    libraries.hear_others()
    leave_soon_after(exchange.ending)
    asyncio.run(exchange.serve(server, options_of(server)))
    # A sync that was given up stops at its next step; a search takes milliseconds.
    patience = time.monotonic() + TIDY_S
    while not freshness.is_idle and time.monotonic() < patience:
        time.sleep(0.01)
    leave(libraries.close if freshness.is_idle else None)


def _warn(note: str) -> None:
    with suppress(OSError, ValueError, AttributeError):  # started without stderr
        from pinakes.render import safe

        sys.stderr.write(f"pinakes: {safe(note)}\n")
