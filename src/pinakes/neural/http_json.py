"""JSON requests to one server over HTTP, each within a time limit.

A path and a body enter; a `ServerReply` leaves, or `ModelFailed` naming the server. What is asked is not known here. A
request to a busy server (429, 5xx) is sent again when the server says so; one to a server that does not answer is not.
The connection stays open between requests, which saves a handshake each.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, RemoteDisconnected

from msgspec import Struct

from pinakes.errors import ModelFailed

_TRIES = 4
_PATIENT_S, _HURRIED_S = 60.0, 3.0
"""Most seconds spent waiting for a busy server: over many texts, and while somebody waits for one answer."""
_FIRST_WAIT_S = 0.5
_PIECE = 1 << 16
_MOST_BYTES = 256 << 20
_MOST_SAID = 300


class ServerAddress(Struct, frozen=True):
    """Where to ask."""

    is_https: bool
    host: str
    port: int | None
    path: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' * self.is_https}://{host}{f':{self.port}' if self.port else ''}{self.path}"


class ServerReply(Struct, frozen=True):
    """What came back, of whatever status."""

    status: int
    retry_after: str
    body: bytes

    def error_text(self) -> str:
        """The error message in the reply, in one line."""
        text = self.body[:_PIECE].decode("utf-8", "replace")
        try:
            error = json.loads(text)
        except (ValueError, RecursionError):
            error = None
        for key in ("error", "message"):
            if isinstance(error, dict):
                error = error.get(key, error)
        text = error if isinstance(error, str) else text
        return "".join(letter if letter.isprintable() else " " for letter in text)[:_MOST_SAID].strip()


class JsonClient:
    """One connection to one server; not for two threads at once."""

    def __init__(self, server: ServerAddress, key: str, timeout_s: float, wait: Callable[[float], None]) -> None:
        self._connection: HTTPConnection | None = None
        self._server = server
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._timeout_s = timeout_s
        self._wait = wait

    def __del__(self) -> None:
        self._close()

    def post(self, path: str, body: bytes, *, is_patient: bool) -> ServerReply:
        """The answer to one question; busy servers are asked a few times, for longer when `is_patient`."""
        left = _PATIENT_S if is_patient else _HURRIED_S
        pause = _FIRST_WAIT_S
        for attempt in range(1, _TRIES + 1):
            answer = self._ask(path, body)
            if answer.status != 429 and answer.status < 500:
                return answer
            asked_to = _seconds(answer.retry_after)
            wanted = pause if asked_to is None else asked_to
            if attempt == _TRIES or wanted > left:
                return answer
            self._wait(wanted)
            left -= wanted
            pause *= 2
        raise AssertionError("the last attempt returns")

    def _ask(self, path: str, body: bytes) -> ServerReply:
        is_reused = self._connection is not None
        try:
            try:
                return self._exchange(path, body)
            except (RemoteDisconnected, ConnectionError):
                # A connection kept open may have been closed by the other side meanwhile; a new one has no excuse.
                self._close()
                if not is_reused:
                    raise
                return self._exchange(path, body)
        except TimeoutError as error:
            self._close()
            raise ModelFailed(
                f"{self._server} did not answer within {self._timeout_s:g} seconds.", "Try again, or give it more time."
            ) from error
        except (OSError, HTTPException, ValueError) as error:
            self._close()
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ModelFailed(f"{self._server} cannot be asked: {reason}.", "Check that the server runs.") from error

    def _exchange(self, path: str, body: bytes) -> ServerReply:
        deadline = time.monotonic() + self._timeout_s
        if self._connection is None:
            kind = HTTPSConnection if self._server.is_https else HTTPConnection
            self._connection = kind(self._server.host, self._server.port, timeout=self._timeout_s)
        self._connection.request("POST", f"{self._server.path}/{path}", body, self._headers)
        response = self._connection.getresponse()
        return ServerReply(response.status, response.headers.get("Retry-After", ""), self._read(response, deadline))

    def _read(self, response: HTTPResponse, deadline: float) -> bytes:
        """All of it, unless it comes too slowly or is too much."""
        pieces: list[bytes] = []
        size = 0
        while piece := response.read1(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if time.monotonic() > deadline:
                raise TimeoutError
            if size > _MOST_BYTES:
                raise ValueError(f"the answer is larger than {_MOST_BYTES:,} bytes")
        if response.length:  # what was promised and did not come
            raise ConnectionError("the answer ended early")
        response.close()  # or the connection would wait for more
        return b"".join(pieces)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _seconds(retry_after: str) -> float | None:
    """What a Retry-After header asks for; None when it says nothing that can be understood."""
    if retry_after.strip().isdecimal():
        return float(retry_after.strip()[:9])
    try:
        then = parsedate_to_datetime(retry_after)
    except (ValueError, TypeError):
        return None
    return max(0.0, then.timestamp() - time.time())
