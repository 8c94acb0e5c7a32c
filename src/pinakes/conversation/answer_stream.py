"""A request that can be ended at any moment.

A function that asks enters, an `OpenAnswer` leaves: pieces of the answer as they come. The client packages wait in a
system call for the next bytes, and closing a response there from another thread wakes nobody. So each connection that
a request opens is noted, and ending the request shuts it down, which the server sees at once.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pinakes.conversation.bounded_bytes import bound
from pinakes.errors import ConversationError
from pinakes.records.conversation import AnswerPiece

if TYPE_CHECKING:
    import httpx2

_CONNECT_S = 15.0


class OpenRequest:
    """What keeps a request open, and ends it. A request and its answer know each other one way only: an answer that
    nobody holds any more is gone at once, and its connection with it."""

    def __init__(self) -> None:
        self._closing = threading.Event()
        self._sockets: list[socket.socket] = []

    @property
    def is_closing(self) -> bool:
        return self._closing.is_set()

    def close(self) -> None:
        """Have the next read or write of every connection fail, also one that another thread waits in."""
        self._closing.set()
        for one in tuple(self._sockets):
            with suppress(OSError):
                # Of the plain socket: that of TLS would forget its state while another thread reads.
                socket.socket.shutdown(one, socket.SHUT_RDWR)

    def wait(self, seconds: float) -> bool:
        """Let time pass; returns whether the request was ended meanwhile."""
        return self._closing.wait(seconds)

    def client_options(self, read_s: float) -> dict[str, Any]:
        """What the HTTP client of a package gets. Documents and keys go to the address that was named, and are sent
        nowhere else by a redirect; proxies of the environment are used as the packages do."""
        import httpx2

        hooks = {"request": [self._watch], "response": [bound]}
        timeout = httpx2.Timeout(read_s, connect=_CONNECT_S, pool=_CONNECT_S)
        return {"timeout": timeout, "follow_redirects": False, "event_hooks": hooks}

    def _watch(self, request: httpx2.Request) -> None:
        if self.is_closing:
            raise ended()
        request.extensions["trace"] = self._note

    def _note(self, event: str, info: dict[str, Any]) -> None:
        stream = info.get("return_value")
        if event.endswith((".connect_tcp.complete", ".connect_unix_socket.complete", ".start_tls.complete")):
            found = stream.get_extra_info("socket") if stream is not None else None
            if isinstance(found, socket.socket):
                self._sockets.append(found)
                if self.is_closing:
                    self.close()


class OpenAnswer:
    """One answer. It begins with the first piece that is wanted."""

    def __init__(self, ask: Callable[[OpenRequest], Generator[AnswerPiece, None, None]]) -> None:
        self._request = OpenRequest()
        self._pieces = ask(self._request)

    def __iter__(self) -> OpenAnswer:
        return self

    def __next__(self) -> AnswerPiece:
        if self._request.is_closing:
            raise StopIteration
        try:
            return next(self._pieces)
        except ConversationError:
            if self._request.is_closing:
                raise StopIteration from None
            raise

    def close(self) -> None:
        """End the request, from any thread and however often."""
        self._request.close()
        with suppress(ValueError):  # another thread waits in it, and is woken by now
            self._pieces.close()


def ended() -> ConversationError:
    """Raised where a request goes on after its end; nobody sees it."""
    return ConversationError("The request was ended.", "Ask again.")
