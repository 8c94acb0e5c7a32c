"""Ends the answer to a client that has gone.

An ASGI app, a request whose body was read, and its channels enter. The server tells of a closed connection only to
whoever listens, so somebody does while the app works; the app is cancelled when its client goes before it was answered.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send


async def answer_while_heard(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Have the app answer; it hears the body, and then that its client went."""
    is_told = is_answered = False
    gone = asyncio.Event()

    async def hear() -> Message:
        nonlocal is_told
        if is_told:
            await gone.wait()
            return {"type": "http.disconnect"}
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def say(message: Message) -> None:
        nonlocal is_answered
        is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await send(message)

    async def listen() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    answering, listening = asyncio.ensure_future(app(scope, hear, say)), asyncio.ensure_future(listen())
    try:
        await asyncio.wait((answering, listening), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done() and not is_answered:
            answering.cancel()
            with suppress(asyncio.CancelledError):
                await answering
        else:
            await answering
    finally:
        answering.cancel()
        listening.cancel()
