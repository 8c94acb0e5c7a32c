"""The protocol on standard input and output, for an editor that starts the process itself.

Bytes enter and leave by private descriptors (`stdio_wire`), so that nothing printed by accident disturbs the editor.
The process ends when it is told to, or when nobody speaks or listens any more.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from pinakes.serve.allocator import share_heap
from pinakes.serve.descriptors import raise_limit
from pinakes.serve.ending import leave, leave_soon_after
from pinakes.serve.lsp.framing import bodies
from pinakes.serve.lsp.server import NOT_READ, Conversation
from pinakes.serve.stdio_wire import StdioWire

_UNREAD = "A message must have a length of 64 MB at most and be JSON."


def serve(roots: tuple[Path, ...], arguments: Mapping[str, object]) -> NoReturn:
    """Serve an editor until it ends the conversation; then the process ends."""
    wire = StdioWire()
    raise_limit()
    share_heap()
    import_module("pinakes.parse.markdown")  # now, and not when the first document is opened
    ending = threading.Event()
    leave_soon_after(ending)
    conversation = asyncio.run(_converse(wire, roots, arguments, ending))
    # By the protocol, an exit that no shutdown announced is a failure.
    leave(conversation.editor.close, 0 if conversation.has_shut_down else 1)


async def _converse(
    wire: StdioWire, roots: tuple[Path, ...], arguments: Mapping[str, object], ending: threading.Event
) -> Conversation:
    loop = asyncio.get_running_loop()
    messages: asyncio.Queue[bytes | EOFError | None] = asyncio.Queue()

    def read() -> None:
        for body in bodies(wire.read):
            loop.call_soon_threadsafe(messages.put_nowait, body)
        loop.call_soon_threadsafe(messages.put_nowait, EOFError())

    def write(data: bytes) -> None:
        try:
            wire.write(data)
        except OSError:  # nobody listens any more
            messages.put_nowait(EOFError())

    conversation = Conversation(roots, arguments, write)
    threading.Thread(target=read, name="pinakes-messages", daemon=True).start()
    goes_on = True
    while goes_on:
        body = await messages.get()
        if isinstance(body, EOFError):
            break
        goes_on = _take(conversation, body)
        # An answer is begun before the next message is taken, so that it is about the text it was asked about.
        await asyncio.sleep(0)
    ending.set()
    return conversation


def _take(conversation: Conversation, body: bytes | None) -> bool:
    try:
        if body is not None:
            return conversation.take(json.loads(body))
    except (ValueError, RecursionError):
        pass  # said below, as for a message that could not be read at all
    conversation.refuse(NOT_READ, _UNREAD)
    return True
